# SPDX-License-Identifier: MIT
# Above: measured rate over promised rate, with its interval, and what theory expects.
# Below: bits per key, beside the least that any filter needs.
# Reads only `data`, writes `figure`; both are given by ninho-study.
set terminal svg size 720,900 dynamic font "sans-serif,15" name "promised" background "#ffffff"
set output figure
set datafile separator ","
set datafile columnheaders

kinds = system("tail -n +2 '".data."' | cut -d, -f1 | awk '!seen[$0]++'")
n = words(kinds)
array colour[8] = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#b8860b", "#56a0d3", "#8c6bb1", "#7f7f7f"]

set multiplot layout 2,1
set logscale x
set xrange [0.2:0.00008]
set xtics ("10 %%" 0.1, "5 %%" 0.05, "1 %%" 0.01, "0.1 %%" 0.001, "2^{-13}" 2**-13)
set border 3
set tics nomirror
set grid ytics linewidth 0.5

# Kinds stand side by side at each rate.
at(x, i) = x * 1.11**(i - (n + 1) / 2.0)

set title "False positive rate, measured / promised"
set xlabel "promised rate"
set yrange [0.5:1.2]
set key below
plot 1.1 with lines linewidth 2 dashtype 2 linecolor rgb "#b3261e" title "the promise's limit, 1.1", \
     for [i=1:n] data using (strcol("kind") eq word(kinds, i) ? at(column("fpr_promised"), i) : NaN):(column("fpr_measured") / column("fpr_promised")):(column("fpr_low") / column("fpr_promised")):(column("fpr_high") / column("fpr_promised")) \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype 7 pointsize 0.55 title word(kinds, i), \
     for [i=1:n] data using (strcol("kind") eq word(kinds, i) ? at(column("fpr_promised"), i) : NaN):(column("fpr_expected") / column("fpr_promised")) \
         with points linecolor rgb "#777777" linewidth 1.4 pointtype 2 pointsize 0.9 title (i == 1 ? "theory" : "")

set title "Bits per key"
set yrange [0:*]
set key below
plot for [i=1:n] data using (strcol("kind") eq word(kinds, i) ? column("fpr_promised") : NaN):"bits_per_key" \
         with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype 7 pointsize 0.55 title word(kinds, i), \
     log(1/x)/log(2) with lines linecolor rgb "#777777" linewidth 2 dashtype 2 title "log_2(1/ε), the least there is", \
     log(1/x)/log(2)/log(2) with lines linecolor rgb "#777777" linewidth 1.4 dashtype 3 title "1.44 log_2(1/ε), a perfect Bloom filter"
unset multiplot
