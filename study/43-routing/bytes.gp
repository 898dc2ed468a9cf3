# SPDX-License-Identifier: MIT
# Bytes of filters for each link, sized and ORed.
eval high(420)
array network[3] = ["tree; bloom", "tree; bloom ORed", "tree; cuckoo"]
is(i) = strcol("network") eq network[i]

set title "Bytes of filters for each link"
set xlabel "rate of the links' filters, ε" offset 0,0.4
set logscale xy
set xrange [0.0008:0.4]
set xtics ("0.1 %%" 0.001, "1 %%" 0.01, "5 %%" 0.05, "10 %%" 0.1, "30 %%" 0.3)
set format y "%.0s%cB"
set key below maxcols 2
plot for [i=1:3] data using (is(i) ? column("fpr") : NaN):"bytes_per_link" \
         with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title network[i]
