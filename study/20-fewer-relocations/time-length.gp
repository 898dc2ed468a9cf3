# SPDX-License-Identifier: MIT
# Time of one insertion against k.
eval high(510)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
is(i) = strcol("filter") eq names[i]
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Insertion time against k"
set logscale x
set xtics (10, 20, 31, 50, 100, 200)
set xrange [8:250]
set yrange [0:*]
set xlabel "k, bases\n "
set ylabel "ns per insertion, with hashing"
plot for [i=1:5] data using (is(i) ? column("k") * 1.015**(i - 3) : NaN):"insert_ns":"insert_ns_low":"insert_ns_high" \
    with yerrorlines linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title names[i]
