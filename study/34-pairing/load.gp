# SPDX-License-Identifier: MIT
# Load at the first failure against the number of buckets.
eval high(540)
array bits[4] = [8, 12, 16, 32]
array open_shape[4] = [6, 4, 8, 12]
is(i, p) = column("tag_bits") == bits[i] && strcol("pairing") eq p
set datafile missing NaN # lines go on across the rows of others
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Load at the first failure"
set logscale x 2
set format x "2^{%L}"
set yrange [*:1]
set xlabel "buckets of 4\n "
plot for [i=1:4] data using (is(i, "hashed") ? column("n_buckets") * 1.06**(i - 2) : NaN):"load":"load_low":"load_high" \
         with yerrorlines linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.7 title sprintf("h(f), %d bits", bits[i]), \
     for [i=1:4] data using (is(i, "raw") ? column("n_buckets") * 1.06**(i - 2) : NaN):"load":"load_low":"load_high" \
         with yerrorlines linecolor rgb colour[i] linewidth 1.4 dashtype 2 pointtype open_shape[i] pointsize 0.7 title sprintf("f, %d bits", bits[i])
