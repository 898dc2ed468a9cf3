# SPDX-License-Identifier: MIT
# Above: initialisation with each filter. Below: building the filter alone.
eval high(680)
array names[3] = ["bloom", "cuckoo", "cuckoo (ninho)"]
is(i) = strcol("filter") eq names[i]
set multiplot layout 2, 1
set xrange [0:21]
set yrange [0:*]
set title "Initialisation"
set ylabel "milliseconds"
set key bottom right
plot for [i=1:3] data using (is(i) ? column("percent") + 0.2 * (i - 2) : NaN):"init_ms":"init_ms_low":"init_ms_high" \
    with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i]
set title "Of which the filter"
set ylabel "microseconds"
set xlabel "promised rate ε, per cent"
set key top right
set yrange [0:140]
plot for [i=1:3] data using (is(i) ? column("percent") + 0.2 * (i - 2) : NaN):"filter_us":"filter_us_low":"filter_us_high" \
    with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.6 title names[i]
unset multiplot
