# SPDX-License-Identifier: MIT
# Relocations against the share of the k-mers stored.
eval high(510)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
is(i) = strcol("filter") eq names[i]
least = 1e-5
set logscale y
set yrange [least / 1.5:20]
set ytics ("none" least, "10^{-4}" 1e-4, "0.001" 1e-3, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10)
set ylabel "relocations per k-mer"
set key outside bottom center horizontal maxcols 2 samplen 1.5
moved(i) = column("moves") > least ? column("moves") : least
set title "Relocations against share stored"
set xrange [0.895:1.008]
set xlabel "entries / distinct k-mers\n "
plot for [i=1:5] data using (is(i) ? column("share_stored") + 0.0008 * (i - 3) : NaN):(moved(i)) \
    with points linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i]
