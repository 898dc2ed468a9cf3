# SPDX-License-Identifier: MIT
# Time of one lookup, every kind, at 1 %.
eval high(640)
array times[4] = ["miss_ns", "hit_ns", "miss_many_ns", "hit_many_ns"]
array names[4] = ["absent", "there", "absent, batch", "there, batch"]
kinds = 8
set lmargin at screen 0.27
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Time of one lookup, ε = 1 %"
set xrange [0:*]
set yrange [kinds + 0.6:0.4]
set grid noytics xtics
set xlabel "ns\n "
at(i) = column("tag_bits") == 0 ? $0 + 1 + 0.17 * (i - 2.5) : NaN
set ytics ("bloom" 1, "blocked" 2, "counting" 3, "cuckoo" 4, "cuckoo original" 5, "quotient" 6, "fuse" 7, "compact" 8)
plot for [i=1:4] data using (column(times[i])):(at(i)):(column(times[i]."_low")):(column(times[i]."_high")) \
    with xerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title names[i]
