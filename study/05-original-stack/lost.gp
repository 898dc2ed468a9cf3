# SPDX-License-Identifier: MIT
# Share of the exceptions among the words that are lost.
eval high(480)
set title "Exceptions lost, per cent"
set xlabel "promised rate ε, per cent"
set xrange [0:21]
set yrange [-3:105]
set bmargin at screen 0.36
set ytics 0, 20, 100
set key at screen 0.96, screen 0.02 right bottom maxrows 3 samplen 1.5 font ",13"
is(s, f, m) = strcol("stack") eq s && strcol("filter") eq f && (s eq "ninho" || strcol("manner") eq m)
array stacks[6] = ["npm", "npm", "npm", "npm", "ninho", "ninho"]
array filters[6] = ["bloom", "bloom", "cuckoo", "cuckoo", "bloom", "cuckoo"]
array manners[6] = ["published", "right", "published", "right", "", ""]
plot for [i=1:6] data using (is(stacks[i], filters[i], manners[i]) ? column("percent") : NaN):(100 * column("n_lost") / column("n_present")) \
    with linespoints linecolor rgb colour[i] linewidth 1.4 pointtype shape[i] pointsize 0.8 title stacks[i]." ".filters[i]." ".manners[i]
