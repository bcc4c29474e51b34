"""The paper's Figures 8 to 13 from measurements, and how often Figure 6 fails: rows of text, and panels to be drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from sparing.report.plots import Panel
from sparing.study.exhibits import Figure, Table
from sparing.study.matchmaker.grid import BY_CHANCE, MIDDLE, PER_SOURCE, SHARED, TREES, Point
from sparing.study.matchmaker.printed import (
    NEAREST,
    at_most_half,
    below_30,
    entangled_links,
    entangled_samples,
    invalid_samples,
    met,
    unmonotone_links,
    unmonotone_samples,
)
from sparing.study.matchmaker.results import MCM, PUB_E, SUB_E, Results, percentile
from sparing.study.matchmaker.row import Row

COSTS_TITLE = "10 publishers, 10 subscribers: medians and 90th percentiles, and samples in which MCM saves much"
FAILURES_TITLE = "Trees per source: how often Figure 6 as printed fails, and what is not monotone"
SHOWN = (1, *range(5, 100, 5), 99)  # percent, of distributions
OWN_TREES = (PER_SOURCE, BY_CHANCE)
FIGURES = {SHARED: ("8", "9", "10"), PER_SOURCE: ("11", "12", "13"), BY_CHANCE: ("11", "12", "13")}

Points = tuple[tuple[float, float], ...]


def figures(results: Results) -> list[Figure]:
    """Figures 8 to 13, those that belong together side by side, and one of ours."""
    makers = _figures_8_11, _figures_9_12, _figure_10, _figure_13, _failures
    return [maker(results) for maker in makers]


def costs_table(results: Results) -> Table:
    """What was found with the usual numbers, for all kinds of trees and both roundings."""
    rows = []
    for trees in TREES:
        for point in (MIDDLE, NEAREST):
            found = results.samples(point, trees)
            much, half = met(found, below_30), met(found, at_most_half)
            if much is None or half is None:
                continue
            percentiles = [
                _number(results.percentile(point, trees, method, percent))
                for method in (MCM, PUB_E, SUB_E)
                for percent in (50, 90)
            ]
            shares = [f"{value:.1f}%" for value in (*much[:2], *half[:2])]
            rows.append([trees, point.rounding.value, *percentiles, *shares])
    names = [f"{method} {name}" for method in (MCM, PUB_E, SUB_E) for name in ("median", "90th")]
    return ["trees", "rounding", *names, "<30% PubE", "<30% SubE", "≤50% PubE", "≤50% SubE"], rows


def failures_table(results: Results, points: Sequence[Point]) -> Table:
    """For every point: samples with invalid markings, what repairs cost; samples that are not monotone, and links."""
    rows = []
    for trees in OWN_TREES:
        chosen = {f"{point.publishers} x {point.subscribers}": results.samples(point, trees) for point in points}
        chosen["all points"] = [row for point in results.scale.points for row in results.samples(point, trees)]
        for name, found in chosen.items():
            if not found:
                continue
            invalid = [row for row in found if not row.valid]
            pairs = [100 * row.parted / (row.publishers * row.subscribers) for row in invalid]
            over = [[_over(cost(row), row.mcm) for row in invalid] for cost in (_printed, _s_repaired, _p_repaired)]
            line = [_percent(invalid_samples(found)), _percent(fmean(pairs) if pairs else None)]
            line += [_percent(fmean(some) if some else None, "+.2f") for some in over]
            line += [_percent(unmonotone_samples(found)), _percent(unmonotone_links(found))]
            line += [_percent(entangled_samples(found)), _percent(entangled_links(found))]
            rows.append([trees, name, *line])
    names = ["invalid", "pairs that never meet", "counted", "s-repair", "p-repair", "not monotone", "links"]
    return ["trees", "publishers x subscribers", *names, "entangled", "links"], rows


def _over(cost: int, least: int) -> float:
    return 100 * (cost - least) / least


def _printed(row: Row) -> int:
    return row.printed


def _s_repaired(row: Row) -> int:
    return row.s_repaired


def _p_repaired(row: Row) -> int:
    return row.p_repaired


def _figures_8_11(results: Results) -> Figure:
    panels = []
    for trees in TREES:
        lines = {
            method: [(results.percentile(MIDDLE, trees, method, percent), percent) for percent in SHOWN]
            for method in (PUB_E, SUB_E, MCM)
        }
        panels.append(_panel(f"Figure {FIGURES[trees][0]}: {trees}", "cost", "samples up to it, %", lines))
    return _figure("Figures 8 and 11", "Distribution of the cost, 10 publishers and 10 subscribers", panels)


def _figures_9_12(results: Results) -> Figure:
    panels = []
    for trees in TREES:
        lines = {}
        for base in (PUB_E, SUB_E):
            found = results.ratios(MIDDLE, trees, base)
            lines[f"MCM / {base}"] = [(percentile(found, percent), percent) for percent in SHOWN]
        panels.append(_panel(f"Figure {FIGURES[trees][1]}: {trees}", "ratio of costs", "samples up to it, %", lines))
    return _figure("Figures 9 and 12", "Distribution of the ratios, 10 publishers and 10 subscribers", panels)


def _figure_10(results: Results) -> Figure:
    return _figure("Figure 10", "Mean cost by numbers, the other being 10: shared trees", _means(results, SHARED))


def _figure_13(results: Results) -> Figure:
    panels = [panel for trees in OWN_TREES for panel in _means(results, trees)]
    return _figure("Figure 13", "Mean cost by numbers, the other being 10: trees per source", panels)


def _means(results: Results, trees: str) -> list[Panel]:
    panels = []
    for letter, along, points in _sweeps(results):
        lines = {
            method: [(at, results.mean(point, trees, method)) for at, point in points] for method in (PUB_E, SUB_E, MCM)
        }
        panels.append(_panel(f"({letter}) {trees}", along, "mean cost", lines))
    return panels


def _failures(results: Results) -> Figure:
    panels = []
    measures: Sequence[tuple[str, Callable[[Sequence[Row]], float | None]]] = (
        ("Figure 6 invalid, % of samples", invalid_samples),
        ("not monotone, % of samples", unmonotone_samples),
    )
    for up, value in measures:
        for _, along, points in _sweeps(results):
            lines = {trees: [(at, value(results.samples(point, trees))) for at, point in points] for trees in OWN_TREES}
            panels.append(_panel("", along, up, lines))
    title = "Samples on which Figure 6 as printed fails, and samples that are not monotone"
    return _figure("Not in the paper", title, panels)


def _sweeps(results: Results) -> list[tuple[str, str, list[tuple[float, Point]]]]:
    """The two ways to vary numbers."""
    by_subscribers = [(float(point.subscribers), point) for point in results.scale.by_subscribers]
    by_publishers = [(float(point.publishers), point) for point in results.scale.by_publishers]
    return [("a", "subscribers", by_subscribers), ("b", "publishers", by_publishers)]


def _panel(title: str, along: str, up: str, lines: Mapping[str, Sequence[tuple[float | None, float | None]]]) -> Panel:
    """A panel of what was measured."""
    found: dict[str, Points] = {}
    for name, points in lines.items():
        known = tuple((at, value) for at, value in points if at is not None and value is not None)
        if known:
            found[name] = known
    return Panel(title, along, up, found)


def _figure(name: str, title: str, panels: Sequence[Panel]) -> Figure:
    rows = [
        (panel.title, panel.up, line, f"{panel.along} = {_number(along)}", _number(value))
        for panel in panels
        for line, points in panel.lines.items()
        for along, value in points
    ]
    drawn = tuple(panel for panel in panels if panel.lines)
    return Figure(name, title, drawn, ("panel", "what", "line", "at", "value"), tuple(rows), left=4)


def _number(value: float | None) -> str:
    """Two digits behind the point of small numbers, none behind others.

    >>> _number(12345.5), _number(1.23456), _number(5.0), _number(None)
    ('12,346', '1.23', '5', '')
    """
    if value is None:
        return ""
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:,.2f}"


def _percent(value: float | None, form: str = ".1f") -> str:
    return "" if value is None else f"{value:{form}}%"
