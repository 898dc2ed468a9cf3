plot data using 3:4
