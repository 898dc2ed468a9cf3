# SPDX-License-Identifier: MIT
# Lookups in vain, counted, beside theory.
array names[3] = ["bloom", "cuckoo", "cuckoo (ninho)"]
is(i) = strcol("filter") eq names[i]
set title "Lookups in vain"
set ylabel "thousands"
set xlabel "promised rate ε, per cent"
set xrange [0:21]
set yrange [0:*]
set offsets graph 0, 0, 0.15, 0
set key top left Left reverse
plot for [i=1:3] data using (is(i) ? column("percent") : NaN):(column("n_false_theory") / 1000) \
         with lines linecolor rgb colour[i] linewidth 1.2 dashtype 2 title (i == 1 ? "theory" : ""), \
     for [i=1:3] data using (is(i) ? column("percent") : NaN):(column("n_false") / 1000):(column("n_false_low") / 1000):(column("n_false_high") / 1000) \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i]
