# SPDX-License-Identifier: MIT
# Steps of an insertion into a growing cuckoo table.
set title "Steps of an insertion, growing included"
set xlabel "keys"
set ylabel "entries placed or moved, per key"
set format x "2^{%.0f}"
set yrange [0:8]
set key top right
stats data using "log2_n":"steps_per_key" name "W" nooutput
plot data using "log2_n":"steps_per_key" with points linecolor rgb colour[5] pointtype shape[5] pointsize 0.7 title "placed or moved", \
     data using "log2_n":"moves_per_key" with points linecolor rgb colour[2] pointtype shape[2] pointsize 0.6 title "of these moved by others", \
     W_intercept + W_slope * x with lines linecolor rgb theory linewidth 2 dashtype 2 title sprintf("line: %+.4f for each doubling", W_slope)
