# SPDX-License-Identifier: MIT
# Bits per key for 1 %, by the kind of keys.
eval high(330)
set lmargin at screen 0.56
set title "Bits per key for 1 %"
set xrange [9.4:9.8]
set xtics 0.2
set yrange [-0.7:*]
set offsets 0, 0, 0.7, 0
set grid noytics xtics
set xlabel "bits per key"
unset key
set arrow from 9.6, graph 0 to 9.6, graph 1 nohead linecolor rgb theory linewidth 1.4 dashtype 2
plot data using "bits":0:"bits_low":"bits_high":ytic(stringcolumn("keys")) \
    with xerrorbars linecolor rgb colour[2] linewidth 1.6 pointtype 7 pointsize 0.8
