# SPDX-License-Identifier: MIT
# Bloom filter: time against k, with the fitted lines.
eval high(400)
array times[3] = ["add_ns", "hit_ns", "hit_many_ns"]
array names[3] = ["add", "lookup", "lookup, batch"]
set fit quiet
set fit logfile "/dev/null"
a1 = a2 = a3 = b1 = b2 = b3 = 1
fit a1 + b1 * x data using "k":"add_ns" via a1, b1
fit a2 + b2 * x data using "k":"hit_ns" via a2, b2
fit a3 + b3 * x data using "k":"hit_many_ns" via a3, b3
set key left top Left reverse
set title "Bloom filter: time against k"
set xrange [0:17]
set xtics 2
set yrange [0:*]
set xlabel "k"
set ylabel "ns"
plot a1 + b1 * x with lines linecolor rgb colour[1] linewidth 1 notitle, \
     a2 + b2 * x with lines linecolor rgb colour[2] linewidth 1 notitle, \
     a3 + b3 * x with lines linecolor rgb colour[3] linewidth 1 notitle, \
     for [i=1:3] data using "k":(column(times[i])):(column(times[i]."_low")):(column(times[i]."_high")) \
    with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.8 title names[i]
