# SPDX-License-Identifier: MIT
# Above: measured rate over promised rate, with its interval, and what theory expects.
# Below: bits per key, beside the least that any filter needs.
# Reads only `data`, writes `figure`; both are given by ninho-study.
set terminal svg size 500,900 dynamic font "sans-serif,15" name "promised" background "#ffffff"
set output figure
set datafile separator ","
set datafile columnheaders

kinds = system("tail -n +2 '".data."' | cut -d, -f1 | awk '!seen[$0]++'")
n = words(kinds)
array colour[8] = ["#d55e00", "#2f86c9", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#8c6bb1", "#7f7f7f"]
is(i) = strcol("kind") eq word(kinds, i)

# Kinds stand side by side at each rate.
at(i) = column("fpr_promised") * 1.11**((n + 1) / 2.0 - i)
of_promise(name) = column(name) / column("fpr_promised")

set multiplot
set logscale x
set xrange [0.2:0.00006]
set xtics ("10 %%" 0.1, "5 %%" 0.05, "1 %%" 0.01, "0.1 %%" 0.001, "2^{-13}" 2**-13)
set border 3
set tics nomirror
set grid ytics linewidth 0.5
set lmargin at screen 0.1
set rmargin at screen 0.97

set tmargin at screen 0.945
set bmargin at screen 0.63
set title "Rate measured / rate promised"
set yrange [*<0.7:1.15<*]
set key at screen 0.5, screen 0.575 center top maxrows 4 samplen 2 width -1
plot for [i=1:n] data using (is(i) ? at(i) : NaN):(of_promise("fpr_measured")):(of_promise("fpr_low")):(of_promise("fpr_high")) \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype 7 pointsize 0.6 title word(kinds, i), \
     for [i=1:n] data using (is(i) ? at(i) : NaN):(of_promise("fpr_expected")) \
         with points linecolor rgb "#808080" linewidth 1.6 pointtype 2 pointsize 1 title (i == 1 ? "theory" : ""), \
     1.1 with lines linewidth 2 dashtype 2 linecolor rgb "#cf3b30" title "limit, 1.1"

set tmargin at screen 0.40
set bmargin at screen 0.08
set title "Bits per key"
set xlabel "rate promised, ε"
set yrange [0:*]
set key at graph 0.03, graph 0.98 left top Left reverse maxrows 3 width 0
plot for [i=1:n] data using (is(i) ? column("fpr_promised") : NaN):"bits_per_key" \
         with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype 7 pointsize 0.6 title "", \
     log(1/x)/log(2)/log(2) with lines linecolor rgb "#808080" linewidth 2 dashtype 3 title "1.44 log_2(1/ε), best Bloom", \
     log(1/x)/log(2) with lines linecolor rgb "#808080" linewidth 2 dashtype 2 title "log_2(1/ε), the least there is"
unset multiplot
