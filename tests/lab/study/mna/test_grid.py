"""The grid is what the paper's section VIII.A says."""

from dataclasses import replace

import pytest

from sparing.deployment.deployment import Deployment
from sparing.model.window import TimeWindow
from sparing_lab.study.mna.grid import PANELS, PAPER, SCALES, SMALL
from sparing_lab.study.mna.printed import TABLE_I

SECOND = 1_000_000


def test_the_paper_scale_spans_the_ranges_of_the_paper():
    assert PAPER.duration == 1000
    assert (min(PAPER.rates["traffic"]), max(PAPER.rates["traffic"])) == (14, 1080)
    assert (min(PAPER.rates["stock"]), max(PAPER.rates["stock"])) == (465, 2790)
    assert (min(PAPER.subscriptions), max(PAPER.subscriptions)) == (9, 450)
    assert (min(PAPER.ratios), max(PAPER.ratios)) == (1.5, 6)


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_every_point_that_the_paper_prints_is_measured(scale):
    assert {162, 1080} <= set(scale.rates["traffic"])
    assert {465, 2790} <= set(scale.rates["stock"])
    assert set(TABLE_I) <= set(scale.subscriptions)
    assert {1.5, 6} <= set(scale.ratios)


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_cells_are_distinct_and_contain_every_sweep(scale):
    cells = scale.cells()
    assert len(set(cells)) == len(cells)
    assert [cell.size for cell in cells] == sorted((cell.size for cell in cells), reverse=True)
    sweeps = [sweep(*panel) for sweep in (scale.by_rate, scale.by_subscriptions) for panel in PANELS]
    assert {cell for sweep in [*sweeps, scale.by_ratio()] for cell in sweep} == set(cells)


def test_the_small_scale_is_a_part_of_the_papers():
    for workload, rates in SMALL.rates.items():
        assert set(rates) <= set(PAPER.rates[workload])
    assert set(SMALL.subscriptions) <= set(PAPER.subscriptions)
    assert set(SMALL.ratios) <= set(PAPER.ratios)


@pytest.mark.parametrize("ratio", PAPER.ratios)
def test_the_shift_of_windows_gives_the_ratio(ratio):
    cell = PAPER.with_ratio(ratio)
    assert cell.window == 10
    assert cell.window / cell.slide == pytest.approx(ratio, abs=0.002)
    assert cell.settings().slide == cell.slide


@pytest.mark.parametrize(("workload", "windows"), PANELS)
def test_a_cell_has_the_workload_of_the_paper(workload, windows):
    made = SMALL.cell(workload, windows, rate=100, subscriptions=90).made()
    deployment = Deployment.of(made.description)
    assert len(deployment.overlay.brokers) == 16
    publishing = {ad.broker for ad in deployment.advertisements}
    subscribing = {broker for (broker,) in deployment.subscribers.values()}
    assert len(publishing - subscribing) == len(subscribing - publishing) == 3
    assert len(publishing & subscribing) == 6
    aggregations = [s.query.aggregation for s in deployment.subscriptions if s.query.aggregation is not None]
    assert len(deployment.subscriptions) == 90
    assert len(aggregations) == 30
    slide = {"tumbling": 10 * SECOND, "sliding": 5 * SECOND}[windows]
    assert {replace(a.window, start=0) for a in aggregations} == {TimeWindow(10 * SECOND, slide)}
    assert len({a.window.start for a in aggregations}) == 30  # every one was issued at another moment
    assert all(0 <= a.window.start < slide for a in aggregations)
    assert made.size == 6000
    assert made.selectivity == pytest.approx({"stock": 0.02, "traffic": 0.01}[workload], rel=0.2)
    assert len(next(iter(deployment.topics.values())).fields) == {"stock": 8, "traffic": 12}[workload]
