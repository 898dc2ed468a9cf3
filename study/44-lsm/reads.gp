# SPDX-License-Identifier: MIT
# Blocks read for each absent get against the bits that the filters take.
eval high(520)
array family[5] = ["built-in", "bloom", "cuckoo", "blocked", "fuse"]
is(i) = strcol("filter") eq family[i]
shown(i, by_bits) = is(i) && (column("asked_bits") > 0) == by_bits && column("absent_reads") > 0 ? column("filter_bits") : NaN

set title "Blocks read for each absent get"
set xlabel "bits of filters for each key" offset 0,0.4
set logscale y
set xrange [4:36]
set yrange [1e-5:0.2]
set ytics ("0.001 %%" 1e-5, "0.01 %%" 1e-4, "0.1 %%" 1e-3, "1 %%" 1e-2, "10 %%" 0.1)
set key below Left reverse maxcols 2 width -3
plot 0.6185**x with lines linecolor rgb theory linewidth 1.6 dashtype 2 title "Bloom by the book", \
     for [i=1:5] data using (shown(i, 1)):"absent_reads" \
         with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.8 title family[i], \
     for [i=2:5] data using (shown(i, 0)):"absent_reads" \
         with points linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.8 notitle
