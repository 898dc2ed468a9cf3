# SPDX-License-Identifier: MIT
# k against the number of entries. All filters store the same: they are drawn side by side.
eval high(510)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
is(i) = strcol("filter") eq names[i]
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "k against the number stored"
set logscale y
set ytics (10, 20, 31, 50, 100, 200)
set yrange [8:260]
set xtics autofreq
set format x "%.1s%c"
set xlabel "entries stored\n "
set ylabel "k, bases"
plot for [i=1:5] data using (is(i) ? column("stored") : NaN):(column("k") * 1.035**(i - 3)) \
    with points linecolor rgb colour[i] linewidth 1 pointtype shape[i] pointsize 0.4 title names[i]
