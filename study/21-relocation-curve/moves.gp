# SPDX-License-Identifier: MIT
# Relocations per key against load.
eval high(510)
array names[5] = ["random", "emptier", "emptier bfs", "windows of 3 bfs", "windows of 4 bfs"]
is(i) = strcol("way") eq names[i]
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Relocations per key stored"
set logscale y
set format y "10^{%L}"
set yrange [1e-5:10]
set xrange [0.49:0.99]
set xtics 0.1
set xlabel "load\n "
plot for [i=1:5] data using (is(i) && column("moves_per_key") > 0 ? column("load") : NaN):"moves_per_key" \
    with linespoints linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.6 title names[i]
