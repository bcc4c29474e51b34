"""A running stream: checkpoints, plan changes, graceful stops, progress, logs and metrics.

Read `follow` (changes of the plan), then `checkpoint`, `control_bill` and `written_files` (files beside Spark's
checkpoint, written by `durable`), then `journal`, `progress` and `micro_batch` (the record of a micro-batch), which
`logs` and `prometheus` publish. `stopping` ends a stream, `clock_alarm` finds wrong clocks.
"""
