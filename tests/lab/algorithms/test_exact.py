"""The exact optimum against a plain enumeration of partitions whose clusters share links."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.control.folding.measures import cost_of, saved
from sparing.control.folding.problem import Problem
from sparing.model.errors import SparingError
from sparing_lab.algorithms.exact import exact
from tests.control.folding.judge import share_links
from tests.control.folding.strategies import problems
from tests.tries import tries


def all_partitions(count: int) -> Iterator[list[int]]:
    if not count:
        yield []
        return
    for of in all_partitions(count - 1):
        for company in sorted(set(of)):
            yield [*of, company]
        yield [*of, count - 1]


@settings(max_examples=tries(40))
@given(problems(most=5), st.integers(0, 20))
def test_no_partition_is_cheaper(problem: Problem, theta: int) -> None:
    found = exact(problem, theta)
    wanted = min(theta, problem.possible())
    every = [of for of in map(np.array, all_partitions(len(problem))) if share_links(problem, of)]
    enough = [(cost_of(problem, of), -saved(problem, of)) for of in every if saved(problem, of) >= wanted]
    assert (found.cost, -found.benefit) == min(enough)
    assert (found.cost, found.benefit) == (cost_of(problem, found.of), saved(problem, found.of))


def test_too_many_subscriptions_are_an_error() -> None:
    many = Problem.on_tree([0, 0], [1] * 11, [(0, 1)] * 11)
    with pytest.raises(SparingError, match=r"^The least cost is found by trying all partitions, for up to 10"):
        exact(many, 1)
