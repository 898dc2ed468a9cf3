# SPDX-License-Identifier: MIT
# Above: all words behind each filter. Below: the cuckoo filters' time over the Bloom filter's.
eval high(680)
array names[3] = ["bloom", "cuckoo", "cuckoo (ninho)"]
is(i) = strcol("filter") eq names[i]
set multiplot layout 2, 1
set xrange [0:21]
set yrange [0:*]
set title "All words"
set ylabel "milliseconds"
set key bottom right
plot for [i=1:3] data using (is(i) ? column("percent") + 0.2 * (i - 2) : NaN):"total_ms":"total_ms_low":"total_ms_high" \
    with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i]
set title "Over the time behind the Bloom filter"
set ylabel "ratio"
set xlabel "promised rate ε, per cent"
set yrange [0.8:1.3]
set key top right
plot for [i=2:3] data using (is(i) ? column("percent") + 0.2 * (i - 2) : NaN):"ratio":"ratio_low":"ratio_high" \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i], \
     1 with lines linecolor rgb theory linewidth 1 title "", \
     1.05 with lines linecolor rgb theory linewidth 1 dashtype 2 title "equal, ±5 %", \
     0.95 with lines linecolor rgb theory linewidth 1 dashtype 2 title ""
unset multiplot
