# SPDX-License-Identifier: MIT
# States missed against memory, measured and expected, for each way to remember them.
eval high(560)
array method[5] = ["bloom k = 3", "bloom best k", "compact", "cuckoo", "quotient"]
is(i) = strcol("method") eq method[i]
shown(name) = column(name) > 0 ? column(name) : NaN

set title "States that the search misses"
set xlabel "bits of memory for each state" offset 0,0.4
set logscale xy
set xrange [3.7:70]
set xtics (4, 6, 8, 12, 16, 24, 32, 48, 64)
set yrange [3e-7:1.5]
set ytics ("100 %%" 1, "10 %%" 0.1, "1 %%" 0.01, "0.1 %%" 1e-3, "10^{-4}" 1e-4, "10^{-5}" 1e-5, "10^{-6}" 1e-6)
set key below maxcols 2
plot for [i=1:5] data using (is(i) ? column("bits_per_state") : NaN):(shown("theory")) \
         with lines linecolor rgb colour[i] linewidth 1 dashtype 2 title "", \
     for [i=1:5] data using (is(i) ? column("bits_per_state") : NaN):(shown("missed")):(column("missed_low") > 1e-9 ? column("missed_low") : 1e-9):"missed_high" \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title method[i], \
     NaN with lines linecolor rgb theory dashtype 2 title "expected"
