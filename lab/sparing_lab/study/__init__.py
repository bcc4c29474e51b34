"""Studies: the tables and figures of five papers, measured again.

Read `study` first: the one form of a study. `rows`, `results` and `grid` are the base of its measurements, `verdicts`
and `exhibits` of its claims, tables and figures; `report` and `markdown` write pages. Each paper has a package: its
`study` declares everything, `grid` the experiments, `measure` runs one, `printed` compares with the paper's claims.
"""
