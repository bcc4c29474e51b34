"""What the paper prints, and ours beside it.

The figures are drawings; of them only what the text says is taken. The tables are printed in full.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from sparing.study.caeva.grid import ADAPTIVE, AGELE, FAST, SLOWLY, Point, Who
from sparing.study.caeva.results import Results, total
from sparing.study.exhibits import Comparison

TABLE_I = {
    3: (101_796, 125_714, 102_583),
    7: (147_913, 220_126, 150_239),
    31: (181_189, 232_420, 197_141),
    255: (203_241, 227_747, 211_375),
}  # publishers -> static min, static max, adaptive
UNIFORM, NONUNIFORM = (153_847, 203_474, 153_385), (293_265, 361_287, 266_722)  # Table II


def comparisons(results: Results) -> list[Comparison]:
    """Everything that section IV says in numbers, and what it says of its figures."""
    return [*_figure_3(results), *_figure_4(results), *_table_i(results), *_table_ii(results), *_goals(results)]


def _figure_3(results: Results) -> Iterable[Comparison]:
    first, last = results.scale.figure_3[0], results.scale.figure_3[-1]
    most = results.suppressed(last, ADAPTIVE)
    ours = None if most is None else f"{most:.1f}% at T_m = {last.cycle}"
    yield Comparison("messages that CAEVA suppresses", "Figure 3, left", "up to 80%", ours)
    gains = [_points(results, point) for point in (first, last)]
    ours = None
    if gains[0] is not None and gains[1] is not None:
        ours = f"by {gains[0]:.2f} points at T_m = {first.cycle}, {gains[1]:.2f} at T_m = {last.cycle}"
    yield Comparison("CAEVA suppresses more than Agele", "Figure 3, left", "as T_m increases", ours)
    delays = [results.mean(last, method, lambda row: row.delay) for method in (ADAPTIVE, AGELE)]
    ours = None if None in delays else f"{delays[0]:.2f}, {delays[1]:.2f} time units"
    yield Comparison("extra time, CAEVA and Agele", "Figure 3, center", "essentially the same", ours)


def _points(results: Results, point: Point) -> float | None:
    """How many more percent of Siena's messages CAEVA suppresses than Agele."""
    mine, others = (results.suppressed(point, method) for method in (ADAPTIVE, AGELE))
    return None if mine is None or others is None else mine - others


def _figure_4(results: Results) -> Iterable[Comparison]:
    ours, ahead, known = [], 0, 0
    for who in (Who.APART, Who.CLUSTERS, Who.LOCAL):
        found = [_points(results, point) for point in results.scale.figure_4 if point.who is who]
        gains = [gain for gain in found if gain is not None]
        ahead, known = ahead + sum(gain > 0 for gain in gains), known + len(gains)
        if gains:
            ours.append(f"{who.value} {fmean(gains):.2f}")
    what = "points by which CAEVA suppresses more than Agele, by locality"
    yield Comparison(what, "Figure 4", "increases with locality", ", ".join(ours) or None)
    counted = sum((results.ahead(point, ADAPTIVE, AGELE, total) or 0) > 0 for point in results.scale.figure_4)
    ours_now = f"{ahead} of {known} cases; {counted} if coordination counts" if known else None
    yield Comparison("CAEVA is the best choice", "IV-B", "all of these cases", ours_now)


def _table_i(results: Results) -> Iterable[Comparison]:
    for point in results.scale.table_i:
        if point.publishers in TABLE_I:
            what = f"{point.publishers} publishers: static min, max, adaptive (adaptive / min)"
            yield Comparison(what, "Table I", _line(*TABLE_I[point.publishers]), _ours(results, point))


def _table_ii(results: Results) -> Iterable[Comparison]:
    steady, slowly, _, *_ = results.scale.table_ii
    for name, printed, point in (("uniform", UNIFORM, steady), ("nonuniform", NONUNIFORM, slowly)):
        what = f"{name} publishers: static min, max, adaptive (adaptive / min)"
        yield Comparison(what, "Table II", _line(*printed), _ours(results, point))


def _line(least: float, most: float, adaptive: float) -> str:
    """A line of the tables.

    >>> _line(100, 200, 105)
    '100, 200, 105 (1.050)'
    """
    return f"{least:,.0f}, {most:,.0f}, {adaptive:,.0f} ({adaptive / least:.3f})"


def _ours(results: Results, point: Point) -> str | None:
    adaptive = results.mean(point, ADAPTIVE, lambda row: row.data)
    least, most = results.among_fixed(point, min), results.among_fixed(point, max)
    return None if adaptive is None or not least else _line(fmean(least), fmean(most), adaptive)


def _goals(results: Results) -> Iterable[Comparison]:
    """What Sparing itself is held to, in the worst of all samples."""
    points = {*results.scale.table_i, *results.scale.table_ii}
    steady = [one for point in points if point.who is not Who.CHANGING for one in results.ratios(point, ADAPTIVE)]
    ours = f"at most {max(steady):.3f} times the best static" if steady else None
    yield Comparison("steady publishers, all samples: adaptive beside the best static", "IV-C", "close", ours)
    for phase in (SLOWLY, FAST):
        some = [point for point in results.scale.table_ii if point.phase == phase]
        found = [one for point in some for one in results.ratios(point, ADAPTIVE)]
        ours = f"mean {fmean(found):.3f}, {min(found):.3f} to {max(found):.3f}" if found else None
        what = f"changing every {phase} events, all samples: the same"
        yield Comparison(what, "IV-C", "significantly (10%) better", ours)
