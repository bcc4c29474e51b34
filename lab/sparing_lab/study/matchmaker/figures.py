"""The paper's Figures 8 to 13 from measurements, and the failures of Figure 6: rows of text, and panels of plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from sparing.report.plots import Panel
from sparing_lab.study.exhibits import Figure, Table, figure_of, number, panel_of
from sparing_lab.study.matchmaker.grid import BY_CHANCE, MIDDLE, PER_SOURCE, SHARED, TREES, MatchmakerPoint
from sparing_lab.study.matchmaker.printed import (
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
from sparing_lab.study.matchmaker.results import MCM, PUB_E, SUB_E, MatchmakerResults, percentile
from sparing_lab.study.matchmaker.row import MatchmakerRow

COSTS_TITLE = "10 publishers, 10 subscribers: medians / 90th percentiles, samples with MCM <30% and ≤50% of PubE / SubE"
FAILURES_TITLE = "Figure 6 as printed: samples with an invalid marking; of these, pairs apart and costs over the least"
MONOTONE_TITLE = "Samples that are not monotone, samples with entangled links, and how many links these are"
BY_POINT = "trees, publishers x subscribers"
SHOWN = (1, *range(5, 100, 5), 99)  # percent, of distributions
OWN_TREES = (PER_SOURCE, BY_CHANCE)
FIGURES = {SHARED: ("8", "9"), PER_SOURCE: ("11", "12"), BY_CHANCE: ("11", "12")}  # of costs, of ratios


def figures(results: MatchmakerResults) -> list[Figure]:
    """Return Figures 8 to 13, related ones side by side, and one of ours."""
    makers = _figures_8_11, _figures_9_12, _figure_10, _figure_13, _failures
    return [maker(results) for maker in makers]


def costs_table(results: MatchmakerResults) -> Table:
    """Return the costs at the default point, for all kinds of trees and both roundings."""
    rows = []
    for trees in TREES:
        for point in (MIDDLE, NEAREST):
            found = results.samples(point, trees)
            much, half = met(found, below_30), met(found, at_most_half)
            if much is None or half is None:
                continue
            costs = [
                " / ".join(number(results.percentile(point, trees, method, percent)) for percent in (50, 90))
                for method in (MCM, PUB_E, SUB_E)
            ]
            shares = [f"{one:.0f} / {other:.0f}%" for one, other, _ in (much, half)]
            name = trees if point == MIDDLE else f"{trees}, {point.rounding}"
            rows.append([name, *costs, *shares])
    return ["trees", MCM, PUB_E, SUB_E, "<30%", "≤50%"], rows


def failures_table(results: MatchmakerResults, points: Sequence[MatchmakerPoint]) -> Table:
    """Return the failures of Figure 6 as printed, their effect, and the costs of repairs."""
    rows = []
    for name, found in _by_point(results, points):
        invalid = [row for row in found if not row.valid]
        over = [[100 * (cost - row.mcm) / row.mcm for cost in (row.printed, *row.repairs)] for row in invalid]
        line = [_percent(invalid_samples(found))]
        line.append(_mean([100 * row.parted / (row.point.publishers * row.point.subscribers) for row in invalid]))
        line += [_mean([costs[at] for costs in over], "+.2f") for at in range(4)]
        rows.append([name, *line])
    return [BY_POINT, "invalid", "apart", "counted", "s-repair", "p-repair", "cheaper"], rows


def monotone_table(results: MatchmakerResults, points: Sequence[MatchmakerPoint]) -> Table:
    """Return the shares of samples that are not monotone, of samples with entangled links, and of such links."""
    measures = unmonotone_samples, unmonotone_links, entangled_samples, entangled_links
    rows = [[name, *[_percent(measure(found)) for measure in measures]] for name, found in _by_point(results, points)]
    return [BY_POINT, "not monotone", "of links", "entangled", "of links"], rows


def _by_point(
    results: MatchmakerResults, points: Sequence[MatchmakerPoint]
) -> Iterator[tuple[str, list[MatchmakerRow]]]:
    """Yield samples with trees per source, by kind of trees and numbers of publishers and subscribers, and all."""
    every = {*results.scale.by_subscribers, *results.scale.by_publishers}
    for trees in OWN_TREES:
        chosen = {f"{point.publishers} x {point.subscribers}": results.samples(point, trees) for point in points}
        chosen["all points"] = [row for point in sorted(every) for row in results.samples(point, trees)]
        yield from ((f"{trees}, {name}", found) for name, found in chosen.items() if found)


def _figures_8_11(results: MatchmakerResults) -> Figure:
    panels = []
    for trees in TREES:
        lines = {
            method: [(results.percentile(MIDDLE, trees, method, percent), percent) for percent in SHOWN]
            for method in (PUB_E, SUB_E, MCM)
        }
        panels.append(panel_of(f"Figure {FIGURES[trees][0]}: {trees}", "cost", "samples up to it, %", lines))
    return figure_of("Figures 8 and 11", "Distribution of the cost, 10 publishers and 10 subscribers", panels)


def _figures_9_12(results: MatchmakerResults) -> Figure:
    panels = []
    for trees in TREES:
        lines = {}
        for base in (PUB_E, SUB_E):
            found = results.ratios(MIDDLE, trees, base)
            lines[f"MCM / {base}"] = [(percentile(found, percent), percent) for percent in SHOWN]
        panels.append(panel_of(f"Figure {FIGURES[trees][1]}: {trees}", "ratio of costs", "samples up to it, %", lines))
    return figure_of("Figures 9 and 12", "Distribution of the ratios, 10 publishers and 10 subscribers", panels)


def _figure_10(results: MatchmakerResults) -> Figure:
    return figure_of("Figure 10", "Mean cost by numbers, the other being 10: shared trees", _means(results, SHARED))


def _figure_13(results: MatchmakerResults) -> Figure:
    panels = [panel for trees in OWN_TREES for panel in _means(results, trees)]
    return figure_of("Figure 13", "Mean cost by numbers, the other being 10: trees per source", panels)


def _means(results: MatchmakerResults, trees: str) -> list[Panel]:
    panels = []
    for letter, along, points in _sweeps(results):
        lines = {
            method: [(at, results.mean(point, trees, method)) for at, point in points] for method in (PUB_E, SUB_E, MCM)
        }
        panels.append(panel_of(f"({letter}) {trees}", along, "mean cost", lines))
    return panels


def _failures(results: MatchmakerResults) -> Figure:
    panels = []
    measures: Sequence[tuple[str, Callable[[Sequence[MatchmakerRow]], float | None]]] = (
        ("Figure 6 invalid, % of samples", invalid_samples),
        ("not monotone, % of samples", unmonotone_samples),
    )
    for up, value in measures:
        for _, along, points in _sweeps(results):
            lines = {trees: [(at, value(results.samples(point, trees))) for at, point in points] for trees in OWN_TREES}
            panels.append(panel_of(f"by {along}", along, up, lines))
    title = "Samples on which Figure 6 as printed fails, and samples that are not monotone"
    return figure_of("Not in the paper", title, panels)


def _sweeps(results: MatchmakerResults) -> list[tuple[str, str, list[tuple[float, MatchmakerPoint]]]]:
    """Return the sweeps over subscribers and over publishers."""
    by_subscribers = [(float(point.subscribers), point) for point in results.scale.by_subscribers]
    by_publishers = [(float(point.publishers), point) for point in results.scale.by_publishers]
    return [("a", "subscribers", by_subscribers), ("b", "publishers", by_publishers)]


def _percent(value: float | None, form: str = ".1f") -> str:
    return "" if value is None else f"{value:{form}}%"


def _mean(values: Sequence[float], form: str = ".1f") -> str:
    return _percent(fmean(values) if values else None, form)
