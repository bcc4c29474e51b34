"""The k best of the subscriptions that match a publication, chosen by one broker that knows them all (RegularK)."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.flow.rank.exact_fair import some_of


@compiled
def best_first(scores, subscriptions, first, last, order):
    """Write the places from `first` to `last` to `order`, by descending score, then subscription."""
    by_number = np.argsort(subscriptions[first:last], kind="mergesort")
    ranked = np.argsort(-scores[first:last][by_number], kind="mergesort")
    for at in range(last - first):
        order[at] = first + by_number[ranked[at]]
    return last - first


@compiled
def end_of_class(scores, order, at, count):
    """Return the end of the run of equal scores that begins at a place."""
    end = at + 1
    while end < count and scores[order[end]] == scores[order[at]]:
        end += 1
    return end


@compiled
def best_k(picked, starts, subscriptions, scores, k, fair, seeds, chosen):
    """Mark the k best of each picked row as chosen; among equal scores the first, or if fair a random one."""
    most = 0
    for row in picked:
        most = max(most, starts[row + 1] - starts[row])
    order, some = np.empty(most, np.int64), np.empty(most, np.int64)
    state = np.empty(1, np.uint64)
    for at in range(len(picked)):
        row = picked[at]
        count = best_first(scores, subscriptions, starts[row], starts[row + 1], order)
        left, place = k[at], 0
        state[0] = seeds[at]
        while left > 0 and place < count:
            end = end_of_class(scores, order, place, count)
            if end - place <= left:
                chosen[order[place:end]] = True
            elif fair:
                some_of(end - place, left, state, some)
                for i in range(left):
                    chosen[order[place + some[i]]] = True
            else:
                chosen[order[place : place + left]] = True
            left -= min(left, end - place)
            place = end
