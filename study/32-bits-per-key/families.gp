# SPDX-License-Identifier: MIT
# Bits per key against the rate, for every kind.
eval high(640)
array names[8] = ["bloom", "cuckoo", "cuckoo original", "fuse", "blocked", "counting", "quotient", "compact"]
is(i, s) = strcol("series") eq s && strcol("kind") eq names[i]
set key outside bottom center horizontal maxcols 3 samplen 1.5
set title "Bits per key"
set logscale x
set xrange [0.5:1e-6]
set xtics ("10 %%" 0.1, "1 %%" 0.01, "0.1 %%" 0.001, "10^{-4}" 1e-4, "10^{-5}" 1e-5)
set yrange [0:42]
set xlabel "rate, ε\n "
plot for [i=1:8] data using (is(i, "planned") ? column("fpr") : NaN):"bits_per_key" \
         with lines linecolor rgb colour[i] linewidth 1.6 title names[i], \
     log(1/x)/log(2)/log(2) with lines linecolor rgb theory linewidth 2 dashtype 3 title "1.44 log_2(1/ε)", \
     log(1/x)/log(2) with lines linecolor rgb theory linewidth 2 dashtype 2 title "log_2(1/ε)", \
     for [i=1:8] data using (is(i, "measured") ? column("fpr") : NaN):"bits_per_key" \
         with points linecolor rgb colour[i] pointtype shape[i] pointsize 0.7 notitle
