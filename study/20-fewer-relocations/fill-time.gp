# SPDX-License-Identifier: MIT
# Fill against the time of one insertion.
eval high(510)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
is(i) = strcol("filter") eq names[i]
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Fill against insertion time"
set logscale x
set xrange [80:*]
set yrange [0.45:1.02]
set ytics 0.1
set xlabel "ns per insertion, with hashing\n "
set ylabel "fill, entries / slots"
plot for [i=1:5] data using (is(i) ? column("insert_ns") : NaN):"fill" \
    with points linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i]
