"""Trees of brokers with publishers at some of them, and subscriptions with ranges on a small grid, so that sums are
exact and many cost the same."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from sparing.control.folding.problem import NO_PATH, Problem, bits

SPAN = 8  # whole numbers from 0 on


@st.composite
def trees(draw: st.DrawFn, most: int = 7) -> list[int]:
    """Parents; the root is its own."""
    count = draw(st.integers(1, most))
    return [0] + [draw(st.integers(0, broker - 1)) for broker in range(1, count)]


@st.composite
def problems(draw: st.DrawFn, dimensions: int | None = None, most: int = 8) -> Problem:
    """Subscriptions forwarded to publishers at one or more brokers; some brokers may have no path to some of these."""
    parents = draw(trees())
    brokers = len(parents)
    roots = draw(st.lists(st.integers(0, brokers - 1), min_size=1, max_size=3, unique=True))
    towards = np.array([_towards(parents, root) for root in roots], dtype=np.int32)
    if draw(st.booleans()):
        towards[-1][_behind(towards[-1], draw(st.integers(0, brokers - 1)))] = NO_PATH
    count = draw(st.integers(1, most))
    homes = draw(st.lists(st.integers(0, brokers - 1), min_size=count, max_size=count))
    axes = dimensions or draw(st.integers(1, 3))
    boxes = [draw(_boxes(axes)) for _ in homes]
    bounds = np.array([box for mine in boxes for box in mine], dtype=np.float64).reshape(-1, axes, 2)
    return Problem(
        np.cumsum([0] + [len(mine) for mine in boxes]),
        np.ascontiguousarray(bounds[:, :, 0]),
        np.ascontiguousarray(bounds[:, :, 1]),
        np.array(homes, dtype=np.int32),
        bits([_links(towards, home) for home in homes], brokers * brokers),
        towards,
    )


@st.composite
def wide_trees(draw: st.DrawFn, most: int = 7) -> Problem:
    """One publisher's broker with several brokers below it, so that some subscriptions share no link."""
    below = draw(st.integers(2, 3))
    parents = [0] * (below + 1) + draw(st.lists(st.integers(1, below), max_size=2))
    homes = draw(st.lists(st.integers(1, len(parents) - 1), min_size=4, max_size=most))
    ranges = [(low, low + draw(st.integers(1, 30))) for low in draw(_lows(len(homes)))]
    return Problem.on_tree(parents, homes, ranges)


def _lows(count: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, 30), min_size=count, max_size=count)


@st.composite
def partitions(draw: st.DrawFn, count: int) -> np.ndarray:
    """Subscription -> the lowest number in its cluster."""
    labels = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    return np.array([labels.index(label) for label in labels], dtype=np.int64)


@st.composite
def _boxes(draw: st.DrawFn, axes: int) -> list[list[tuple[int, int]]]:
    """One box, or two that lie apart in the first dimension, in any order; some are empty."""
    sides = st.lists(st.integers(0, SPAN), min_size=2, max_size=2).map(lambda ends: (min(ends), max(ends)))
    one = [draw(sides) for _ in range(axes)]
    if one[0][1] >= SPAN - 1 or draw(st.integers(0, 3)):
        return [one]
    low = draw(st.integers(one[0][1], SPAN - 1))
    other = [(low, draw(st.integers(low, SPAN))), *[draw(sides) for _ in range(axes - 1)]]
    return draw(st.permutations([one, other]))


def _towards(parents: list[int], root: int) -> list[int]:
    """Ways lead up, but from the root's own ancestors down to it."""
    found, at = list(parents), root
    while parents[at] != at:
        found[parents[at]] = at
        at = parents[at]
    found[root] = root
    return found


def _behind(towards: np.ndarray, broker: int) -> list[int]:
    """All whose way leads over a broker; none if it is the end."""
    found = []
    for begin in range(len(towards)):
        at, way = begin, [begin]
        while towards[at] != at:
            at = int(towards[at])
            way.append(at)
        if broker in way and broker != at:
            found.append(begin)
    return found


def _links(towards: np.ndarray, home: int) -> list[int]:
    """Numbers of the directed links on the ways of a subscription."""
    found, brokers = [], towards.shape[1]
    for row in towards.tolist():
        at = home
        while row[at] not in (at, NO_PATH):
            found.append(at * brokers + row[at])
            at = row[at]
    return found
