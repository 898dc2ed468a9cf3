# SPDX-License-Identifier: MIT
# Which way moves the fewest bytes: a panel for each width, a mark for each join.
eval high(760)
array way[3] = ["plain", "list", "filter"]
array hue[3] = [8, 1, 2]
low(a, b) = a < b ? a : b
# The least and the second least of three.
least(a, b, c) = low(a, low(b, c))
second(a, b, c) = a + b + c - least(a, b, c) - (-least(-a, -b, -c))
times(a, b, c) = second(a, b, c) / least(a, b, c)
number(r) = r < 1.095 ? "" : r < 9.95 ? sprintf("%.1f", r) : sprintf("%.0f", r)

# Shares are far from even: each has a line of its own.
stats data using "matching" nooutput
shares = ""
n_shares = 0
do for [i=0:STATS_records - 1] {
    stats data using "matching" every ::i::i nooutput
    share = sprintf("%g", STATS_min)
    known = 0
    do for [j=1:n_shares] { if (word(shares, j) eq share) { known = 1 } }
    if (!known) { shares = shares." ".share; n_shares = n_shares + 1 }
}
level(x) = (n = NaN, sum [j=1:n_shares] (word(shares, j) eq sprintf("%g", x) ? (n = j) : 0), n)

set multiplot
set lmargin at screen 0.2
set rmargin at screen 0.95
set logscale x
set xrange [10:*]
set yrange [0.5:n_shares + 0.8]
set format x "%.0s%c"
set ytics scale 0
set for [j=1:n_shares] ytics add (sprintf("%g %%%%", 100 * real(word(shares, j))) j)
set ylabel "rows that match" offset 1
do for [width in "8 256"] {
    here(i, name) = column("width") == real(width) && strcol(name) eq way[i]
    set title "Fewest bytes, rows of ".width." letters"
    set xlabel width eq "256" ? "keys" : "" offset 0,0.4
    top = width eq "8" ? 0.93 : 0.475
    set tmargin at screen top
    set bmargin at screen top - 0.34
    if (width eq "8") { unset key } else { set key horizontal center at screen 0.55, 0.03 }
    plot for [i=1:3] data using (here(i, "winner") ? column("n_keys") : NaN):(level(column("matching"))) \
             with points linecolor rgb colour[hue[i]] pointtype 7 pointsize 1.3 title way[i], \
         for [i=1:3] data using (here(i, "planned") && strcol("winner") ne way[i] ? column("n_keys") : NaN):(level(column("matching"))) \
             with points linecolor rgb colour[hue[i]] linewidth 2 pointtype 6 pointsize 2 notitle, \
         data using (column("width") == real(width) ? column("n_keys") : NaN):(level(column("matching"))):(number(times(column("plain"), column("list"), column("filter")))) \
             with labels offset 0,0.9 font ",12" notitle
}
unset multiplot
