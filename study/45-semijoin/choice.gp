# SPDX-License-Identifier: MIT
# What the helper moves over the better of filter and list.
eval high(400)
array helper[2] = ["asking", "helper"]
array titles[2] = ["it has to ask for the sizes", "it knows them"]
low(a, b) = a < b ? a : b

set title "ninho\\_semijoin / the better of filter and list"
set xlabel "keys" offset 0,0.4
set logscale x
set format x "%.0s%c"
set xrange [10:*]
set yrange [0.9:1.3<*]
set key below
plot 1.1 with lines linecolor rgb theory linewidth 1.6 dashtype 2 title "1.1", \
     1 with lines linecolor rgb theory linewidth 1 notitle, \
     for [i=1:2] data using (column("n_keys") * (i == 1 ? 0.94 : 1.06)):(column(helper[i]) / low(column("list"), column("filter"))) \
         with points linecolor rgb colour[3 - i] linewidth 1.6 pointtype shape[i] pointsize 0.8 title titles[i]
