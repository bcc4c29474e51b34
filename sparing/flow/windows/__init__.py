"""The walk of held publications: links decide window ranges (NWRs) one by one, in event time.

Read `window_walk` first, then `step`; `window_state` and `edges` are the state between batches, `items` and `remote`
the exchange with other processes, `explain` the reasons of decisions. The compiled loops are in `kernels`.
"""
