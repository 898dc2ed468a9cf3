# SPDX-License-Identifier: MIT
# Insertion, hit, miss and removal against load, one field each.
eval high(1400)
array names[6] = ["chaining (textbook)", "linear probing (textbook)", "chain", "probe", "cuckoo-table 2x4", "cuckoo-table 2x1"]
array fields[4] = ["insert", "hit", "miss", "remove"]
array titles[4] = ["Insertion, ns", "Hit, ns", "Miss, ns", "Removal, ns"]
is(i) = strcol("table") eq names[i]
set xrange [0:1]
set logscale y
set yrange [1:*]
set lmargin 7
set multiplot
do for [f=1:4] {
    top = 0.965 - (f - 1) * 0.228
    set tmargin at screen top
    set bmargin at screen top - 0.17
    set title titles[f]
    if (f == 4) { set xlabel "load"; set key at screen 0.97, screen 0.0 right bottom maxrows 3 samplen 1.2 width -3 font ",13" } else { unset key }
    plot for [i=1:6] data using (is(i) ? column("load") : NaN):fields[f]."_ns":fields[f]."_low":fields[f]."_high" \
             with yerrorbars linecolor rgb colour[i] linewidth 1 pointtype shape[i] pointsize 0.5 title "", \
         for [i=1:6] data using (is(i) ? column("load") : NaN):fields[f]."_ns" \
             with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.5 title names[i]
}
unset multiplot
