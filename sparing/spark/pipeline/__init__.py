"""The pipeline: admit, match, walk and unpack stages, and the values that they exchange.

Read `pubsub` first, which connects the stages, then `admit_stage`, `match_stage`, `walk_stage` (with `advance` and
`states`) and `unpack_stage`. `parcels` and `keys` are the format between stages; `worker_plan` ships the plan.
"""
