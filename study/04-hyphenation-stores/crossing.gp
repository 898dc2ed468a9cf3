# SPDX-License-Identifier: MIT
# The delay from which on each filter pays.
n = system("tail -n +2 '".data."' | wc -l") + 0
set title "A filter pays if a lookup takes longer by"
set xlabel "nanoseconds more than in memory"
set yrange [n + 0.5:0.5]
set lmargin 12
set grid xtics
unset key
set ytics scale 0
set arrow from 0, graph 0 to 0, graph 1 nohead linecolor rgb theory linewidth 1.5 dashtype 2
plot data using (column("crossing_ns")):($0 + 1):(column("crossing_low")):(column("crossing_high")):ytic(1) \
    with xerrorbars linecolor rgb colour[2] linewidth 1.6 pointtype 7 pointsize 0.8
