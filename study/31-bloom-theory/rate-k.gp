# SPDX-License-Identifier: MIT
# Rate against k for several m/n.
eval high(560)
array bits[7] = [2, 4, 6, 8, 10, 12, 16]
is(i) = column("bits_per_key") == bits[i]
rate(k, c) = (1 - exp(-k / c))**k
set key outside bottom center horizontal maxcols 4 samplen 1.5
set title "Rate against k"
set logscale y
set format y "10^{%L}"
set yrange [2e-4:1.2]
set xrange [0:17]
set xtics 2
set xlabel "k\n "
plot for [i=1:7] rate(x, bits[i]) with lines linecolor rgb colour[i] linewidth 1 notitle, \
     [1:14] 0.5**x with lines linecolor rgb theory linewidth 2 dashtype 2 title "k = ln 2 · m/n", \
     for [i=1:7] data using (is(i) ? column("k") : NaN):"rate":"rate_low":"rate_high" \
         with yerrorbars linecolor rgb colour[i] linewidth 1.2 pointtype shape[i] pointsize 0.6 title sprintf("m/n %d", bits[i])
