# SPDX-License-Identifier: MIT
# Total time against the delay of a lookup: lines computed, points from a sample.
eval high(460)
array names[6] = ["no filter", "bloom 20 %", "bloom 1 %", "cuckoo 1 %", "blocked 1 %", "fuse 1 %"]
is(i) = strcol("filter") eq names[i]
set title "Seconds for all words, computed"
set xlabel "a lookup takes longer by, µs"
set logscale xy
set xrange [0.25:1500]
set xtics ("0" 0.3, "1" 1, "10" 10, "100" 100, "1000" 1000)
set format y "%g"
set key top left Left reverse
at(d) = d > 0 ? d : 0.3
plot for [i=1:6] data using (is(i) ? at(column("delay_us")) : NaN):"ideal_s" \
         with lines linecolor rgb colour[i] linewidth 1.6 title names[i], \
     for [i=1:6] data using (is(i) ? at(column("delay_us")) : NaN):"total_s":"total_s_low":"total_s_high" \
         with yerrorbars linecolor rgb colour[i] linewidth 1.2 pointtype shape[i] pointsize 0.6 title ""
