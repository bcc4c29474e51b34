"""Costs that are worked out once are those of the obvious measures."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.control.folding.measures import cost
from sparing.control.folding.problem import Problem
from sparing.control.folding.weighing import Weighing
from tests.control.folding.strategies import problems


@settings(deadline=None)
@given(problems(most=8), st.data())
def test_costs_equal_the_measures(problem: Problem, data: st.DataObject) -> None:
    weighing = Weighing(problem)
    for _ in range(3):
        cluster = frozenset(data.draw(st.sets(st.integers(0, len(problem) - 1), min_size=1)))
        assert weighing.cost(cluster) == pytest.approx(cost(problem, cluster))
        assert weighing.cost(cluster) == weighing.cost(cluster)
