# SPDX-License-Identifier: MIT
# Measured rate over promised rate, with its interval, and what theory expects.
eval high(560)

kinds = system("tail -n +2 '".data."' | cut -d, -f1 | awk '!seen[$0]++'")
n = words(kinds)
is(i) = strcol("kind") eq word(kinds, i)

# Each rate has a field of its own, where the kinds stand side by side.
rates = system("tail -n +2 '".data."' | cut -d, -f2 | awk '!seen[$0]++'")
n_rates = words(rates)
field(j) = (j - 0.5) * (n + 2)
at(i) = (sum [j=1:n_rates] (strcol("fpr_promised") eq word(rates, j) ? field(j) : 0)) + i - (n + 1) / 2.0
label_of(rate) = rate < 0.0005 ? sprintf("2^{%.0f}", log(rate) / log(2)) : sprintf("%g %%%%", 100 * rate)
of_promise(name) = column(name) / column("fpr_promised")

set title "Rate measured / rate promised"
set xrange [0:n_rates * (n + 2)]
set xtics () scale 0
set for [j=1:n_rates] xtics add (label_of(word(rates, j) + 0) field(j))
set for [j=1:n_rates - 1] arrow from j * (n + 2), graph 0 to j * (n + 2), graph 1 nohead linewidth 0.5 linecolor rgb "#c0c0c0"
set xlabel "rate promised, ε"
set yrange [*<0.7:1.15<*]
set key below maxcols 2 samplen 1.5 font ",13"
plot for [i=1:n] data using (is(i) ? at(i) : NaN):(of_promise("fpr_measured")):(of_promise("fpr_low")):(of_promise("fpr_high")) \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype 7 pointsize 0.6 title word(kinds, i), \
     for [i=1:n] data using (is(i) ? at(i) : NaN):(of_promise("fpr_expected")) \
         with points linecolor rgb "#606060" linewidth 1.2 pointtype 2 pointsize 0.7 title (i == 1 ? "theory" : ""), \
     1.1 with lines linewidth 2 dashtype 2 linecolor rgb "#cf3b30" title "limit, 1.1"
