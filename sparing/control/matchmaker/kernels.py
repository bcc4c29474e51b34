"""Compiled loops over the links of trees."""

from __future__ import annotations

import numpy as np

from sparing.graphs.compiled import compiled


@compiled
def mark_seen(links, parent, target, bit_of, seen):
    """Add to each link of a tree who subscribes behind it there."""
    words = seen.shape[1]
    own = np.zeros((len(links), words), np.uint64)
    for place in range(len(links) - 1, -1, -1):
        bit = bit_of[target[links[place]]]
        if bit >= 0:
            own[place, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
        above = parent[place]
        for word in range(words):
            seen[links[place], word] |= own[place, word]
            if above >= 0:
                own[above, word] |= own[place, word]


@compiled
def weigh(seen, counts):
    """The sum of the counts of those seen at each link."""
    found = np.zeros(len(seen), np.int64)
    for link in range(len(seen)):
        for bit in range(len(counts)):
            if seen[link, bit >> 6] >> np.uint64(bit & 63) & np.uint64(1):
                found[link] += counts[bit]
    return found
