# SPDX-License-Identifier: MIT
# Places looked at, counted, beside theory.
eval high(680)
array names[4] = ["chaining (textbook)", "linear probing (textbook)", "cuckoo-table 2x4", "cuckoo-table 2x1"]
array hues[4] = [1, 2, 5, 6]
array fields[2] = ["hit", "miss"]
is(i) = strcol("table") eq names[i]
set xrange [0:1]
set logscale y
set multiplot layout 2, 1
do for [f=1:2] {
    set title (f == 1 ? "Places looked at for a hit" : "Places looked at for a miss")
    least = f == 1 ? 0.8 : 0.04
    most = f == 1 ? 200 : 500
    set yrange [least:most]
    if (f == 2) { set xlabel "load" }
    if (f == 1) { set key top left Left reverse } else { unset key }
    plot for [i=1:2] data using (is(i) ? column("load") : NaN):fields[f]."_looks_theory" \
             with lines linecolor rgb colour[hues[i]] linewidth 1.6 title "", \
         for [i=3:4] data using (is(i) ? column("load") : NaN):fields[f]."_looks_theory" \
             with lines linecolor rgb colour[hues[i]] linewidth 1.6 dashtype 2 title names[i].", at most", \
         for [i=1:2] data using (is(i) ? column("load") : NaN):fields[f]."_looks" \
             with points linecolor rgb colour[hues[i]] linewidth 1.6 pointtype shape[hues[i]] pointsize 0.6 title names[i]
}
unset multiplot
