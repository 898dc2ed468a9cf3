# SPDX-License-Identifier: MIT
# Mean distance between the two places of a key, as a share of the table.
eval high(540)
array bits[4] = [8, 12, 16, 32]
array open_shape[4] = [6, 4, 8, 12]
is(i, p) = column("tag_bits") == bits[i] && strcol("pairing") eq p
set datafile missing NaN # lines go on across the rows of others
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Distance of the two places / buckets"
set logscale x 2
set format x "2^{%L}"
set logscale y
set format y "10^{%L}"
set yrange [*:1]
set xlabel "buckets of 4\n "
plot 1./3 with lines linecolor rgb theory linewidth 1.4 title "at random: 1/3", \
     for [i=1:4] data using (is(i, "hashed") ? column("n_buckets") : NaN):"distance" \
         with linespoints linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.7 title sprintf("h(f), %d bits", bits[i]), \
     for [i=1:4] data using (is(i, "raw") ? column("n_buckets") : NaN):"distance" \
         with linespoints linecolor rgb colour[i] linewidth 1.4 dashtype 2 pointtype open_shape[i] pointsize 0.7 title sprintf("f, %d bits", bits[i])
