# SPDX-License-Identifier: MIT
# The published program by rate: initialisation above, all words below, with the lines of lines.csv.
eval high(680)
array names[2] = ["bloom", "cuckoo"]
is(i) = strcol("stack") eq "npm" && strcol("manner") eq "published" && strcol("filter") eq names[i]
is_row(i, q) = strcol("filter") eq names[i] && strcol("quantity") eq q
do for [i=1:2] {
    do for [q in "init total"] {
        stats folder."lines.csv" using (is_row(i, q) ? column("intercept_ms") : NaN) name sprintf("A_%s_%d", q, i) nooutput
        stats folder."lines.csv" using (is_row(i, q) ? column("slope_ms_per_percent") : NaN) name sprintf("B_%s_%d", q, i) nooutput
    }
}
line(q, i, x) = value(sprintf("A_%s_%d_mean", q, i)) + value(sprintf("B_%s_%d_mean", q, i)) * x
set multiplot layout 2, 1
set xrange [0:21]
set yrange [0:*]
set ylabel "milliseconds"
set key bottom right
set title "Initialisation, as published"
plot for [i=1:2] data using (is(i) ? column("percent") + 0.2 * (i - 1) : NaN):"init_ms":"init_ms_low":"init_ms_high" \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i], \
     for [i=1:2] line("init", i, x) with lines linecolor rgb colour[i] linewidth 1 dashtype 2 notitle
set title "All words, as published"
set xlabel "promised rate ε, per cent"
plot for [i=1:2] data using (is(i) ? column("percent") + 0.2 * (i - 1) : NaN):(column("word_ns") * column("n_words") / 1e6):(column("word_ns_low") * column("n_words") / 1e6):(column("word_ns_high") * column("n_words") / 1e6) \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i], \
     for [i=1:2] line("total", i, x) with lines linecolor rgb colour[i] linewidth 1 dashtype 2 notitle
unset multiplot
