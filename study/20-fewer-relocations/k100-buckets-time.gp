# SPDX-License-Identifier: MIT
# k = 100: time of one insertion against the number of buckets.
eval high(510)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
is(i) = strcol("filter") eq names[i]
at_100(i) = is(i) && column("k") == 100
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "k = 100: insertion time against buckets"
set logscale y
set yrange [80:*]
set format x "%.0f"
set xlabel "buckets of 100\n "
set ylabel "ns per insertion, with hashing"
plot for [i=1:5] data using (at_100(i) ? column("m") : NaN):"insert_ns":"insert_ns_low":"insert_ns_high" \
    with yerrorlines linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.6 title names[i]
