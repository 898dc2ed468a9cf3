# SPDX-License-Identifier: MIT
# Above: nanoseconds to reject an absent word. Below: bytes.
eval high(560)
n = system("tail -n +2 '".data."' | wc -l") + 0
set yrange [n + 0.5:0.5]
set lmargin 20
set grid xtics
unset key
set ytics scale 0
set multiplot layout 2, 1
set title "An absent word is rejected, ns"
set xrange [0:*]
plot data using (column("reject_ns")):($0 + 1):(column("reject_low")):(column("reject_high")):ytic(1) \
    with xerrorbars linecolor rgb colour[1] linewidth 1.6 pointtype 7 pointsize 0.8
set title "Memory, bytes"
set logscale x
set xrange [1000:200000]
set format x "%.0s%c"
plot data using (column("bytes")):($0 + 1):ytic(1) with points linecolor rgb colour[2] linewidth 1.6 pointtype 5 pointsize 0.8
unset multiplot
