"""Cached costs equal those of the measures."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.control.folding.cluster_costs import ClusterCosts
from sparing.control.folding.measures import cost
from sparing.control.folding.problem import Problem
from tests.control.folding.strategies import problems


@settings(deadline=None)
@given(problems(most=8), st.data())
def test_costs_equal_the_measures(problem: Problem, data: st.DataObject) -> None:
    costs = ClusterCosts(problem)
    for _ in range(3):
        cluster = frozenset(data.draw(st.sets(st.integers(0, len(problem) - 1), min_size=1)))
        assert costs.cost(cluster) == pytest.approx(cost(problem, cluster))
        assert costs.cost(cluster) == costs.cost(cluster)
