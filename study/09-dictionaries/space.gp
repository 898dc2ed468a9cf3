# SPDX-License-Identifier: MIT
# Bits of a set beyond n log2(u/n), for each key.
array bits[3] = [24, 32, 64]
set title "log_2 C(u, n) less n·log_2(u/n), bits per key"
set xlabel "keys"
set format x "2^{%.0f}"
set yrange [0:1.6]
set key bottom right
plot for [i=1:3] data using (column("log2_u") == bits[i] ? column("log2_n") : NaN):"rest_per_key" \
         with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title sprintf("u = 2^{%d}", bits[i]), \
     1 / log(2) with lines linecolor rgb theory linewidth 2 dashtype 2 title "log_2 e"
