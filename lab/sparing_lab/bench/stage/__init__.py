"""CPU time of the Python side of the pipeline by step, in one process, without Spark jobs.

`measure` calls what the Python workers call; `self_times` adds up the time of each step.
"""
