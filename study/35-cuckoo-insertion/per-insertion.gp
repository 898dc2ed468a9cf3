# SPDX-License-Identifier: MIT
# One quantity per insertion, "moves" or "ns", against the number of slots.
eval high(510)
array names[3] = ["original", "emptier", "windows bfs"]
is(i, l) = strcol("way") eq names[i] && column("load") == l
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title (quantity eq "ns" ? "Time" : "Moves")." per insertion"
set logscale x 2
set format x "2^{%L}"
set yrange [0:*]
set xlabel "slots\n "
set ylabel quantity
plot for [i=1:3] data using (is(i, 0.95) ? column("n_slots") : NaN):(column(quantity)):(column(quantity."_low")):(column(quantity."_high")) \
         with yerrorlines linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.7 title names[i].", to 95 %", \
     for [i=1:3] data using (is(i, 0.9) ? column("n_slots") : NaN):(column(quantity)):(column(quantity."_low")):(column(quantity."_high")) \
         with yerrorlines linecolor rgb colour[i] linewidth 1.4 dashtype 2 pointtype shape[i] pointsize 0.7 title names[i].", to 90 %"
