"""The walk of held publications: links decide window ranges (NWRs) one by one, in event time.

Read `window_walk` first, then `window_state`, the state between batches, and `step`, which prepares the compiled loops
in `kernels`; `output` reads what they wrote. `participants` are the subscriptions of a step, `items` and `remote` the
exchange with other processes; `explain` has the reasons of decisions.
"""
