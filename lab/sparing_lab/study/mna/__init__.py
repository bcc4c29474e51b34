"""The experiments of mna-aggregation, section VIII: Table I and Figures 6 to 9.

`grid` says what is measured, `measure` measures one cell of it, `results` looks measurements up, `printed` holds the
paper's own numbers against them, `figures` and `page` show them.
"""
