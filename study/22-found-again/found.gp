# SPDX-License-Identifier: MIT
# Share found against share inserted, in the table that is named.
eval high(510)
array names[5] = ["seminar original", "seminar emptier", "ours emptier", "ours bfs", "ours windows"]
in_table(i) = strcol("table") eq table
is(i) = in_table(i) && strcol("filter") eq names[i]
inserted(yes) = yes ? 100 * column("share_inserted") : NaN
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Found: ".what
set xrange [0:104]
set yrange [0:104]
set xtics 20
set ytics 20
set format "%.0f %%"
set xlabel "k-mers inserted\n "
set ylabel "k-mers found"
plot data using (inserted(is(1))):(100 * column("share_true")) \
         with lines linecolor rgb theory linewidth 5 title "true answer", \
     for [i=1:5] data using (inserted(is(i))):(100 * column("share_found")) \
         with linespoints linecolor rgb colour[i] linewidth 1.3 pointtype shape[i] pointsize 0.6 title names[i]
