"""Exactly fair: the k are split among next hops by the multivariate hypergeometric law, hop by hop.

A broker that knows how many subscriptions behind each next hop match needs nothing else to be fair to all of them: it
draws k times from all that match without putting back, and tells each next hop how often it was hit.
"""

from __future__ import annotations

from sparing.compiled import compiled
from sparing.flow.rank.draws import below


@compiled
def split(counts, k, state, hits):
    """How many of k draws hit each of several sets, drawn from without putting back; added to `hits`."""
    left = counts.copy()
    total = left.sum()
    for _ in range(min(k, total)):
        place = below(state, total)
        for at in range(len(left)):
            if place < left[at]:
                left[at] -= 1
                hits[at] += 1
                break
            place -= left[at]
        total -= 1


@compiled
def some_of(count, k, state, chosen):
    """k of the numbers 0, 1, ..., count - 1, all sets of k alike: into the first k places of `chosen`."""
    for at in range(count):
        chosen[at] = at
    for at in range(k):
        other = at + below(state, count - at)
        chosen[at], chosen[other] = chosen[other], chosen[at]
