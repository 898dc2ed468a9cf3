# SPDX-License-Identifier: MIT
# Time of one insertion against relocations.
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
set title "Insertion time against relocations"
set logscale y
set yrange [80:*]
set ylabel "ns per insertion, with hashing"
plot for [i=1:5] data using (moved(i)):"insert_ns":"insert_ns_low":"insert_ns_high" \
    with yerrorbars linecolor rgb colour[i] linewidth 1 pointtype shape[i] pointsize 0.5 title names[i]
