# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Where the ways of a cluster's members meet, and how far that is."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.folding.problem import NO_PATH


@compiled
def hops_on(towards):
    """[publishers' broker, broker] -> hops to the end of the way, or NO_PATH."""
    found = np.empty(towards.shape, np.int32)
    for row in range(towards.shape[0]):
        for broker in range(towards.shape[1]):
            at, hops = broker, 0
            while towards[row, at] != NO_PATH and towards[row, at] != at:
                at = towards[row, at]
                hops += 1
            found[row, broker] = NO_PATH if towards[row, at] == NO_PATH else hops
    return found


@inlined
def meeting(ways, row, one, two):
    """The first broker that two ways have in common; one that is not on any way leaves the other."""
    if one == NO_PATH:
        return two
    if two == NO_PATH:
        return one
    while one != two:
        if ways.hops[row, one] >= ways.hops[row, two]:
            one = ways.towards[row, one]
        else:
            two = ways.towards[row, two]
    return one


@inlined
def joined_delay(clusters, ways, a, b):
    """The delay of two clusters together."""
    most = 0
    for row in range(ways.towards.shape[0]):
        at = meeting(ways, row, clusters.meet[a, row], clusters.meet[b, row])
        if at != NO_PATH:
            most = max(most, max(clusters.deep[a, row], clusters.deep[b, row]) - ways.hops[row, at])
    return 1 + most
