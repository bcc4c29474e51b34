"""The experiments of mna-aggregation, section VIII: Table I and Figures 6 to 9.

`grid` declares the experiments, `measure` measures one cell of it, `results` has statistics of the rows, `printed`
compares them with the paper's numbers, and `figures` shows them.
"""
