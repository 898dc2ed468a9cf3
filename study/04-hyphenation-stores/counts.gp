# SPDX-License-Identifier: MIT
# Lookups in vain of each family, counted, beside theory.
eval high(520)
kinds = system("tail -n +2 '".data."' | cut -d, -f1 | awk '!seen[$0]++'")
n = words(kinds)
is(i) = strcol("filter") eq word(kinds, i)
set title "Lookups in vain, per cent of the absent words"
set xlabel "promised rate ε, per cent"
set logscale xy
set xrange [0.8:25]
set xtics (1, 2, 5, 10, 20)
set format y "%g"
set key top left Left reverse maxrows 5 samplen 1.5 width 1
set yrange [0.2:200]
percent(name) = 100 * column(name) / column("n_absent")
plot x with lines linecolor rgb theory linewidth 2 dashtype 3 title "promise", \
     for [i=1:n] data using (is(i) ? column("percent") : NaN):(percent("n_false_theory")) \
         with lines linecolor rgb colour[i] linewidth 1.2 dashtype 2 title "", \
     for [i=1:n] data using (is(i) ? column("percent") : NaN):(percent("n_false")):(percent("n_false_low")):(percent("n_false_high")) \
         with yerrorbars linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.7 title word(kinds, i)
