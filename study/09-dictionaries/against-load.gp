# SPDX-License-Identifier: MIT
# One column of displacements.csv, moves_per_key or rehashes, against load: one field for each bucket size.
is_moves = what eq "moves_per_key"
eval high(is_moves ? 1320 : 1180)
array sizes[4] = [1, 2, 4, 8]
set xrange [0:1.02]
if (is_moves) { set logscale y; set yrange [0.001:100]; set format y "%g" } else { set yrange [0:*<5] }
set lmargin 8
set multiplot layout 4, 1
do for [f=1:4] {
    set title sprintf("%s, buckets of %d", is_moves ? "Displacements per insertion" : "Rehashes so far", sizes[f])
    if (f == 4) { set xlabel "load" }
    if (f == (is_moves ? 4 : 1)) { set key top left Left reverse } else { unset key }
    plot for [d=2:4] data using (column("d") == d && column("b") == sizes[f] && column("stash") == 0 ? column("load") : NaN):(column(what)) \
             with lines linecolor rgb colour[d - 1] linewidth 1.8 title sprintf("%d functions", d), \
         for [d=2:4] data using (column("d") == d && column("b") == sizes[f] && column("stash") == 4 ? column("load") : NaN):(column(what)) \
             with lines linecolor rgb colour[d - 1] linewidth 1.8 dashtype 2 title sprintf("%d, stash of 4", d)
}
unset multiplot
