# SPDX-License-Identifier: MIT
# Fill against relocations.
eval high(510)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
is(i) = strcol("filter") eq names[i]
least = 1e-5
moved(i) = is(i) ? (column("moves") > least ? column("moves") : least) : NaN
set logscale x
set xrange [least / 1.5:20]
set xtics ("none" least, "10^{-4}" 1e-4, "0.001" 1e-3, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10)
set xlabel "relocations per k-mer\n "
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Fill against relocations"
set yrange [0.45:1.02]
set ytics 0.1
set ylabel "fill, entries / slots"
plot for [i=1:5] data using (moved(i)):"fill" \
    with points linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i]
