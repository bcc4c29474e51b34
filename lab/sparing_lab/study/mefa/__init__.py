"""The experiments of mefa: costs of MEFA, SPA and AA, and of MEFA on DO and DS trees.

`grid` declares the experiments; `sample` draws trees and ranges, `facebook` has the tree of the real case, and
`measure` folds the subscriptions of many samples. `results` has statistics of the rows, `worked_example` works the
slides' example out, `printed` compares them with the slides, and `figures` shows it.
"""
