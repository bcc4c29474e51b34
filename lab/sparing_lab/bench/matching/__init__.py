"""Matching against what people would use instead: the same events, the same subscriptions, in one run.

Every engine (`engines`) runs single threaded in a process of its own (`processes`), draws the same workload (`shapes`)
from the same seed, and must find as many pairs (event, subscription) as Sparing does. `measure` takes them in turn;
`latencies` measures small batches, inserts and removes.
"""
