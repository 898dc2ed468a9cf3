# SPDX-License-Identifier: MIT
# Share of the keys that collide, against l.
eval high(420)
n = system("awk -F, 'NR == 2 {print $2}' '".data."'") + 0
bits = log(n) / log(2)
set key right top
set title "Keys that share their compressed key"
set yrange [-3:108]
set ytics 20
set format y "%.0f %%"
set xrange [7:41]
set xlabel "l, bits"
set arrow from bits, graph 0.45 to bits, graph 0 linecolor rgb theory linewidth 1.4
set label "log_2 n" at bits - 0.4, graph 0.3 right
plot data using "l":(100 * column("collided_theory")) with lines linecolor rgb theory linewidth 1.6 title "theory", \
     data using "l":(100 * column("collided")):(100 * column("collided_low")):(100 * column("collided_high")) \
         with yerrorbars linecolor rgb colour[2] linewidth 1.6 pointtype 7 pointsize 0.8 title "measured"
