# SPDX-License-Identifier: MIT
# Nanoseconds for a word against the rate, for each stack.
eval high(520)
set title "Nanoseconds for a word"
set xlabel "promised rate ε, per cent"
set logscale y
set yrange [20:100000]
set bmargin at screen 0.4
set xrange [0:21]
set key at screen 0.96, screen 0.02 right bottom maxrows 4 samplen 1.5 font ",13"
is(s, f, m) = strcol("stack") eq s && strcol("filter") eq f && (s eq "ninho" || strcol("manner") eq m)
array stacks[6] = ["npm", "npm", "npm", "npm", "ninho", "ninho"]
array filters[6] = ["bloom", "bloom", "cuckoo", "cuckoo", "bloom", "cuckoo"]
array manners[6] = ["published", "right", "published", "right", "", ""]
stats data using (strcol("stack") eq "npm" && strcol("filter") eq "none" ? column("word_ns") : NaN) name "N" nooutput
stats data using (strcol("stack") eq "ninho" && strcol("filter") eq "none" ? column("word_ns") : NaN) name "O" nooutput
plot for [i=1:6] data using (is(stacks[i], filters[i], manners[i]) ? column("percent") + 0.15 * (i - 3) : NaN):"word_ns":"word_ns_low":"word_ns_high" \
         with yerrorbars linecolor rgb colour[i] linewidth 1.6 pointtype shape[i] pointsize 0.8 title stacks[i]." ".filters[i]." ".manners[i], \
     N_mean with lines linecolor rgb theory linewidth 1.6 dashtype 2 title "npm, no filter", \
     O_mean with lines linecolor rgb theory linewidth 1.6 dashtype 3 title "ninho, no filter"
