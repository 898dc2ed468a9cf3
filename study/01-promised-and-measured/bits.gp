# SPDX-License-Identifier: MIT
# Bits per key, beside the least that any filter needs.
eval high(560)

kinds = system("tail -n +2 '".data."' | cut -d, -f1 | awk '!seen[$0]++'")
n = words(kinds)
is(i) = strcol("kind") eq word(kinds, i)

set title "Bits per key"
set logscale x
set xrange [0.12:0.00010]
set xtics ("10 %%" 0.1, "5 %%" 0.05, "1 %%" 0.01, "0.1 %%" 0.001, "2^{-13}" 2**-13)
set xlabel "rate promised, ε"
set yrange [0:*]
set key below maxcols 2 samplen 1.5 font ",13"
plot for [i=1:n] data using (is(i) ? column("fpr_promised") : NaN):"bits_per_key" \
         with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title word(kinds, i), \
     log(1/x)/log(2)/log(2) with lines linecolor rgb theory linewidth 2 dashtype 3 title "1.44 log_2(1/ε)", \
     log(1/x)/log(2) with lines linecolor rgb theory linewidth 2 dashtype 2 title "log_2(1/ε), least"
