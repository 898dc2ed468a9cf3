# SPDX-License-Identifier: MIT
# All words against the rate of the bloom filter, with the regression line of lines.csv.
is_row(f, q) = strcol("filter") eq f && strcol("quantity") eq q
stats folder."lines.csv" using (is_row("bloom", "total") ? column("intercept_ms") : NaN) name "A" nooutput
stats folder."lines.csv" using (is_row("bloom", "total") ? column("slope_ms_per_percent") : NaN) name "B" nooutput
stats folder."lines.csv" using (is_row("bloom", "total") ? column("slope_low") : NaN) name "L" nooutput
stats folder."lines.csv" using (is_row("bloom", "total") ? column("slope_high") : NaN) name "H" nooutput
set title "All words, bloom filter"
set xlabel "promised rate ε, per cent"
set ylabel "milliseconds"
set xrange [0:21]
set yrange [0:*]
set key bottom right
plot data using (strcol("filter") eq "bloom" ? column("percent") + 0.3 : NaN):"total_mean_ms":"total_mean_low":"total_mean_high" \
         with yerrorbars linecolor rgb "#a0a0a0" linewidth 1 pointtype 6 pointsize 0.4 title "mean", \
     data using (strcol("filter") eq "bloom" ? column("percent") : NaN):"total_ms":"total_ms_low":"total_ms_high" \
         with yerrorbars linecolor rgb colour[1] linewidth 1.6 pointtype shape[1] pointsize 0.6 title "median", \
     A_mean + B_mean * x with lines linecolor rgb theory linewidth 2 dashtype 2 \
         title sprintf("line: %+.4f ms per point [%+.4f, %+.4f]", B_mean, L_mean, H_mean)
