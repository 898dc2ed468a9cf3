# SPDX-License-Identifier: MIT
# Time over loopback as measured, and over slower lines as computed: a panel for each join.
eval high(1060)
array join[3] = ["few", "usual", "most"]
array titles[3] = ["Few keys", "A key to a hundred rows, half matching", "Nine rows in ten match"]
array names[5] = ["plain", "list", "list, index", "filter, 0.01 %", "helper"]
array least[3] = [0.3, 1, 20]
array top[3] = [0.955, 0.645, 0.335]
array hue[5] = [8, 1, 5, 3, 2]
# Which of them a row is; 0: none that is shown.
series(way, kind, index) = way eq "plain" ? 1 : way eq "list" ? 2 + index : way eq "filter" && kind eq "cuckoo" ? 4 : \
                           way eq "helper" && index == 0 ? 5 : 0
is(j, i) = strcol("size_of_join") eq join[j] && series(strcol("way"), strcol("kind"), column("is_indexed")) == i

set multiplot
set logscale y
set lmargin at screen 0.16
set rmargin at screen 0.97
set xrange [-0.35:3.5]
set xtics ("measured" 0, "1 Gbit/s" 1, "100 Mbit/s" 2, "10 Mbit/s" 3)
set format y "%g"
set ylabel "ms"
do for [j=1:3] {
    set title titles[j]
    set tmargin at screen top[j]
    set bmargin at screen top[j] - 0.22
    set yrange [least[j]:*]
    if (j < 3) { unset key } else { set key horizontal center at screen 0.53, 0.05 maxcols 3 width -1 }
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
