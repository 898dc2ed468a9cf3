# SPDX-License-Identifier: MIT
# Load at the first rehash, by bucket size, functions and stash.
set title "Load at the first rehash"
set xlabel "slots of a bucket"
set xrange [0.5:4.5]
set xtics ("1" 1, "2" 2, "4" 3, "8" 4)
set yrange [0:1.05]
set key bottom right Left reverse
place(b) = 1 + log(b) / log(2)
at(d, s) = column("d") == d && column("stash") == s ? place(column("b")) + 0.12 * (d - 3) + (s ? 0.05 : 0) : NaN
plot for [d=2:4] data using (at(d, 0)):"first_rehash":"first_rehash_low":"first_rehash_high" \
         with yerrorbars linecolor rgb colour[d - 1] linewidth 1.6 pointtype 7 pointsize 0.7 title sprintf("%d functions", d), \
     for [d=2:4] data using (at(d, 4)):"first_rehash":"first_rehash_low":"first_rehash_high" \
         with yerrorbars linecolor rgb colour[d - 1] linewidth 1.6 pointtype 6 pointsize 0.7 title sprintf("%d, stash of 4", d)
