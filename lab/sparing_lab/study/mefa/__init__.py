"""The experiments of mefa: what MEFA costs beside SPA and AA, and on DS trees beside DO trees.

`grid` says what is measured; `sample` draws trees and ranges, `facebook` has the tree of the real case, and `measure`
folds the subscriptions of many samples. `results` looks measurements up, `worked_example` works the slides' example
out, `printed` holds what the slides say against ours, `figures` and `page` show it.
"""
