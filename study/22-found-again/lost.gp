# SPDX-License-Identifier: MIT
# Stored and not found, against load.
eval high(450)
array names[3] = ["seminar original", "seminar emptier", "ours bfs"]
is(t, i) = strcol("table") eq t && strcol("filter") eq names[i]
at(yes) = yes ? column("load") : NaN
set key left top Left reverse samplen 2
set title "Counted as stored, not found"
set xrange [0:1]
set xtics 0.2
set yrange [-1:*]
set format y "%.0f %%"
set xlabel "load"
plot for [i=1:3] data using (at(is("four", i))):(100 * column("share_lost")):(100 * column("share_lost_low")):(100 * column("share_lost_high")) \
         with yerrorlines linecolor rgb colour[i == 3 ? 4 : i] linewidth 1.4 pointtype shape[i] pointsize 0.7 title names[i].", mod m", \
     for [i=1:2] data using (at(is("power", i))):(100 * column("share_lost")) \
         with linespoints linecolor rgb colour[i] linewidth 1.4 dashtype 2 pointtype shape[i + 5] pointsize 0.7 title names[i].", m = 2^p"
