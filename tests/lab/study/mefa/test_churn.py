"""The churn experiment: the same comings and goings under every way to go on, and all of it counted."""

from __future__ import annotations

import pytest

from sparing_lab.study.mefa import churn
from sparing_lab.study.mefa.figures import churn_table
from sparing_lab.study.mefa.grid import (
    AT_ONCE,
    CHURN_METHODS,
    NEVER,
    NOT_FOLDED,
    SKI_RENTAL,
    SMALL,
    FoldingBatch,
    MefaExperiment,
    usual,
)
from sparing_lab.study.mefa.measure import measure
from sparing_lab.study.mefa.results import MefaResults
from sparing_lab.workloads.ranges import Distribution


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.setattr(churn, "RATES", (1.0,))
    monkeypatch.setattr(churn, "LEAVES", 15)
    return measure(FoldingBatch(usual(MefaExperiment.CHURN, Distribution.UNIFORM), 0, 1))


def test_each_strategy_sends_its_messages(rows):
    by = {row.method: row for row in rows}
    assert list(by) == list(CHURN_METHODS)
    assert (by[NOT_FOLDED].reconfigured, by[NOT_FOLDED].false, by[NOT_FOLDED].benefit) == (0, 0, 0)
    for method in (AT_ONCE, NEVER, SKI_RENTAL):
        assert by[method].told == by[NOT_FOLDED].told - by[method].benefit
        assert by[method].changes < by[NOT_FOLDED].changes
    assert by[AT_ONCE].reconfigured >= by[SKI_RENTAL].reconfigured >= by[NEVER].reconfigured
    assert 0 < by[AT_ONCE].false < by[SKI_RENTAL].false < by[NEVER].false


def test_the_table_has_the_sums(rows):
    _, lines = churn_table(MefaResults(SMALL, rows))
    (line,) = lines
    whole, parts = line[2].split(" = ")
    assert int(whole.replace(",", "")) == sum(int(part.replace(",", "")) for part in parts.split(" + "))
