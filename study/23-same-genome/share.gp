# SPDX-License-Identifier: MIT
# What a sample tells about the share of common k-mers, against its size.
eval high(400)
is(i) = strcol("other") eq "MG1655"
exact = system("awk -F, '$1 == \"MG1655\" {print $5; exit}' '".data."'")
set key right bottom
set title "Share of MG1655's k-mers that is in 536"
set logscale x
set xrange [70:45000]
set xtics ("100" 100, "1000" 1000, "10,000" 10000)
set yrange [(strlen(exact) ? exact - 0.13 : 0):(strlen(exact) ? exact + 0.13 : 1)]
set format y "%.2f"
set xlabel "k-mers drawn"
plot (strlen(exact) ? exact + 0 : NaN) with lines linecolor rgb theory linewidth 2 title "exact", \
     data using (is(1) ? column("n_sampled") : NaN):"estimate":"low":"high" \
         with yerrorbars linecolor rgb colour[2] linewidth 1.6 pointtype 7 pointsize 0.8 title "told, with its 95 % interval"
