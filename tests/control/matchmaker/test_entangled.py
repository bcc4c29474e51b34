"""Links that are not entangled are marked alone, entangled ones with their component only."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.matchmaker.entangled import FREE, entangled
from sparing.graphs.closure import largest_closure

Problem = tuple[np.ndarray, np.ndarray, np.ndarray]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Values of links, and any requirements among them: circles, several of the same, links that require themselves."""
    eta = draw(st.lists(st.integers(-4, 4), max_size=14))
    numbers = st.integers(0, max(len(eta) - 1, 0))
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=24)) if eta else []
    before, after = (np.array([pair[end] for pair in pairs], dtype=np.int64) for end in (0, 1))
    return np.array(eta, dtype=np.int64), before, after


def below(count: int, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """[a, b]: whether a requires b, by way of others if need be, by squaring."""
    found = np.eye(count, dtype=bool)
    found[before, after] = True
    for _ in range(count):
        found = found @ found
    return found


@given(problems())
def test_components_satisfy_their_definition(problem: Problem) -> None:
    eta, before, after = problem
    requires = below(len(eta), before, after)
    caught = [
        bool((requires[t] & (eta < 0)).any() if eta[t] >= 0 else (requires[:, t] & (eta >= 0)).any())
        for t in range(len(eta))
    ]
    found = entangled(eta, before, after)
    assert [number != FREE for number in found.tolist()] == caught
    expected, parts = [FREE] * len(eta), 0
    for t in range(len(eta)):
        if caught[t] and expected[t] == FREE:
            ahead = [t]
            while ahead:
                here = ahead.pop()
                if expected[here] == FREE:
                    expected[here] = parts
                    ahead += [int(b) for a, b in zip(before, after, strict=True) if a == here and caught[b]]
                    ahead += [int(a) for a, b in zip(before, after, strict=True) if b == here and caught[a]]
            parts += 1
    assert found.tolist() == expected


@given(problems())
def test_solving_components_separately_gives_the_optimum(problem: Problem) -> None:
    eta, before, after = problem
    part = entangled(eta, before, after)
    marking = eta >= 0
    for number in range(part.max(initial=FREE) + 1):
        there = np.flatnonzero(part == number)
        assert (eta[there] >= 0).any()
        assert (eta[there] < 0).any()
        inner = (part[before] == number) & (part[after] == number)
        place = np.zeros(len(eta), dtype=np.int64)
        place[there] = np.arange(len(there))
        marking[there] = largest_closure(eta[there], place[before[inner]], place[after[inner]])
    assert marking.tolist() == largest_closure(eta, before, after).tolist()


def test_a_chain_across_links_is_one_component() -> None:
    eta = np.array([3, -1, 0, -2, 7, -9])
    assert entangled(eta, np.array([0, 1, 2]), np.array([1, 2, 3])).tolist() == [0, 0, 0, 0, FREE, FREE]


def test_links_that_agree_are_not_entangled() -> None:
    eta = np.array([-2, -1, 0.0, 3])
    assert entangled(eta, np.array([0, 1, 2]), np.array([1, 2, 3])).tolist() == [FREE] * 4
    assert entangled(eta[:0], np.zeros(0, np.int64), np.zeros(0, np.int64)).tolist() == []
