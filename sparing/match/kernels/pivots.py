"""Kernels that choose the pivots of subscriptions and order their predicates."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled

EXACT = np.uint8(1)  # a flag of a slot: no bound falls inside a bucket
HAS_SETS = np.uint8(2)


@compiled
def choose_values(ranges, sharing, useful, chosen):
    """Put each subscription's predicate with a single value that the fewest others share into `chosen`; -1: none."""
    for s in range(len(ranges.starts) - 1):
        fewest = np.iinfo(np.int64).max
        chosen[s] = -1
        for k in range(ranges.starts[s], ranges.starts[s + 1]):
            single = ranges.low[k] == ranges.last[k] and ranges.set[k] < 0
            if single and useful[ranges.field[k]] and sharing[k] < fewest:
                fewest, chosen[s] = sharing[k], k


@compiled
def find_pivots(ranges, bucket_low, bucket_last, share, kept, pivot):
    """Put each subscription's most selective predicate among the kept fields into `pivot`; -1: none."""
    for s in range(len(ranges.starts) - 1):
        best = 1.0
        pivot[s] = -1
        for k in range(ranges.starts[s], ranges.starts[s + 1]):
            f = ranges.field[k]
            if kept[f]:
                mine = share[f, bucket_last[k] + 1] - share[f, bucket_low[k]]
                if mine < best:
                    best, pivot[s] = mine, k


@compiled
def arrange(starts, field, order, pivot, owned_field, new_starts, source):
    """Compute the source of each predicate for subscriptions in `order`, pivots first and owned predicates last."""
    to = 0
    for i in range(len(order)):
        s = order[i]
        if pivot[s] >= 0:
            source[to] = pivot[s]
            to += 1
        owned = -1
        for k in range(starts[s], starts[s + 1]):
            if field[k] == owned_field:
                owned = k
            elif k != pivot[s]:
                source[to] = k
                to += 1
        if owned >= 0:
            source[to] = owned
            to += 1
        new_starts[i + 1] = to


@compiled
def put_flags(starts, inside, set_, owned, flags):
    """Set the flags of each slot: exact bounds, or sets."""
    for s in range(len(starts) - 1):
        exact, sets = True, False
        for k in range(starts[s], starts[s + 1] - owned):
            exact &= inside[k] == 0
            sets |= set_[k] >= 0
        flags[s] = HAS_SETS if sets else (EXACT if exact else np.uint8(0))
