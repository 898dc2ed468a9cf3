# SPDX-License-Identifier: MIT
# Time of an absent get against the blocks read for it.
eval high(520)
array family[6] = ["built-in", "bloom", "cuckoo", "blocked", "fuse", "none"]
is(i) = strcol("filter") eq family[i]
at(x) = column(x) > 1e-5 ? column(x) : 1e-5

set title "Time of one absent get"
set xlabel "blocks read for each absent get" offset 0,0.4
set ylabel "µs"
set logscale x
set xrange [7e-6:1.5]
set yrange [0:*]
set xtics ("0.001 %%" 1e-5, "0.01 %%" 1e-4, "0.1 %%" 1e-3, "1 %%" 1e-2, "10 %%" 0.1, "100 %%" 1)
set key below maxcols 2
plot for [i=1:6] data using (is(i) ? at("absent_reads") : NaN):"absent_us":"absent_us_low":"absent_us_high" \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.8 title family[i]
