"""Folding: clusters of subscriptions that share one routing entry. Source: mefa.txt.

Read `problem` (definitions), `fold` (the choice of method), `mefa` and its rivals `spa` and `aa`. MEFA uses `all_pairs`
and `polish` for few subscriptions, `joining` with `candidates` and `kernels` for many; `split` separates clusters
without common links. `ranges` turns boxes into numbers; `measures`, `covered`, `uncovered`, `weighing` compute costs.
"""
