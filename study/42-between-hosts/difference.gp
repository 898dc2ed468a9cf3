# SPDX-License-Identifier: MIT
# Bytes on the wire against the size of the difference, for each method.
eval high(500)
array method[5] = ["list", "bloom", "bloom alone", "sketch", "auto"]
is(i) = strcol("method") eq method[i]

set title "Bytes to find the difference of two sets"
set xlabel "lines that are in one set only" offset 0,0.4
set logscale xy
set format x "%.0s%c"
set format y "%.0s%cB"
set yrange [*:*]
set key below maxcols 3
plot data using (is(1) ? column("difference") : NaN):"bytes_of_missing_lines" \
         with lines linecolor rgb theory linewidth 1.6 dashtype 2 title "missing lines", \
     for [i=1:4] data using (is(i) ? column("difference") : NaN):"bytes":"bytes_low":"bytes_high" \
         with yerrorlines linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title method[i], \
     data using (is(5) ? column("difference") : NaN):"bytes" \
         with points linecolor rgb "#404040" linewidth 1.6 pointtype 6 pointsize 1.6 title method[5]
