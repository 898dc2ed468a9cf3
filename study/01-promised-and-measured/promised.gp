# SPDX-License-Identifier: MIT
# Above: measured rate over promised rate, with its interval, and what theory expects.
# Below: bits per key, beside the least that any filter needs.
eval high(900)

kinds = system("tail -n +2 '".data."' | cut -d, -f1 | awk '!seen[$0]++'")
n = words(kinds)
is(i) = strcol("kind") eq word(kinds, i)

# Above, each rate has a field of its own, where the kinds stand side by side.
rates = system("tail -n +2 '".data."' | cut -d, -f2 | awk '!seen[$0]++'")
n_rates = words(rates)
field(j) = (j - 0.5) * (n + 2)
at(i) = (sum [j=1:n_rates] (strcol("fpr_promised") eq word(rates, j) ? field(j) : 0)) + i - (n + 1) / 2.0
label_of(rate) = rate < 0.0005 ? sprintf("2^{%.0f}", log(rate) / log(2)) : sprintf("%g %%%%", 100 * rate)
of_promise(name) = column(name) / column("fpr_promised")

set multiplot
set xrange [0:n_rates * (n + 2)]
set xtics () scale 0
set for [j=1:n_rates] xtics add (label_of(word(rates, j) + 0) field(j))
set for [j=1:n_rates - 1] arrow from j * (n + 2), graph 0 to j * (n + 2), graph 1 nohead linewidth 0.5 linecolor rgb "#c0c0c0"
set lmargin at screen 0.1
set rmargin at screen 0.97

set tmargin at screen 0.945
set bmargin at screen 0.63
set title "Rate measured / rate promised"
set yrange [*<0.7:1.15<*]
set key at screen 0.97, screen 0.59 right top maxrows 4 samplen 1.5 width -2 font ",10"
plot for [i=1:n] data using (is(i) ? at(i) : NaN):(of_promise("fpr_measured")):(of_promise("fpr_low")):(of_promise("fpr_high")) \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype 7 pointsize 0.6 title word(kinds, i), \
     for [i=1:n] data using (is(i) ? at(i) : NaN):(of_promise("fpr_expected")) \
         with points linecolor rgb "#606060" linewidth 1.2 pointtype 2 pointsize 0.7 title (i == 1 ? "theory" : ""), \
     1.1 with lines linewidth 2 dashtype 2 linecolor rgb "#cf3b30" title "limit, 1.1"

set tmargin at screen 0.40
set bmargin at screen 0.08
set title "Bits per key"
unset arrow
set logscale x
set xrange [0.2:0.00006]
set xtics ("10 %%" 0.1, "5 %%" 0.05, "1 %%" 0.01, "0.1 %%" 0.001, "2^{-13}" 2**-13) scale 1
set xlabel "rate promised, ε"
set yrange [0:*]
set key at graph 0.03, graph 0.98 left top Left reverse maxrows 3 width 0
plot for [i=1:n] data using (is(i) ? column("fpr_promised") : NaN):"bits_per_key" \
         with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype 7 pointsize 0.6 title "", \
     log(1/x)/log(2)/log(2) with lines linecolor rgb "#808080" linewidth 2 dashtype 3 title "1.44 log_2(1/ε), best Bloom", \
     log(1/x)/log(2) with lines linecolor rgb "#808080" linewidth 2 dashtype 2 title "log_2(1/ε), the least there is"
unset multiplot
