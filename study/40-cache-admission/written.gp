# SPDX-License-Identifier: MIT
# Bytes written for each byte asked for, against the size of the cache.
eval high(460)
array policy[5] = ["no filter", "exact", "bloom 10 %", "bloom 1 %", "cuckoo 1 %"]
is(i) = strcol("policy") eq policy[i]

set title "Bytes written for each byte asked for"
set xlabel "size of the cache, share of all objects' bytes" offset 0,0.4
set logscale x
set xrange [0.0045:0.9]
set xtics ("0.5 %%" 0.005, "2 %%" 0.02, "5 %%" 0.05, "20 %%" 0.2, "80 %%" 0.8)
set yrange [0:*]
set key below maxcols 3
plot for [i=1:5] data using (is(i) ? column("cache_share") : NaN):"written":"written_low":"written_high" \
         with yerrorlines linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title policy[i]
