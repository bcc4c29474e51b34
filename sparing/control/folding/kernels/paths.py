"""The first common broker of the paths of members, and delays."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.folding.problem import NO_PATH


@compiled
def hops_to_end(towards):
    """[publishers' broker, broker] -> hops to the end of the path, or NO_PATH."""
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
def common_broker(paths, row, one, two):
    """Return the first common broker of two paths, given by their starts; NO_PATH is neutral."""
    if one == NO_PATH:
        return two
    if two == NO_PATH:
        return one
    while one != two:
        if paths.hops[row, one] >= paths.hops[row, two]:
            one = paths.towards[row, one]
        else:
            two = paths.towards[row, two]
    return one


@inlined
def common_delay(clusters, paths, a, b):
    """Return the delay of the union of two clusters."""
    most = 0
    for row in range(paths.towards.shape[0]):
        at = common_broker(paths, row, clusters.common[a, row], clusters.common[b, row])
        if at != NO_PATH:
            most = max(most, max(clusters.most_hops[a, row], clusters.most_hops[b, row]) - paths.hops[row, at])
    return 1 + most
