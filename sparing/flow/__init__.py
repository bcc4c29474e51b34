"""The data plane: publications from admission to notification. Deterministic, in event time, without Spark.

Read in the order of a publication's way:

- `walk`: all steps in one process; `interests`: subscriptions as the data plane needs them, with `interest_groups`
- `admit`: input rows become publications, or go to quarantine
- `arrival`: matching, plain deliveries, publications held for windows; `rank` selects the k best matches
- `windows`: held publications cross the overlay, and `links` decide to aggregate or forward them
- `events`: reports of merged topics
- `deliver`: results, payloads and ids of notifications; `ledger`: the bill
- `packing`: tables as Arrow buffers, between stages; `warm`: compilation before the first batch
"""
