# SPDX-License-Identifier: MIT
# How often a sample shows a difference, against its size, beside theory.
eval high(510)
others = system("tail -n +2 '".data."' | cut -d, -f1 | awk '!seen[$0]++ {gsub(/ /, \"_\"); print}'")
n = words(others)
name(i) = system("echo '".word(others, i)."' | tr _ ' '")
array names[8]
do for [i=1:n] { names[i] = name(i) }
is(i) = strcol("other") eq names[i]
set key outside bottom center horizontal maxcols 2 samplen 1.5
set title "A sample shows that the genomes differ"
set logscale x
set xrange [70:45000]
set xtics ("100" 100, "1000" 1000, "10,000" 10000)
set yrange [-3:103]
set ytics 20
set format y "%.0f %%"
set xlabel "k-mers drawn\n "
plot for [i=1:n] data using (is(i) ? column("n_sampled") : NaN):(100 * column("detected_theory")) \
         with lines linecolor rgb theory linewidth 1.5 dashtype 2 title (i == n ? "theory" : ""), \
     for [i=1:n] data using (is(i) ? column("n_sampled") : NaN):(100 * column("detected")):(100 * column("detected_low")):(100 * column("detected_high")) \
         with yerrorbars linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.8 title names[i]
