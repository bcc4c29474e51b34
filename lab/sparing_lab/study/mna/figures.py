"""The paper's Table I and Figures 6 to 9 from measurements: rows of text, and panels of plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean

from sparing.report.plots import Panel
from sparing_lab.study.exhibits import Figure, known, percent
from sparing_lab.study.mna.grid import PANELS, MnaCell
from sparing_lab.study.mna.printed import TABLE_I
from sparing_lab.study.mna.results import MnaResults, for_aggregation, messages, seconds, walk_seconds
from sparing_lab.study.mna.row import MnaRow

OPTIMUM = "static"
FORWARDS = "subscriber-edge"  # left out of plots, because it is far above the others
FOR_AGGREGATION = "for aggregation"
TABLE_I_TITLE = "Table I: messages for aggregation over those of the static optimum, by subscriptions (stock, sliding)"
SUMMARY_TITLE = (
    "All experiments: messages, how far those for aggregation are over static's, CPU seconds, walk against WAD's"
)
DECIDING = ("adock", "wad", "bat", "wad-live", "patience")  # compared with the optimum in plots

Along = Callable[[MnaCell], float]  # the varied parameter
Value = Callable[[MnaCell, str], float | None]  # the value of a cell and a policy


def figures(results: MnaResults) -> list[Figure]:
    """Return Figures 6 to 9."""
    return [_figure_6(results), _figure_7(results), _figure_8(results), _figure_9(results)]


def table_i(results: MnaResults) -> tuple[list[str], list[list[str]]]:
    """Return messages for aggregation over those of the static optimum, for every policy; the paper has ADOCK's."""
    cells = results.scale.by_subscriptions("stock", "sliding")
    names = ["policy", *[str(cell.subscriptions) for cell in cells]]
    rows = [["ADOCK, as printed", *[f"{p}%" if (p := TABLE_I.get(cell.subscriptions)) else "" for cell in cells]]]
    rows += [
        [policy, *[percent(results.over(cell, policy, OPTIMUM, for_aggregation), 2) or "" for cell in cells]]
        for policy in results.policies
        if policy != OPTIMUM
    ]
    return names, rows


def summary(results: MnaResults) -> tuple[list[str], list[list[str]]]:
    """Return for every policy the sums over all cells, its distance from the optimum, and its CPU time."""
    rows = []
    for policy in results.policies:
        mine = [row for row in results.rows if row.policy == policy]
        over = known(results.over(cell, policy, OPTIMUM, for_aggregation) for cell in results.cells)
        against = known(results.ratio(cell, policy, "wad", walk_seconds) for cell in results.cells)
        rows.append(
            [
                policy,
                f"{sum(row.messages for row in mine):,}",
                f"{sum(row.for_aggregation for row in mine):,}",
                f"{mean(over):+.2f}%" if over else "",
                f"{max(over):+.2f}%" if over else "",
                f"{sum(row.matching_seconds for row in mine):,.1f}",
                f"{sum(row.walk_seconds for row in mine):,.1f}",
                f"{mean(against):.2f}" if against else "",
            ]
        )
    return ["policy", "all messages", "for aggregation", "mean", "most", "matching", "walk", "/ WAD"], rows


def _figure_6(results: MnaResults) -> Figure:
    return _swept(
        results,
        "Figure 6",
        "Messages between brokers, by the rate of publications",
        results.scale.by_rate,
        ("publications per second", lambda cell: cell.rate),
        _costs(results),
    )


def _figure_7(results: MnaResults) -> Figure:
    return _swept(
        results,
        "Figure 7",
        "Compute: matching and walk, by the rate of publications",
        results.scale.by_rate,
        ("publications per second", lambda cell: cell.rate),
        (("seconds", _absolute(results, seconds)), ("seconds of the walk", _absolute(results, walk_seconds))),
    )


def _figure_8(results: MnaResults) -> Figure:
    return _swept(
        results,
        "Figure 8",
        "Messages and compute, by the number of subscriptions",
        results.scale.by_subscriptions,
        ("subscriptions", lambda cell: cell.subscriptions),
        (*_costs(results), ("seconds", _absolute(results, seconds))),
    )


def _figure_9(results: MnaResults) -> Figure:
    cells = results.scale.by_ratio()
    shown: tuple[tuple[str, Value], ...] = (
        *_costs(results),
        ("for aggregation, over ADOCK, %", _relative(results, "adock", for_aggregation)),
        ("seconds of the walk", _absolute(results, walk_seconds)),
        ("seconds of the walk over WAD, %", _relative(results, "wad", walk_seconds)),
    )
    along: tuple[str, Along] = ("window / shift", lambda cell: round(cell.window / cell.slide, 2))
    panels = [_panel(results, "", cells, along, label, value) for label, value in shown]
    rows = _numbers(results, cells, along[1], [value for _, value in shown])
    names = ("window / shift", "policy", *[label for label, _ in shown])
    title = f"Windows of {cells[0].window:g} s by their shift: {cells[0].workload}"
    return Figure("Figure 9", title, _drawn(panels), names, tuple(rows), left=2)


def _swept(
    results: MnaResults,
    name: str,
    title: str,
    sweep: Callable[[str, str], list[MnaCell]],
    along: tuple[str, Along],
    shown: Sequence[tuple[str, Value]],
) -> Figure:
    """Return a figure with a column of panels for each workload and kind of windows, and a row for each value."""
    panels, rows = [], []
    for label, value in shown:
        for letter, (workload, windows) in zip("abcd", PANELS, strict=True):
            heading = f"({letter}) {workload}, {windows}"
            panels.append(_panel(results, heading, sweep(workload, windows), along, label, value))
    for workload, windows in PANELS:
        found = _numbers(results, sweep(workload, windows), along[1], [value for _, value in shown])
        rows += [(workload, windows, *row) for row in found]
    names = ("workload", "windows", along[0], "policy", *[label for label, _ in shown])
    return Figure(name, title, _drawn(panels), names, tuple(rows), left=4)


def _panel(
    results: MnaResults, heading: str, cells: Sequence[MnaCell], along: tuple[str, Along], label: str, value: Value
) -> Panel:
    lines = {}
    for policy in results.policies:
        if (label, policy) == (FOR_AGGREGATION, FORWARDS):
            continue
        points = [(along[1](cell), found) for cell in cells if (found := value(cell, policy)) is not None]
        if points:
            lines[policy] = tuple(points)
    return Panel(heading, along[0], label, lines)


def _drawn(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """Return the panels that have lines."""
    return tuple(panel for panel in panels if panel.lines)


def _numbers(
    results: MnaResults, cells: Sequence[MnaCell], along: Along, values: Sequence[Value]
) -> list[tuple[str, ...]]:
    return [
        (f"{along(cell):g}", policy, *[_number(value(cell, policy)) for value in values])
        for cell in cells
        for policy in results.policies
        if results.row(cell, policy) is not None
    ]


def _absolute(results: MnaResults, of: Callable[[MnaRow], float]) -> Value:
    def value(cell: MnaCell, policy: str) -> float | None:
        row = results.row(cell, policy)
        return None if row is None else of(row)

    return value


def _relative(results: MnaResults, base: str, of: Callable[[MnaRow], float]) -> Value:
    def value(cell: MnaCell, policy: str) -> float | None:
        return results.over(cell, policy, base, of) if policy in DECIDING and policy != base else None

    return value


def _costs(results: MnaResults) -> tuple[tuple[str, Value], ...]:
    """Return the communication cost in both ways of counting, and compared with the optimum."""
    return (
        ("all messages", _absolute(results, messages)),
        (FOR_AGGREGATION, _absolute(results, for_aggregation)),
        ("for aggregation, over static, %", _relative(results, OPTIMUM, for_aggregation)),
    )


def _number(value: float | None) -> str:
    """Return a count as it is, other numbers with two decimal places.

    >>> _number(12345), _number(1.23456), _number(None)
    ('12,345', '1.23', '')
    """
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
