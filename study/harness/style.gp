# SPDX-License-Identifier: MIT
# What all figures share; ninho-study runs it before the script of each. A script may set any of it
# again. The report puts figures into its own paper and ink: black, white and greys follow the reader's
# light or dark page, the colours below are legible on both.
#
# The page is narrow: figures are 500 wide, and as high as they need: `eval high(700)`. Font sizes below
# 12 cannot be read on a telephone.
high(h) = sprintf('set terminal svg size 500,%d dynamic font "sans-serif,15" background "#ffffff"', h)
eval high(360)
set output figure
set encoding utf8
set datafile separator ","
set datafile columnheaders
set datafile missing "nan"
set border 3
set tics nomirror
set grid ytics linewidth 0.5 linecolor rgb "#c0c0c0"
set key samplen 2 spacing 1.1

array colour[14] = ["#d55e00", "#2f86c9", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#8c6bb1", "#7f7f7f", "#7a4fb5", "#b5762a", "#2a8f8f", "#a02060", "#5a7d1f", "#3b5bdb"]
array shape[14] = [7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14, 7, 5]
theory = "#808080"
