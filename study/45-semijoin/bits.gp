# SPDX-License-Identifier: MIT
# Bytes moved against the bits of the filter.
eval high(520)
array kind[3] = ["blocked", "cuckoo", "fuse"]
array hue[3] = [4, 3, 5]
is(i) = strcol("way") eq "filter" && strcol("kind") eq kind[i]
stats data using (strcol("way") eq "plain" ? column("bytes") : NaN) nooutput
plain = STATS_max
stats data using (strcol("way") eq "list" ? column("bytes") : NaN) nooutput
list = STATS_max
stats data using (strcol("way") eq "helper" ? column("bytes") : NaN) nooutput
helper = STATS_max

set title "Bytes moved, by the filter"
set xlabel "bits of the filter for each key" offset 0,0.4
set logscale y
set format y "%.0s %cB"
set xrange [0:40]
set yrange [*:*]
set key below maxcols 3
plot plain with lines linecolor rgb theory linewidth 1.6 dashtype 2 title "plain", \
     list with lines linecolor rgb colour[1] linewidth 1.6 dashtype 2 title "list", \
     helper with lines linecolor rgb colour[2] linewidth 1.6 dashtype 4 title "helper", \
     for [i=1:3] data using (is(i) ? column("bits_per_key") : NaN):"bytes":"bytes_low":"bytes_high" \
         with yerrorlines linecolor rgb colour[hue[i]] linewidth 1.6 pointtype shape[hue[i]] pointsize 0.8 title kind[i]
