# SPDX-License-Identifier: MIT
# Bloom filter: time against n at k = 7.
eval high(400)
array times[3] = ["add_ns", "hit_ns", "hit_many_ns"]
array names[3] = ["add", "lookup", "lookup, batch"]
set key left top Left reverse
set title "Bloom filter, k = 7: time against n"
set logscale x 2
set format x "2^{%L}"
set yrange [0:*]
set xlabel "keys, n"
set ylabel "ns"
plot for [i=1:3] data using "n":(column(times[i])):(column(times[i]."_low")):(column(times[i]."_high")) \
    with yerrorlines linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.8 title names[i]
