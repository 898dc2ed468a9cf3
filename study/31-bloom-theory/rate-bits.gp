# SPDX-License-Identifier: MIT
# Rate against bits per key, for k = 1 to 16 and for the best k.
eval high(560)
array chosen[6] = [1, 2, 4, 7, 11, 16]
is(i) = column("k") == chosen[i]
rate(k, c) = (1 - exp(-k / c))**k
set key outside bottom center horizontal maxcols 4 samplen 1.5
set title "Rate against bits per key"
set logscale y
set format y "10^{%L}"
set yrange [4e-5:1.2]
set xrange [1:21]
set xtics 4
set xlabel "bits per key, m/n\n "
plot for [k=1:16] rate(k, x) with lines linecolor rgb "#c0c0c0" linewidth 0.7 notitle, \
     for [i=1:6] rate(chosen[i], x) with lines linecolor rgb colour[i] linewidth 1 notitle, \
     0.6185**x with lines linecolor rgb theory linewidth 3 dashtype 2 title "best k", \
     for [i=1:6] data using (is(i) && column("rate") > 0 ? column("bits_per_key") : NaN):"rate":"rate_low":"rate_high" \
         with yerrorbars linecolor rgb colour[i] linewidth 1.2 pointtype shape[i] pointsize 0.6 title sprintf("k %d", chosen[i])
