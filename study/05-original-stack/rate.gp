# SPDX-License-Identifier: MIT
# False positive rate measured against the rate asked for.
eval high(400)
set title "False positives, per cent"
set xlabel "promised rate ε, per cent"
set xrange [0:21]
set yrange [0:*]
set key top left Left reverse
is(s, f) = strcol("stack") eq s && strcol("filter") eq f && (s eq "ninho" || strcol("manner") eq "right")
array stacks[4] = ["npm", "npm", "ninho", "ninho"]
array filters[4] = ["bloom", "cuckoo", "bloom", "cuckoo"]
array hues[4] = [2, 4, 5, 6]
plot x with lines linecolor rgb theory linewidth 1.6 dashtype 2 title "promise", \
     for [i=1:4] data using (is(stacks[i], filters[i]) ? column("percent") : NaN):(100 * column("n_false") / column("n_absent")) \
         with linespoints linecolor rgb colour[hues[i]] linewidth 1.4 pointtype shape[hues[i]] pointsize 0.8 title stacks[i]." ".filters[i]
