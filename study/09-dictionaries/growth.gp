# SPDX-License-Identifier: MIT
# A hit, a miss, a removal with its insertion against the number of keys.
eval high(940)
array names[5] = ["linear scan", "balanced tree", "chain", "probe", "cuckoo-table"]
array fields[3] = ["hit", "miss", "change"]
array titles[3] = ["Hit, ns", "Miss, ns", "Removed and put back, ns"]
is(i) = strcol("set") eq names[i]
set logscale y
set yrange [1:*]
set xrange [3:*]
set format x "2^{%.0f}"
set lmargin 8
set multiplot layout 3, 1
do for [f=1:3] {
    set title titles[f]
    if (f == 3) { set xlabel "keys" }
    if (f == 1) { set key top center maxrows 3 width -2; set yrange [1:300000] } else { unset key; set yrange [1:*] }
    plot for [i=1:5] data using (is(i) ? column("log2_n") : NaN):fields[f]."_ns":fields[f]."_low":fields[f]."_high" \
             with yerrorbars linecolor rgb colour[i] linewidth 1 pointtype shape[i] pointsize 0.5 title "", \
         for [i=1:5] data using (is(i) ? column("log2_n") : NaN):fields[f]."_ns" \
             with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i]
}
unset multiplot
