# SPDX-License-Identifier: MIT
# Bytes on the wire against the number of lines in common.
eval high(400)
set title "Bytes to find what two sets have in common"
set xlabel "lines in common" offset 0,0.4
set format x "%.0s%c"
set format y "%.0s%cB"
set logscale y
set yrange [*:*]
set key below
plot data using "in_common":"bytes_of_list" with lines linecolor rgb theory linewidth 1.6 dashtype 2 title "the whole list", \
     data using "in_common":"bytes":"bytes_low":"bytes_high" \
         with yerrorlines linecolor rgb colour[2] linewidth 1.6 pointtype 7 pointsize 0.8 title "a filter, then candidates"
