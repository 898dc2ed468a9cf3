# SPDX-License-Identifier: MIT
# Relocations relative to the random choice, against load.
eval high(510)
array names[5] = ["random", "emptier", "emptier bfs", "windows of 3 bfs", "windows of 4 bfs"]
is(i) = strcol("way") eq names[i]
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Relocations, random choice = 1"
set yrange [0:1.05]
set ytics 0.2
set xrange [0.49:0.99]
set xtics 0.1
set xlabel "load\n "
plot 1 with lines linecolor rgb colour[1] linewidth 1.4 title names[1], \
    for [i=2:5] data using (is(i) ? column("load") : NaN):"ratio":"ratio_low":"ratio_high" \
    with yerrorlines linecolor rgb colour[i] linewidth 1.2 pointtype shape[i] pointsize 0.5 title names[i]
