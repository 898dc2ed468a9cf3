# SPDX-License-Identifier: MIT
# Initialisation (quantity = "init") or all words ("total") against the rate of one filter, the hue-th, with the
# regression line of lines.csv.
is_row(f, q) = strcol("filter") eq f && strcol("quantity") eq q
stats folder."lines.csv" using (is_row(filter, quantity) ? column("intercept_ms") : NaN) name "A" nooutput
stats folder."lines.csv" using (is_row(filter, quantity) ? column("slope_ms_per_percent") : NaN) name "B" nooutput
stats folder."lines.csv" using (is_row(filter, quantity) ? column("slope_low") : NaN) name "L" nooutput
stats folder."lines.csv" using (is_row(filter, quantity) ? column("slope_high") : NaN) name "H" nooutput
set title (quantity eq "init" ? "Initialisation, " : "All words, ").filter." filter"
set xlabel "promised rate ε, per cent"
set ylabel "milliseconds"
set xrange [0:21]
set yrange [0:*]
set key bottom right
plot data using (strcol("filter") eq filter ? column("percent") + 0.3 : NaN):(column(quantity."_mean_ms")):(column(quantity."_mean_low")):(column(quantity."_mean_high")) \
         with yerrorbars linecolor rgb "#a0a0a0" linewidth 1 pointtype 6 pointsize 0.4 title "mean", \
     data using (strcol("filter") eq filter ? column("percent") : NaN):(column(quantity."_ms")):(column(quantity."_ms_low")):(column(quantity."_ms_high")) \
         with yerrorbars linecolor rgb colour[hue] linewidth 1.6 pointtype shape[hue] pointsize 0.6 title "median", \
     A_mean + B_mean * x with lines linecolor rgb theory linewidth 2 dashtype 2 \
         title sprintf("line: %+.4f ms per point [%+.4f, %+.4f]", B_mean, L_mean, H_mean)
