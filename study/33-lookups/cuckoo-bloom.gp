# SPDX-License-Identifier: MIT
# Time of one lookup, half of the keys there: Bloom and cuckoo at equal rates.
eval high(510)
array names[3] = ["bloom", "cuckoo original", "cuckoo"]
is(i) = column("tag_bits") > 0 && strcol("kind") eq names[i]
mean(a, b) = (column(a) + column(b)) / 2
set datafile missing NaN # lines go on across the rows of others
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Lookup, half of the keys there"
set logscale x
set xrange [0.06:0.00005]
set xtics ("3 %%" 0.03, "1 %%" 0.01, "0.1 %%" 0.001, "10^{-4}" 1e-4)
set yrange [0:*]
set xlabel "rate, ε\n "
set ylabel "ns"
plot for [i=1:3] data using (is(i) ? column("rate") : NaN):(mean("miss_ns", "hit_ns")):(mean("miss_ns_low", "hit_ns_low")):(mean("miss_ns_high", "hit_ns_high")) \
         with yerrorlines linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.8 title names[i].", one call", \
     for [i=1:3] data using (is(i) ? column("rate") : NaN):(mean("miss_many_ns", "hit_many_ns")):(mean("miss_many_ns_low", "hit_many_ns_low")):(mean("miss_many_ns_high", "hit_many_ns_high")) \
         with yerrorlines linecolor rgb colour[i] linewidth 1.4 dashtype 2 pointtype shape[i] pointsize 0.8 title names[i].", batch"
