"""Exactly fair choice: k is split among next hops by the multivariate hypergeometric distribution, hop by hop.

A broker only needs the number of matches behind each next hop: it draws k times without replacement from all matches,
and sends each next hop its number of hits.
"""

from __future__ import annotations

from sparing.compiled import compiled
from sparing.flow.rank.draws import below


@compiled
def split(counts, k, state, hits):
    """Add the hits of each set to `hits`, in k draws without replacement."""
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
    """Write k of the numbers 0, 1, ..., count - 1 to `chosen`; all sets of k are equally likely."""
    for at in range(count):
        chosen[at] = at
    for at in range(k):
        other = at + below(state, count - at)
        chosen[at], chosen[other] = chosen[other], chosen[at]
