"""The experiments of matchmaker, section 4: Figures 8 to 13, and how often its algorithm as printed fails.

`grid` says what is measured; `sample` draws a network with publishers, subscribers and trees, and `measure` marks the
links of many such. `results` looks measurements up, `printed` holds the paper's own numbers against them, `figures` and
`page` show them.
"""
