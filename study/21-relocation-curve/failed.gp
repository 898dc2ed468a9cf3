# SPDX-License-Identifier: MIT
# Above: adds that failed; below: relocations made in vain. Both on the way to the load.
eval high(700)
array names[5] = ["random", "emptier", "emptier bfs", "windows of 3 bfs", "windows of 4 bfs"]
is(i) = strcol("way") eq names[i]
set xrange [0.935:0.985]
set xtics 0.01
set lmargin at screen 0.14
set rmargin at screen 0.97
set multiplot
set tmargin at screen 0.94
set bmargin at screen 0.60
set title "Failed adds per thousand keys"
set key left top Left reverse
set yrange [0:*]
plot for [i=1:5] data using (is(i) ? column("load") : NaN):(1000 * column("failed_per_key")) \
    with linespoints linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.7 title names[i]
set tmargin at screen 0.46
set bmargin at screen 0.11
set title "Relocations in vain, per key"
set xlabel "load"
unset key
plot for [i=1:5] data using (is(i) ? column("load") : NaN):"moves_in_vain_per_key" \
    with linespoints linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.7 title names[i]
unset multiplot
