"""Arrival of publications: matching, plain deliveries, and publications held for windows.

Read `at_once` first; `topic_index` finds the matches (`pairs`), `false_positives` the crossings for stale members, and
`matched` is the batch that goes to the walk. The compiled loops are in `kernels`.
"""
