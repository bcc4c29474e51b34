"""A subscription tree in a social network: the node with the most friends publishes, the leaves subscribe.

Source: mefa.txt, experiments, the real trace: the first 120 nodes of SNAP's Facebook graph, a tree by breadth-first
search from the node with the largest degree, 63 leaves.

The graph consists of ego networks, and its node 0 is linked with all 119 others. A tree from there is a star, on which
nothing can be saved. So nodes that are linked with all others are left out. From the node that then has the largest
degree, 25, 89 others are reached. The search takes neighbours by number and finds 60 leaves; in other orders it finds
55 to 66, and so the slides' 63 are among what this reading gives. Whether the first 120 nodes are 0 to 119 or 1 to 120
makes no difference, since 120 is linked with 0 only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from sparing.model.errors import SparingError
from sparing_lab.workloads.subscription_trees import SubscriptionTree

FIRST = 120  # nodes


def social_tree(edges: Iterable[tuple[int, int]], first: int = FIRST) -> SubscriptionTree:
    """The tree of the first nodes, by number. Inner nodes become brokers, numbered as the search finds them.

    >>> social_tree([(7, 8), (8, 9), (9, 10)])
    SubscriptionTree(parents=(0, 0), connections=((0,), (1,)))
    """
    friends = _friends(edges, first)
    if not friends:
        raise SparingError(f"The first {first} nodes have no edges between them that a tree could be made of.")
    publisher = min(friends, key=lambda node: (-len(friends[node]), node))
    above = {publisher: publisher}
    queue = [publisher]
    for node in queue:
        for friend in sorted(friends[node] - above.keys()):
            above[friend] = node
            queue.append(friend)
    inner = {above[node] for node in queue}
    broker = {node: number for number, node in enumerate(node for node in queue if node in inner)}
    parents = tuple(broker[above[node]] for node in broker)
    return SubscriptionTree(parents, tuple((broker[above[node]],) for node in queue if node not in inner))


def _friends(edges: Iterable[tuple[int, int]], first: int) -> dict[int, set[int]]:
    """Node -> its neighbours, among the first nodes and without those that are linked with all others."""
    pairs = [(one, other) for one, other in edges if one != other]
    known = sorted({node for pair in pairs for node in pair})[:first]
    inside = set(known)
    friends: dict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        if one in inside and other in inside:
            friends[one].add(other)
            friends[other].add(one)
    egos = {node for node in known if len(friends[node]) == len(known) - 1}
    return {node: found - egos for node, found in friends.items() if node not in egos and found - egos}
