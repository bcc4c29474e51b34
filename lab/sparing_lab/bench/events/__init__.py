"""Merging events on Spark, beside a plain Spark SQL job that only groups reports; and growth with events in flight.

`traces` has incidents that are made up from a seed. `measure` runs the whole pipeline as a batch beside its peer, and
the walk alone, in this process, with more and more events under way at the same time.
"""
