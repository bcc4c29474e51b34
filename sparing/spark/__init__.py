"""Sparing on Spark, batch and streaming: with `cli`, the only package that imports pyspark.

Read `run` first: it starts a stream or a replay. `pipeline` has the stages between publications and results, `io` the
sources and sinks, `stream` the parts of a running stream, and `tools` the commands that read traces and checkpoints.
"""
