# SPDX-License-Identifier: MIT
# Rate against n for several m, at the best whole k.
eval high(510)
array powers[3] = [12, 16, 20]
is(i) = column("m") == 2**powers[i]
set key outside bottom center horizontal samplen 1.5
set title "Rate against n at the best k"
set logscale xy
set format "10^{%L}"
set yrange [5e-6:1.2]
set xrange [100:2e6]
set xlabel "keys, n\n "
plot for [i=1:3] data using (is(i) ? column("n") : NaN):"limit_form" \
         with lines linecolor rgb theory linewidth 1.4 title (i == 3 ? "theory" : ""), \
     for [i=1:3] data using (is(i) && column("rate") > 0 ? column("n") : NaN):"rate":"rate_low":"rate_high" \
         with yerrorbars linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.8 title sprintf("m = 2^{%d}", powers[i])
