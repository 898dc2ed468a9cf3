# SPDX-License-Identifier: MIT
# Bits of the cuckoo filter over those of the Bloom filter, against the rate.
eval high(540)
array names[2] = ["cuckoo", "cuckoo original"]
array titles[2] = ["ours", "original"]
is(i, s) = strcol("series") eq s && strcol("kind") eq names[i]
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Cuckoo / Bloom, bits at equal rate"
set logscale x
set xrange [0.15:1e-5]
set xtics ("10 %%" 0.1, "3 %%" 0.03, "1 %%" 0.01, "0.1 %%" 0.001, "10^{-4}" 1e-4)
set yrange [0.7:1.9]
set xlabel "rate, ε\n "
set arrow from 0.03, graph 0 to 0.03, graph 1 nohead linecolor rgb theory linewidth 1.2 dashtype 2
plot 1 with lines linecolor rgb theory linewidth 1.4 notitle, \
     for [i=1:2] data using (is(i, "planned") ? column("fpr") : NaN):"ratio_to_bloom" \
         with lines linecolor rgb colour[i + 1] linewidth 1.6 title titles[i].", rate asked for", \
     for [i=1:2] data using (is(i, "whole tags") ? column("fpr") : NaN):"ratio_to_bloom" \
         with points linecolor rgb colour[i + 1] linewidth 1.6 pointtype shape[i] pointsize 0.8 title titles[i].", whole tags"
