"""The paper's claims about its experiments beside our measurements, with verdicts.

The figures are drawings; of them only what the text says is taken. The tables are printed in full.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from sparing_lab.study.caeva.grid import ADAPTIVE, AGELE, FAST, SLOWLY, CaevaPoint, PublisherPlaces
from sparing_lab.study.caeva.results import CaevaResults, total
from sparing_lab.study.exhibits import Comparison, cases, known, listed
from sparing_lab.study.verdicts import LEFT_OUT, Judged, all_of, at_most, holds, increasing, near

TABLE_I = {
    3: (101_796, 125_714, 102_583),
    7: (147_913, 220_126, 150_239),
    31: (181_189, 232_420, 197_141),
    255: (203_241, 227_747, 211_375),
}  # publishers -> static min, static max, adaptive
UNIFORM, NONUNIFORM = (153_847, 203_474, 153_385), (293_265, 361_287, 266_722)  # Table II
CLOSE = max(adaptive / least for least, _, adaptive in TABLE_I.values())
PENALTY = max(most / least for least, most, _ in TABLE_I.values())
BETTER = 0.9  # times the best static, which is 10% better

REPORTS = "the paper does not say how many reports an event has, and most messages here are sent to subscribers"
OVERLAY = "the overlay of the tables and the number of reports are not described, so ratios are more meaningful"
PHASES = "the behaviour of nonuniform publishers is not described, so the phases are ours"


def comparisons(results: CaevaResults) -> list[Comparison]:
    """Return all claims of section IV with numbers or about figures."""
    return [*_figure_3(results), *_figure_4(results), *_table_i(results), *_table_ii(results), *_placement(results)]


def _figure_3(results: CaevaResults) -> Iterable[Comparison]:
    points = results.scale.figure_3
    cycles = f"T_m = {points[0].cycle} to {points[-1].cycle}"
    found = [results.suppressed(point, ADAPTIVE) for point in points]
    ours = None if found[-1] is None else f"{found[-1]:.1f}% at T_m = {points[-1].cycle}"
    most = max(known(found), default=None)
    judged = near(most, 80.0).noting(REPORTS)
    yield Comparison("messages that CAEVA suppresses", "Figure 3, left", "up to 80%", ours, judged)
    gains = [_points(results, point) for point in points]
    what = f"percentage points by which CAEVA suppresses more than Agele, {cycles}"
    judged = increasing(gains, 2).noting(REPORTS)
    yield Comparison(what, "Figure 3, left", "more as T_m increases", listed(gains, ".2f", ""), judged)
    delays = {method: [results.mean(point, method, lambda row: row.delay) for point in points] for method in METHODS}
    mine, others = (delays[method] for method in METHODS)
    times = mine[-1] / others[-1] if mine[-1] is not None and others[-1] else None
    ours = None if times is None else f"{mine[-1]:.2f}, {others[-1]:.2f} time units"
    yield Comparison("extra time, CAEVA and Agele", "Figure 3, center", "essentially the same", ours, near(times, 1.0))
    what = f"extra time of CAEVA, {cycles}"
    yield Comparison(what, "Figure 3, center", "larger with larger T_m", listed(mine, ".2f", ""), increasing(mine, 2))
    what = f"messages that CAEVA suppresses, {cycles}"
    yield Comparison(what, "Figure 3, right", "more for more delay", listed(found), increasing(found))


METHODS = (ADAPTIVE, AGELE)


def _points(results: CaevaResults, point: CaevaPoint) -> float | None:
    """Return how many more percent of Siena's messages CAEVA suppresses than Agele."""
    mine, others = (results.suppressed(point, method) for method in METHODS)
    return None if mine is None or others is None else mine - others


def _figure_4(results: CaevaResults) -> Iterable[Comparison]:
    cells = results.scale.figure_4
    gains = {point: _points(results, point) for point in cells}
    by_place = {who: known(gains[point] for point in cells if point.who is who) for who in NEARER}
    means = {who: fmean(found) for who, found in by_place.items() if found}
    what = "percentage points by which CAEVA suppresses more than Agele, by locality"
    ours = ", ".join(f"{who.value} {gain:.2f}" for who, gain in means.items())
    judged = increasing(list(means.values()), 2)
    yield Comparison(what, "Figure 4", "increases with locality", ours or None, judged)
    ahead = [None if gain is None else gain > 0 for gain in gains.values()]
    billed = [_positive(results.ahead(point, ADAPTIVE, AGELE, total)) for point in cells]
    ours_now = None if not known(ahead) else f"{cases(ahead)}; {cases(billed)} if coordination counts"
    parts = {"messages of events:": holds(ahead), "with coordination:": holds(billed)}
    yield Comparison("cases in which CAEVA sends less than Agele", "IV-B", "all", ours_now, all_of(parts))
    mine, others = (fmean(known(found)) if known(found) else None for found in _coordination(results))
    ours_now = None if mine is None or others is None else f"{mine:,.0f}, {others:,.0f}"
    more = None if mine is None or others is None else mine > others
    what = "coordination messages, CAEVA and Agele"
    yield Comparison(what, "IV-B", "CAEVA involves more communication", ours_now, holds([more]))


NEARER = (PublisherPlaces.APART, PublisherPlaces.CLUSTERS, PublisherPlaces.LOCAL)


def _positive(value: float | None) -> bool | None:
    return None if value is None else value > 0


def _coordination(results: CaevaResults) -> list[list[float | None]]:
    cells = results.scale.figure_4
    return [[results.mean(point, method, lambda row: row.coordination) for point in cells] for method in METHODS]


def _table_i(results: CaevaResults) -> Iterable[Comparison]:
    for point in results.scale.table_i:
        if point.publishers in TABLE_I:
            yield _row(results, point, f"{point.publishers} publishers", "Table I", TABLE_I[point.publishers])


def _table_ii(results: CaevaResults) -> Iterable[Comparison]:
    steady, slowly, _, *_ = results.scale.table_ii
    yield _row(results, steady, "uniform publishers", "Table II", UNIFORM)
    yield _row(results, slowly, "nonuniform publishers", "Table II", NONUNIFORM)


def _row(
    results: CaevaResults, point: CaevaPoint, who: str, where: str, printed: tuple[float, float, float]
) -> Comparison:
    """Return the claim of a table row: numbers of messages, and adaptive placement against the best static one."""
    what = f"{who}: static min, max, adaptive (adaptive / min)"
    adaptive = results.mean(point, ADAPTIVE, lambda row: row.data)
    least, most = results.among_fixed(point, min), results.among_fixed(point, max)
    if adaptive is None or not least:
        return Comparison(what, where, _line(*printed), None, LEFT_OUT)
    ours = fmean(least), fmean(most), adaptive
    names = ("min", "max", "adaptive")
    parts = {name: near(one, other) for name, one, other in zip(names, ours, printed, strict=True)}
    parts["adaptive / min"] = _no_worse(adaptive / ours[0], printed[2] / printed[0])
    return Comparison(what, where, _line(*printed), _line(*ours), all_of(parts).noting(OVERLAY))


def _no_worse(ours: float, printed: float) -> Judged:
    """Return ratios with three digits; two digits are compared."""
    return at_most(round(ours, 2), round(printed, 2))


def _line(least: float, most: float, adaptive: float) -> str:
    """Return a row of the tables as text.

    >>> _line(100, 200, 105)
    '100, 200, 105 (1.050)'
    """
    return f"{least:,.0f}, {most:,.0f}, {adaptive:,.0f} ({adaptive / least:.3f})"


def _placement(results: CaevaResults) -> Iterable[Comparison]:
    """Return the claims about adaptive placement in all samples."""
    points = {*results.scale.table_i, *results.scale.table_ii}
    steady = [
        one for point in points if point.who is not PublisherPlaces.CHANGING for one in results.ratios(point, ADAPTIVE)
    ]
    worst = max(steady, default=None)
    ours = None if worst is None else f"at most {worst:.3f} times the best static"
    said = f"close: at most {CLOSE:.3f} times in Table I"
    what = "steady publishers, all samples: adaptive against the best static"
    yield Comparison(what, "IV-C", said, ours, at_most(worst, CLOSE))
    costs = [(results.among_fixed(point, min), results.among_fixed(point, max)) for point in results.scale.table_i]
    penalty = max((fmean(most) / fmean(least) for least, most in costs if least), default=None)
    what = "the worst static against the best, maximum of Table I"
    ours = None if penalty is None else f"{penalty:.2f} times"
    judged = near(penalty, PENALTY).noting(OVERLAY)
    yield Comparison(what, "IV-C", f"a large penalty: {PENALTY:.2f} times", ours, judged)
    for phase in (SLOWLY, FAST):
        some = [point for point in results.scale.table_ii if point.phase == phase]
        found = [one for point in some for one in results.ratios(point, ADAPTIVE)]
        ours = f"mean {fmean(found):.3f}, {min(found):.3f} to {max(found):.3f}" if found else None
        what = f"changing every {phase} events, all samples: adaptive against the best static"
        judged = near(100 * (1 - fmean(found)) if found else None, 100 * (1 - BETTER)).noting(PHASES)
        yield Comparison(what, "IV-C", "significantly (10%) better", ours, judged)
