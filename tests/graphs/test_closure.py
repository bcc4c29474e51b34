"""Closures are closed, worth as much as any and the largest of these, by trying all; large ones beside SciPy's flow."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from sparing.graphs.closure import MAX_CAPACITY, largest_closure

Problem = tuple[np.ndarray, np.ndarray, np.ndarray]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    value = draw(st.lists(st.integers(-5, 5), max_size=8))
    numbers = st.integers(0, max(len(value) - 1, 0))
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=14)) if value else []
    node, required = (np.array([pair[end] for pair in pairs], dtype=np.int64) for end in (0, 1))
    return np.array(value, dtype=np.int64), node, required


@given(problems())
def test_small_ones_by_trying_all(problem: Problem) -> None:
    value, node, required = problem
    sets = [np.array(choice, dtype=bool) for choice in product([False, True], repeat=len(value))]
    closed = [inside for inside in sets if not (inside[node] & ~inside[required]).any()]
    best = max(closed, key=lambda inside: (value[inside].sum(), inside.sum()))
    assert largest_closure(*problem).tolist() == best.tolist()


def sent(value: np.ndarray, node: np.ndarray, required: np.ndarray) -> int:
    """The maximum flow of Picard's network."""
    source, sink = len(value), len(value) + 1
    good, bad = np.flatnonzero(value > 0), np.flatnonzero(value < 0)
    tails = np.concatenate([np.full(len(good), source), bad, node])
    heads = np.concatenate([good, np.full(len(bad), sink), required])
    capacity = np.concatenate([value[good], -value[bad], np.full(len(node), value[good].sum() + 1)])
    graph = csr_array((capacity.astype(np.int32), (tails, heads)), shape=(sink + 1, sink + 1))
    return int(maximum_flow(graph, source, sink).flow_value)


@pytest.mark.parametrize("shape", ["circles", "downhill", "grid", "chain"])
def test_large_ones_beside_a_flow(shape: str) -> None:
    rng, count = np.random.default_rng(7), 1600
    value = rng.integers(-100, 101, count)
    node, number = rng.integers(0, count, 2 * count), np.arange(count)
    if shape == "circles":
        required = rng.integers(0, count, 2 * count)
    elif shape == "downhill":
        required = np.minimum(count - 1, node + rng.integers(1, 30, 2 * count))
    elif shape == "grid":
        across = number[number % 40 < 39]
        node, required = np.concatenate([across, number[:-40]]), np.concatenate([across + 1, number[40:]])
    else:
        value = np.where(number < count // 2, 1, -1) * rng.integers(0, 100, count)
        node, required = number[:-1], number[1:]
    inside = largest_closure(value, node, required)
    assert not (inside[node] & ~inside[required]).any()
    assert value[inside].sum() == value[value > 0].sum() - sent(value, node, required)
    # Nothing more fits in: any node that is outside would bring a loss along.
    for more in rng.permutation(np.flatnonzero(~inside))[:20].tolist():
        forced = value.copy()
        forced[more] += 1
        assert forced[inside].sum() == forced[forced > 0].sum() - sent(forced, node, required)


def test_large_values_are_counted_up_to_a_limit() -> None:
    value = np.array([2**30, -(2**30), 2**20, -(2**61)])
    assert largest_closure(value, np.array([0, 2]), np.array([1, 3])).tolist() == [True, True, False, False]
    with pytest.raises(OverflowError, match="2,147,483,646"):
        largest_closure(np.array([MAX_CAPACITY // 2, MAX_CAPACITY // 2 + 1, 0]), np.array([0]), np.array([1]))
