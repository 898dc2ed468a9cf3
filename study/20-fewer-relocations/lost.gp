# SPDX-License-Identifier: MIT
# Share of the k-mers counted as stored that are not found again.
eval high(510)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
is(i) = strcol("filter") eq names[i]
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Stored, and not found again"
set xrange [0.48:1.12]
set xtics 0.1
set yrange [-3:103]
set ytics 20
set format y "%.0f %%"
set xlabel "distinct k-mers / slots\n "
plot for [i=1:5] data using (is(i) ? column("ratio") : NaN):(100 * column("lost")) \
    with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title names[i]
