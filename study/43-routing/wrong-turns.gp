# SPDX-License-Identifier: MIT
# Wrong turns for each request against the filters' rate.
eval high(480)
array network[4] = ["tree; bloom", "tree; bloom ORed", "tree; cuckoo", "squares; bloom"]
is(i) = strcol("network") eq network[i]
shown(name) = column(name) > 0 ? column(name) : NaN

set title "Wrong turns for each request"
set xlabel "rate of the links' filters, ε" offset 0,0.4
set logscale xy
set xrange [0.0008:0.4]
set xtics ("0.1 %%" 0.001, "1 %%" 0.01, "5 %%" 0.05, "10 %%" 0.1, "30 %%" 0.3)
set format y "10^{%L}"
set key below maxcols 2
plot data using (is(1) ? column("fpr") : NaN):"expected" with lines linecolor rgb theory linewidth 1.6 dashtype 2 title "ε × filters asked", \
     for [i=1:4] data using (is(i) ? column("fpr") : NaN):(shown("wrong_turns")):(column("wrong_turns_low") > 1e-7 ? column("wrong_turns_low") : 1e-7):"wrong_turns_high" \
         with yerrorlines linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.7 title network[i]
