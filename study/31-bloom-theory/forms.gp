# SPDX-License-Identifier: MIT
# Small filters: formulas over the measured rate.
eval high(530)
array forms[4] = ["limit_form", "one_bit_form", "finite_form", "exact_form"]
array names[4] = ["(1 - e^{-kn/m})^k", "(1 - (1 - 1/m)^{kn})^k", "finite-size form", "exact mean"]
is(p) = column("rate_wanted") == 0.01
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "Formula / measured, m/n = 9.6, k = 7"
set logscale x
set xrange [1.6:1300]
set xtics (2, 5, 10, 20, 50, 100, 300, 1000)
set yrange [0.5:2.5]
set xlabel "keys, n\n "
plot 1 with lines linecolor rgb theory linewidth 1.4 notitle, \
     for [i=1:4] data using (is(1) ? column("n") * 1.03**(i - 2) : NaN):(column(forms[i]) / column("rate")):(column(forms[i]) / column("rate_high")):(column(forms[i]) / column("rate_low")) \
         with yerrorlines linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.8 title names[i]
