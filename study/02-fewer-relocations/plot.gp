# SPDX-License-Identifier: MIT
# Above: entries thrown out, by share inserted, in the table with buckets of 4.
# Middle and below: the share of k-mers found, beside what an exact set answers, in that table and
# in one with buckets of 100 that is a tenth too small.
# Reads only `data`, writes `figure`; both are given by ninho-study.
set terminal svg size 500,1250 dynamic font "sans-serif,15" name "relocations" background "#ffffff"
set output figure
set datafile separator ","
set datafile columnheaders

array names[4] = ["seminar original", "seminar reduced", "ours random", "ours emptier"]
array colour[4] = ["#d55e00", "#2f86c9", "#b8860b", "#009e73"]
array shape[4] = [7, 5, 9, 13]
is(i) = strcol("filter") eq names[i]
fours = system("awk -F, '$4 == 4 {print $3; exit}' '".data."'")
hundreds = system("awk -F, '$1 == \"ours emptier\" && $2 == 20 && $4 == 100 && $18 > 0 && $3 > m {m = $3} END {print m}' '".data."'")
in_fours(i) = is(i) && column("b") == 4 && strcol("m") eq fours
in_hundreds(i) = is(i) && column("k") == 20 && column("b") == 100 && strcol("m") eq hundreds
inserted(yes) = yes ? 100 * column("share_inserted") : NaN
percent(name) = 100 * column(name)

set border 3
set tics nomirror
set grid ytics linewidth 0.5
set lmargin at screen 0.15
set rmargin at screen 0.97
set xrange [0:105]
set xtics 20
set format x "%.0f %%"
set multiplot

set tmargin at screen 0.96
set bmargin at screen 0.735
set title "Entries thrown out, ".fours." buckets of 4, k = 31"
set logscale y
set format y "%.0s%c"
set yrange [10:*]
set key left top Left reverse samplen 2
plot for [i=1:4] data using (inserted(in_fours(i) && column("moves") > 0)):"moves" \
    with linespoints linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title names[i]

unset logscale y
set yrange [0:105]
set ytics 20
set format y "%.0f %%"
set tmargin at screen 0.635
set bmargin at screen 0.41
set title "Found, ".fours." buckets of 4, k = 31"
plot data using (inserted(in_fours(1))):(percent("share_true")) \
         with lines linecolor rgb "#404040" linewidth 5 title "true answer", \
     for [i=1:4] data using (inserted(in_fours(i))):(percent("share_found")) \
         with linespoints linecolor rgb colour[i] linewidth 1.2 pointtype shape[i] pointsize 0.6 title names[i]

set tmargin at screen 0.31
set bmargin at screen 0.075
set title "Found, ".hundreds." buckets of 100, too few, k = 20"
set xlabel "share of the k-mers inserted"
plot data using (inserted(in_hundreds(1))):(percent("share_true")) \
         with lines linecolor rgb "#404040" linewidth 5 title "true answer", \
     for [i=1:4] data using (inserted(in_hundreds(i))):(percent("share_found")) \
         with linespoints linecolor rgb colour[i] linewidth 1.2 pointtype shape[i] pointsize 0.6 title names[i]
unset multiplot
