# SPDX-License-Identifier: MIT
# Share found against share inserted, and below how much of it is missing.
eval high(720)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
in_table(i) = strcol("table") eq "hundred"
is(i) = in_table(i) && strcol("filter") eq names[i]
inserted(yes) = yes ? 100 * column("share_inserted") : NaN
set xrange [0:104]
set xtics 20
set format x "%.0f %%"
set lmargin at screen 0.17
set rmargin at screen 0.97
set multiplot
set tmargin at screen 0.94
set bmargin at screen 0.60
set title "Found: buckets of 100, room for all"
set yrange [0:104]
set ytics 20
set format y "%.0f %%"
set key left top Left reverse samplen 1.5
plot data using (inserted(is(1))):(100 * column("share_true")) \
         with lines linecolor rgb theory linewidth 5 title "true answer", \
     for [i=1:5] data using (inserted(is(i))):(100 * column("share_found")) \
         with linespoints linecolor rgb colour[i] linewidth 1.3 pointtype shape[i] pointsize 0.6 title names[i]
set tmargin at screen 0.47
set bmargin at screen 0.11
set title "Missing to the true answer"
set yrange [*<-0.05:0.1<*]
set ytics autofreq
set format y "%.1f %%"
set xlabel "k-mers inserted"
unset key
plot for [i=1:5] data using (inserted(is(i))):(100 * (column("share_true") - column("share_found"))) \
         with linespoints linecolor rgb colour[i] linewidth 1.3 pointtype shape[i] pointsize 0.6 notitle
unset multiplot
