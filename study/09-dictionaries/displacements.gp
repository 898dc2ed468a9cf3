# SPDX-License-Identifier: MIT
# Displacements for an insertion against load: one field for each bucket size.
eval high(1320)
array sizes[4] = [1, 2, 4, 8]
set xrange [0:1.02]
set logscale y
set yrange [0.001:100]
set format y "%g"
set lmargin 8
set multiplot layout 4, 1
do for [f=1:4] {
    set title sprintf("Displacements per insertion, buckets of %d", sizes[f])
    if (f == 4) { set xlabel "load" }
    if (f == 4) { set key top left Left reverse } else { unset key }
    plot for [d=2:4] data using (column("d") == d && column("b") == sizes[f] && column("stash") == 0 ? column("load") : NaN):"moves_per_key" \
             with lines linecolor rgb colour[d - 1] linewidth 1.8 title sprintf("%d functions", d), \
         for [d=2:4] data using (column("d") == d && column("b") == sizes[f] && column("stash") == 4 ? column("load") : NaN):"moves_per_key" \
             with lines linecolor rgb colour[d - 1] linewidth 1.8 dashtype 2 title sprintf("%d, stash of 4", d)
}
unset multiplot
