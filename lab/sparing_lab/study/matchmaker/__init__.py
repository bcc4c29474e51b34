"""The experiments of matchmaker, section 4: Figures 8 to 13, and the failures of its algorithm as printed.

`grid` declares the experiments; `sample` draws a network with publishers, subscribers and trees, and `measure` marks
the links of many such. `results` has statistics of the rows, `printed` compares them with the paper's numbers, and
`figures` shows them.
"""
