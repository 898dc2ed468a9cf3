# SPDX-License-Identifier: MIT
# Nanoseconds for a word, one line for each way, cheapest store first.
set terminal svg size 500,640 dynamic font "sans-serif,14" background "#ffffff"
n = system("tail -n +2 '".data."' | wc -l") + 0
set title "Nanoseconds for a word"
set yrange [n + 0.5:0.5] # the first on top
set xrange [0:*]
set lmargin 20
set rmargin 3
set grid xtics
set xtics 50
unset key
hue(name) = strstrt(name, "LMDB") ? 2 : strstrt(name, "memory") ? 1 : 3
set ytics scale 0
plot data using (column("word_ns")):($0 + 1):(column("word_ns_low")):(column("word_ns_high")):ytic(1) \
         with xerrorbars linecolor rgb theory linewidth 1.4 pointtype 7 pointsize 0.1, \
     for [h=1:3] data using (hue(strcol("way")) == h ? column("word_ns") : NaN):($0 + 1) \
         with points linecolor rgb colour[h] pointtype shape[h] pointsize 0.8
