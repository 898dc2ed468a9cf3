# SPDX-License-Identifier: MIT
# k = 100: relocations against the number of buckets; dashed: without those of failed insertions.
eval high(530)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
is(i) = strcol("filter") eq names[i]
at_100(i) = is(i) && column("k") == 100
least = 1e-5
set logscale y
set yrange [least / 1.5:20]
set ytics ("none" least, "10^{-4}" 1e-4, "0.001" 1e-3, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10)
set ylabel "relocations per k-mer"
set key outside bottom center horizontal maxcols 2 samplen 1.5
shown(n) = n > least ? n : least
set title "k = 100: relocations against buckets"
set format x "%.0f"
set xlabel "buckets of 100\n "
plot for [i=1:5] data using (at_100(i) ? column("m") : NaN):(shown(column("moves"))) \
         with linespoints linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.6 title names[i], \
     for [i=1:5] data using (at_100(i) ? column("m") : NaN):(shown(column("moves") - column("wasted_moves"))) \
         with lines linecolor rgb colour[i] linewidth 1.4 dashtype 2 title (i == 5 ? "without failed" : "")
