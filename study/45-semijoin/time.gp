# SPDX-License-Identifier: MIT
# Time over loopback as measured, and over slower lines as computed: a panel for each join.
eval high(1100)
array join[3] = ["few", "usual", "most"]
array titles[3] = ["Few keys", "A key to a hundred rows, half matching", "Nine rows in ten match"]
array names[5] = ["plain", "list", "list, index", "filter, 0.01 %%", "helper"]
array hue[5] = [8, 1, 5, 3, 2]
# Which of them a row is; 0: none that is shown.
series() = strcol("way") eq "plain" ? 1 : strcol("way") eq "list" ? (column("is_indexed") ? 3 : 2) : \
           strcol("way") eq "filter" && strcol("kind") eq "cuckoo" ? 4 : strcol("way") eq "helper" ? 5 : 0
is(j, i) = strcol("size_of_join") eq join[j] && series() == i

set multiplot layout 3,1
set logscale y
set yrange [*:*]
set xrange [-0.3:3.3]
set xtics ("measured" 0, "1 Gbit/s" 1, "100 Mbit/s" 2, "10 Mbit/s" 3)
set format y "%g"
set ylabel "ms"
do for [j=1:3] {
    set title titles[j]
    if (j < 3) { unset key } else { set key below maxcols 3 }
    plot for [i=1:5] data using (is(j, i) ? 0.06 * (i - 3) : NaN):"ms":"ms_low":"ms_high" \
             with yerrorbars linecolor rgb colour[hue[i]] linewidth 1.6 pointtype shape[i] pointsize 0.8 title names[i], \
         for [i=1:5] data using (is(j, i) ? 1 + 0.06 * (i - 3) : NaN):"computed_1000" \
             with points linecolor rgb colour[hue[i]] linewidth 1.6 pointtype shape[i] pointsize 0.8 notitle, \
         for [i=1:5] data using (is(j, i) ? 2 + 0.06 * (i - 3) : NaN):"computed_100" \
             with points linecolor rgb colour[hue[i]] linewidth 1.6 pointtype shape[i] pointsize 0.8 notitle, \
         for [i=1:5] data using (is(j, i) ? 3 + 0.06 * (i - 3) : NaN):"computed_10" \
             with points linecolor rgb colour[hue[i]] linewidth 1.6 pointtype shape[i] pointsize 0.8 notitle
}
unset multiplot
