# SPDX-License-Identifier: MIT
# Above: keys compared in a chained table, expected. Below: all keys share a hash.
eval high(680)
set multiplot layout 2, 1
set lmargin 8
set format x "2^{%.0f}"
set title "One list for every key: keys compared"
set yrange [0:2]
set key bottom right
plot folder."expected.csv" using "log2_n":"hit_compared" with points linecolor rgb colour[1] pointtype 7 pointsize 0.5 title "hit", \
     folder."expected.csv" using "log2_n":"hit_theory" with lines linecolor rgb colour[1] linewidth 1.6 title "1 + (n−1)/2n", \
     folder."expected.csv" using "log2_n":"miss_compared" with points linecolor rgb colour[2] pointtype 5 pointsize 0.5 title "miss", \
     folder."expected.csv" using "log2_n":"miss_theory" with lines linecolor rgb colour[2] linewidth 1.6 title "n/m = 1"
set title "Equal hashes: a miss"
set xlabel "keys"
set logscale y
set yrange [1:*]
set format y "10^{%T}"
set key top left Left reverse
plot data using "log2_n":"chaining_compared" with linespoints linecolor rgb colour[1] linewidth 1.6 pointtype 7 pointsize 0.6 title "keys compared, chaining", \
     2**x with lines linecolor rgb theory linewidth 2 dashtype 2 title "n", \
     data using "log2_n":"chain_ns" with linespoints linecolor rgb colour[3] linewidth 1.6 pointtype 9 pointsize 0.6 title "chain, ns", \
     data using "log2_n":"probe_ns" with linespoints linecolor rgb colour[4] linewidth 1.6 pointtype 13 pointsize 0.6 title "probe, ns"
unset multiplot
