"""Costs of methods and of trees from measurements: rows of text, and panels of plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sparing.report.plots import Panel
from sparing_lab.study.exhibits import Figure, Table, figure_of, number, panel_of
from sparing_lab.study.mefa.grid import (
    CHURN_METHODS,
    DO,
    DRAWN,
    GAMMAS,
    MEFA,
    METHODS,
    PAIRS,
    PRINTED,
    RATES,
    SHARES,
    TARGETS,
    THETA,
    MefaExperiment,
    MefaPoint,
    a_second,
    ds,
    exact_point,
    usual,
)
from sparing_lab.study.mefa.results import MefaResults, no_dearer
from sparing_lab.study.mefa.row import MefaRow
from sparing_lab.study.results import mean
from sparing_lab.workloads.ranges import Distribution

COSTS_TITLE = "96 nodes, 40 subscribers, ranges of 35: links saved / mean cost, and how often MEFA is cheapest"
ACCOUNTS_TITLE = "Links that can be saved, samples with 100 of them, links saved by 100 pairs, and the cost of these"
FACEBOOK_TITLE = "Facebook: links saved / mean cost, and how often MEFA is cheapest"
TREES_TITLE = "96 nodes, 40 subscribers, ranges of 35: links saved / mean cost of MEFA"
LENGTHS_TITLE = "The same trees: hops to the publisher, subscribers moved, entries sent in total, left at 50%"
EXACT_TITLE = "20 nodes, 8 subscribers, ranges of 50: cost over the least, mean / worst, and how often it is the least"
CHURN_TITLE = (
    "96 nodes, 40 subscribers, 60 of them replaced in an hour: first entries + changes + reconfigurations + false"
)
HALF = "50%"
TREES = (DO, *(ds(gamma) for gamma in GAMMAS))


def figures(results: MefaResults) -> list[Figure]:
    """Return the slides' three plots of costs and the one of trees, with two accounts, and two of ours."""
    return [
        _by_nodes(results, PAIRS),
        _by_average(results, PAIRS),
        _by_nodes(results, HALF),
        _by_average(results, HALF),
        _by_share(results),
        _real_case(results),
        _trees(results),
        _ratios(results),
    ]


def costs_table(results: MefaResults) -> Table:
    """Return the costs of every method at the default point, for all targets."""
    points = [(distribution.value, usual(MefaExperiment.AGGREGATION, distribution)) for distribution in Distribution]
    return _methods_table(results, points)


def facebook_table(results: MefaResults) -> Table:
    """Return the costs of every method in the real case."""
    points = [(one.value, point) for one in Distribution for point in results.facebook(one)]
    return _methods_table(results, points)


def accounts_table(results: MefaResults) -> Table:
    """Return the meaning of theta = 100 in links and in pairs."""
    rows = []
    for distribution in Distribution:
        points = results.scale.by_nodes(MefaExperiment.AGGREGATION, distribution) + results.facebook(distribution)
        for point in points:
            printed, ours = (results.samples(point, PAIRS, method, DRAWN) for method in (PRINTED, MEFA))
            if printed:
                possible = mean([row.possible for row in printed])
                enough = 100 * sum(row.possible >= THETA for row in printed) / len(printed)
                saved = mean([row.benefit for row in printed])
                costs = [number(mean([row.cost for row in some])) for some in (printed, ours)]
                name = "Facebook" if point.kind is MefaExperiment.FACEBOOK else f"{point.nodes} nodes"
                rows.append([distribution.value, name, f"{possible:.1f}", f"{enough:.0f}%", f"{saved:.1f}", *costs])
    return ["ranges", "tree", "possible", f"≥ {THETA}", PAIRS, PRINTED, MEFA], rows


def trees_table(results: MefaResults) -> Table:
    """Return the costs of MEFA on DO and DS trees, with the same target of saved links."""
    rows = []
    for distribution in Distribution:
        point = usual(MefaExperiment.TREES, distribution)
        for target in TARGETS:
            cells = [_saved_and_cost(results.samples(point, target, MEFA, tree)) for tree in TREES]
            if any(cells):
                rows.append([distribution.value, target, *cells])
    return ["ranges", "to save", *TREES], rows


def lengths_table(results: MefaResults) -> Table:
    """Return the properties of DS and DO trees: hops, moved subscribers, entries."""
    rows = []
    for distribution in Distribution:
        for tree in TREES:
            found = results.samples(usual(MefaExperiment.TREES, distribution), HALF, MEFA, tree)
            if found:
                hops = number(mean([row.told / row.point.subscribers for row in found]))
                moved = number(mean([row.moved for row in found]))
                told, left = mean([row.told for row in found]), mean([row.told - row.benefit for row in found])
                rows.append([distribution.value, tree, hops, moved, number(told), number(left)])
    return ["ranges", "tree", "hops", "moved", "told", "left"], rows


def exact_table(results: MefaResults) -> Table:
    """Return the ratio of each method's cost to the least cost."""
    rows = []
    for distribution in Distribution:
        point = exact_point(distribution)
        for target in SHARES:
            cells = []
            for method in METHODS:
                ratios, best = results.ratios(point, target, method), results.best(point, target, method)
                cells.append(f"{mean(ratios):.2f} / {max(ratios):.2f}, {best:.0f}%" if ratios else "")
            if any(cells):
                rows.append([distribution.value, target, *cells])
    return ["ranges", "to save", *METHODS], rows


def churn_table(results: MefaResults) -> Table:
    """Return the messages under churn, by the strategy of reconfiguration."""
    rows = []
    for distribution in Distribution:
        for rate in RATES:
            point, target = usual(MefaExperiment.CHURN, distribution), a_second(rate)
            cells = [_sent(results.samples(point, target, method, DRAWN)) for method in CHURN_METHODS]
            if any(cells):
                rows.append([distribution.value, target, *cells])
    return ["ranges", "publications", *CHURN_METHODS], rows


def _sent(rows: Sequence[MefaRow]) -> str:
    """Return the number of messages and its parts."""
    parts = [mean([getattr(row, name) for row in rows]) for name in ("told", "changes", "reconfigured", "false")]
    if parts[0] is None:
        return ""
    return f"{sum(part or 0 for part in parts):,.0f} = " + " + ".join(f"{part:,.0f}" for part in parts)


TABLES: Mapping[str, Callable[[MefaResults], Table]] = {
    COSTS_TITLE: costs_table,
    ACCOUNTS_TITLE: accounts_table,
    FACEBOOK_TITLE: facebook_table,
    TREES_TITLE: trees_table,
    LENGTHS_TITLE: lengths_table,
    EXACT_TITLE: exact_table,
    CHURN_TITLE: churn_table,
}  # by title, the first two columns being words


def _methods_table(results: MefaResults, points: Sequence[tuple[str, MefaPoint]]) -> Table:
    rows = []
    for name, point in points:
        for target in TARGETS:
            cells = [_saved_and_cost(results.samples(point, target, method, DRAWN)) for method in METHODS]
            often = no_dearer(*(results.costs([point], target, method) for method in METHODS))
            if often is not None:
                rows.append([name, target, *cells, f"{often:.0f}%"])
    return ["ranges", "to save", *METHODS, "cheapest"], rows


def _saved_and_cost(rows: Sequence[MefaRow]) -> str:
    saved, cost = mean([row.benefit for row in rows]), mean([row.cost for row in rows])
    return f"{saved:.1f} / {number(cost)}" if saved is not None else ""


def _by_nodes(results: MefaResults, target: str) -> Figure:
    panels = []
    for distribution in Distribution:
        points = [
            (float(point.nodes), point) for point in results.scale.by_nodes(MefaExperiment.AGGREGATION, distribution)
        ]
        panels.append(_costs(results, distribution, "nodes", points, target))
    return figure_of(f"Cost by nodes, {target}", f"Average size of ranges 35; {_told(target)}", panels)


def _by_average(results: MefaResults, target: str) -> Figure:
    panels = []
    for distribution in Distribution:
        points = [(float(point.average), point) for point in results.scale.by_average(distribution)]
        panels.append(_costs(results, distribution, "average size", points, target))
    return figure_of(f"Cost by size of ranges, {target}", f"96 nodes, 40 subscribers; {_told(target)}", panels)


def _told(target: str) -> str:
    """Return a target as text."""
    if target == PAIRS:
        return "target: the links that MEFA as printed saves at theta = 100, counting pairs"
    return f"target: {target} of all links that can be saved"


def _costs(
    results: MefaResults, distribution: Distribution, along: str, points: Sequence[tuple[float, MefaPoint]], target: str
) -> Panel:
    methods = (*METHODS, PRINTED) if target == PAIRS else METHODS
    lines = {method: [(at, results.cost(point, target, method)) for at, point in points] for method in methods}
    return panel_of(distribution.value, along, "mean cost", lines)


def _by_share(results: MefaResults) -> Figure:
    points = [(distribution, usual(MefaExperiment.AGGREGATION, distribution)) for distribution in Distribution]
    panels = list(_shares(results, points))
    return figure_of("Cost by what is saved", "96 nodes, 40 subscribers, average size of ranges 35", panels)


def _real_case(results: MefaResults) -> Figure:
    points = [(one, point) for one in Distribution for point in results.facebook(one)]
    panels = list(_shares(results, points))
    return figure_of("Cost by what is saved, Facebook", "The real case's tree, average size of ranges 1,687", panels)


def _shares(results: MefaResults, points: Sequence[tuple[Distribution, MefaPoint]]) -> Iterator[Panel]:
    for distribution, point in points:
        lines = {
            method: [(100 * share, results.cost(point, target, method)) for target, share in SHARES.items()]
            for method in METHODS
        }
        yield panel_of(distribution.value, "links saved, %", "mean cost", lines)


def _trees(results: MefaResults) -> Figure:
    panels = []
    for distribution in Distribution:
        points = results.scale.by_nodes(MefaExperiment.TREES, distribution)
        lines = {tree: [(point.nodes, results.cost(point, HALF, MEFA, tree)) for point in points] for tree in TREES}
        panels.append(panel_of(distribution.value, "nodes", "mean cost of MEFA", lines))
    return figure_of(
        "DO and DS trees", "Target on all trees: 50% of the links that can be saved on the DO tree", panels
    )


def _ratios(results: MefaResults) -> Figure:
    panels = []
    for distribution in Distribution:
        point = exact_point(distribution)
        lines = {
            method: [(100 * share, mean(results.ratios(point, target, method))) for target, share in SHARES.items()]
            for method in METHODS
        }
        panels.append(panel_of(distribution.value, "links saved, %", "cost / least cost", lines))
    return figure_of("Ratio to the least cost", "20 nodes, 8 subscribers, average size of ranges 50", panels)
