# SPDX-License-Identifier: MIT
# False positive rate against l.
eval high(420)
n = system("awk -F, 'NR == 2 {print $2}' '".data."'") + 0
set key right top
set title "Rate with ".sprintf("%d", n)." keys stored"
set logscale y
set format y "10^{%L}"
set yrange [1e-7:3]
set xrange [7:33]
set xlabel "l, bits"
plot 2**-x with lines linecolor rgb colour[1] linewidth 1.6 dashtype 2 title "claimed: 2^{-l}", \
     data using "l":"theory" with lines linecolor rgb theory linewidth 1.6 title "1 - (1 - 2^{-l})^n", \
     data using (column("rate") > 0 ? column("l") : NaN):"rate":"rate_low":"rate_high" \
         with yerrorbars linecolor rgb colour[2] linewidth 1.6 pointtype 7 pointsize 0.8 title "measured"
