"""The claims of the paper's text about its experiments, beside our measurements, with verdicts.

Its figures have no numbers. Messages are those for aggregation: `study` has the paper's numbers that rule out all
messages. A count of the paper for its 1,000 seconds is compared with ours scaled to that time; the paper has as many
sliding windows as tumbling ones, so these are compared for equally many windows.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from sparing_lab.study.exhibits import Comparison, cases, known, listed, percent
from sparing_lab.study.mna.grid import PANELS, PAPER, SETTINGS, WORKLOADS, MnaCell
from sparing_lab.study.mna.printed_times import INCREMENTAL, SHORT, time_comparisons
from sparing_lab.study.mna.results import MnaResults, for_aggregation, walk_seconds
from sparing_lab.study.verdicts import LEFT_OUT, all_of, at_most, decreasing, holds, increasing, near

TABLE_I = {90: 3.53, 180: 0.88, 270: 4.29, 360: 3.27}  # subscriptions -> percent over the static optimum
TECHNIQUES = ("adock", "wad", "bat")  # the paper's own
SIMILAR = 10.0  # percent

DRAWS = "our publications and subscriptions are drawn at random, and other seeds give other numbers"
MADE = "our publications are generated, and in most experiments aggregating every window comes close to the optimum"
OPEN = f"{MADE}; the paper does not state the subscriptions and rates of this measurement"
BAT = (
    "the paper only names BAT's idea; ours compares the messages of both modes, so it rarely forwards what is cheaper "
    "to aggregate"
)
LATER = "ADOCK does not know later publications, which costs most where windows have many shifts"
STEEP = f"{LATER}: there it is nearly as far over the optimum as WAD"
SHARED = "publications of small windows are forwarded, and one message then serves two overlapping windows"


def comparisons(results: MnaResults) -> list[Comparison]:
    """Return all claims of the paper's section VIII with numbers or about figures."""
    return [
        *_table_i(results),
        *_techniques(results),
        *_rates(results),
        *_windows(results),
        *_subscriptions(results),
        *time_comparisons(results),
        *_ratios(results),
    ]


def _table_i(results: MnaResults) -> Iterable[Comparison]:
    cells = {count: results.scale.cell("stock", "sliding", subscriptions=count) for count in TABLE_I}
    over = {count: results.over(cell, "adock", "static", for_aggregation) for count, cell in cells.items()}
    for count, printed in TABLE_I.items():
        what = f"ADOCK's messages over the static optimum's: stock, sliding, {count} subscriptions"
        judged = near(over[count], printed).noting(f"{MADE}; other seeds give other numbers")
        yield Comparison(what, "Table I", f"{printed}%", percent(over[count], 2), judged)
    most = max(known(over.values()), default=None)
    judged = at_most(most, max(TABLE_I.values()))
    what = "ADOCK's messages over the static optimum's, maximum of these four"
    yield Comparison(what, "VIII-B", "only 4.29%", percent(most, 2), judged)


def _techniques(results: MnaResults) -> Iterable[Comparison]:
    for policy, others, choose, note in (
        ("ADOCK", "no more than WAD and BAT", min, LATER),
        ("BAT", "no less than ADOCK and WAD", max, BAT),
    ):
        found = []
        for cell in results.cells:
            counts = {one: row.for_aggregation for one in TECHNIQUES if (row := results.row(cell, one))}
            if len(counts) == len(TECHNIQUES):
                found.append(counts[policy.lower()] == choose(counts.values()))
        what = f"experiments in which {policy} sends {others}"
        yield Comparison(what, "Figures 6, 8", "all", cases(found), holds(found).noting(note))
    means = {workload: _mean_overhead(results, workload) for workload in WORKLOADS}
    traffic, stock = means["traffic"], means["stock"]
    judged = LEFT_OUT
    if traffic is not None and stock is not None:
        judged = all_of({"traffic": at_most(traffic, SIMILAR), "more for stock:": holds([traffic < stock])})
    what = "WAD's messages over ADOCK's, mean over rates: traffic, stock"
    said = "similar on traffic (read as within 10%), noticeably more on stock"
    yield Comparison(what, "Figure 6", said, listed(means.values()), judged.noting(MADE))


def _mean_overhead(results: MnaResults, workload: str) -> float | None:
    cells = [cell for windows in SETTINGS for cell in results.scale.by_rate(workload, windows)]
    found = known(results.over(cell, "wad", "adock", for_aggregation) for cell in cells)
    return fmean(found) if found else None


def _rates(results: MnaResults) -> Iterable[Comparison]:
    for workload, panel, numbers in (("traffic", "a", {162: 7.0, 1080: 2.7}), ("stock", "c", {465: 50.0, 2790: 22.0})):
        where = f"Figure 6({panel})"
        for rate, printed in numbers.items():
            ours = results.over(results.scale.cell(workload, "tumbling", rate=rate), "wad", "adock", for_aggregation)
            what = f"WAD's messages over ADOCK's: {workload}, tumbling, {rate}/s"
            yield Comparison(what, where, f"{printed:g}%", percent(ours), near(ours, printed).noting(OPEN))
        cells = [cell for cell in results.scale.by_rate(workload, "tumbling") if cell.rate >= min(numbers)]
        over = [results.over(cell, "wad", "adock", for_aggregation) for cell in cells]
        what = f"WAD's messages over ADOCK's, as rates grow from {min(numbers)}/s on: {workload}, tumbling"
        yield Comparison(what, where, "shrinks", listed(over), decreasing(over).noting(OPEN))
    rates = [cell for panel in PANELS for cell in results.scale.by_rate(*panel)]
    below = max(known(_below(results, cell) for cell in rates), default=None)
    what = "ADOCK's messages below WAD's, maximum over rates"
    yield Comparison(what, "VIII-E", "up to 50%", percent(below), near(below, 50.0).noting(OPEN))
    for workload, said in (("traffic", "nearly 600,000"), ("stock", "at most 20,000")):
        cells = results.scale.by_rate(workload, "tumbling")
        more = max(known(_difference(results, cell, "bat", "adock") for cell in cells), default=None)
        judged = near(more, 600_000) if workload == "traffic" else at_most(more, 20_000)
        what = f"BAT's messages in addition to ADOCK's, maximum over all rates: {workload}, tumbling"
        yield Comparison(what, "VIII-C", said, None if more is None else f"{more:,.0f}", judged.noting(BAT))


def _windows(results: MnaResults) -> Iterable[Comparison]:
    for rate, printed, said in ((465, 4.6, "4.6%, the most"), (2790, 1.8, "1.8%, the least")):
        apart = _apart(results, "adock", "stock", rate)
        what = f"ADOCK's messages for equally many windows, sliding over tumbling, more or fewer: stock, {rate}/s"
        judged = near(None if apart is None else abs(apart), printed).noting(DRAWS)
        yield Comparison(what, "Figure 6(d)", said, percent(apart), judged)
    rates = [(workload, rate) for workload in WORKLOADS for rate in results.scale.rates[workload]]
    most = {
        name: max(map(abs, known(_apart(results, name, *one) for one in rates)), default=None) for name in TECHNIQUES
    }
    judged = all_of({name.upper(): at_most(apart, SIMILAR) for name, apart in most.items()})
    what = "messages for equally many windows, sliding against tumbling, maximum over all rates: ADOCK, WAD, BAT"
    yield Comparison(what, "Figure 6", "similar (read as within 10%)", listed(most.values()), judged.noting(SHARED))


def _subscriptions(results: MnaResults) -> Iterable[Comparison]:
    sweep = results.scale.by_subscriptions("stock", "sliding")
    for count, printed in ((90, 28.67), (360, 12.7)):
        ours = results.over(
            results.scale.cell("stock", "sliding", subscriptions=count), "wad", "adock", for_aggregation
        )
        what = f"WAD's messages over ADOCK's: stock, sliding (the paper does not say which), {count} subscriptions"
        yield Comparison(what, "Figure 8(a)", f"{printed}%", percent(ours), near(ours, printed).noting(OPEN))
    over = [results.over(cell, "wad", "adock", for_aggregation) for cell in sweep if cell.subscriptions >= 90]
    what = "WAD's messages over ADOCK's, as subscriptions grow from 90 on: stock, sliding"
    yield Comparison(what, "Figure 8(a)", "shrinks", listed(over), decreasing(over).noting(OPEN))
    every = [cell for panel in PANELS for cell in results.scale.by_subscriptions(*panel)]
    most = max(known(results.over(cell, "wad", "adock", for_aggregation) for cell in every), default=None)
    what = "WAD's messages over ADOCK's, maximum over subscriptions"
    yield Comparison(what, "VIII-E", "up to 29%", percent(most), near(most, 29.0).noting(OPEN))
    counts = {name: [row.for_aggregation for cell in sweep if (row := results.row(cell, name))] for name in TECHNIQUES}
    judged = all_of({name.upper(): increasing(found) for name, found in counts.items()})
    told = "; ".join(
        f"{name.upper()} {', '.join(f'{one:,}' for one in found)}" for name, found in counts.items() if found
    )
    yield Comparison("messages as subscriptions grow", "Figure 8(a)", "grow for all techniques", told or None, judged)


def _ratios(results: MnaResults) -> Iterable[Comparison]:
    gentle, steep = (results.scale.with_ratio(ratio) for ratio in (1.5, 6))
    times = [results.over(cell, "adock", "wad", walk_seconds) for cell in (gentle, steep)]
    more = [results.over(cell, "wad", "adock", for_aggregation) for cell in (gentle, steep)]
    for what, said, printed, ours, note in (
        ("ADOCK's decision time over WAD's, window 1.5 shifts", "about 41%", 41.0, times[0], INCREMENTAL),
        ("WAD's messages over ADOCK's, window 1.5 shifts", "4%", 4.0, more[0], OPEN),
        ("ADOCK's decision time over WAD's, window 6 shifts", "around 300%", 300.0, times[1], INCREMENTAL),
        ("ADOCK's messages below WAD's, window 6 shifts", "27%", 27.0, _below(results, steep), STEEP),
        ("WAD's messages over ADOCK's, window 6 shifts", "25%", 25.0, more[1], STEEP),
    ):
        yield Comparison(what, "Figure 9", said, percent(ours), near(ours, printed).noting(note))
    for what, pair, of, note in (
        ("WAD's messages over ADOCK's, as a window has more shifts", ("wad", "adock"), for_aggregation, STEEP),
        ("ADOCK's decision time over WAD's, as a window has more shifts", ("adock", "wad"), walk_seconds, SHORT),
    ):
        over = [results.over(cell, *pair, of) for cell in results.scale.by_ratio()]
        yield Comparison(what, "Figure 9", "grows", listed(over), increasing(over).noting(note))


def _below(results: MnaResults, cell: MnaCell) -> float | None:
    """Return by how many percent ADOCK's messages are below WAD's."""
    over = results.over(cell, "adock", "wad", for_aggregation)
    return None if over is None else -over


def _apart(results: MnaResults, policy: str, workload: str, rate: float) -> float | None:
    """Return by how many percent the messages of sliding windows exceed those of equally many tumbling ones."""
    one, other = (results.row(results.scale.cell(workload, windows, rate=rate), policy) for windows in SETTINGS)
    if one is None or other is None or not other.for_aggregation:
        return None
    return 100 * (one.for_aggregation * one.cell.slide / (other.for_aggregation * other.cell.slide) - 1)


def _difference(results: MnaResults, cell: MnaCell, policy: str, base: str) -> float | None:
    """Return the difference of two policies' messages, scaled to the duration of the paper's experiments."""
    one, other = results.row(cell, policy), results.row(cell, base)
    if one is None or other is None:
        return None
    return (one.for_aggregation - other.for_aggregation) * PAPER.duration / cell.duration
