"""The numbers that the paper prints in its text, and ours beside them.

The figures themselves are drawings; only numbers from the text are taken. Where the paper gives a count or a time for
its 1,000 seconds, ours is scaled to as many.
"""

from __future__ import annotations

from collections.abc import Iterable

from sparing.study.exhibits import Comparison
from sparing.study.mna.grid import PANELS, PAPER, Cell
from sparing.study.mna.results import Results, messages, seconds, walk_seconds
from sparing.study.mna.row import Row

TABLE_I = {90: 3.53, 180: 0.88, 270: 4.29, 360: 3.27}  # subscriptions -> percent over the static optimum


def comparisons(results: Results) -> list[Comparison]:
    """Every number that the paper's section VIII prints."""
    return [*_table_i(results), *_rates(results), *_subscriptions(results), *_compute(results), *_ratios(results)]


def _table_i(results: Results) -> Iterable[Comparison]:
    for count, printed in TABLE_I.items():
        cell = results.scale.cell("stock", "sliding", subscriptions=count)
        what = f"ADOCK's messages over the static optimum's: stock, sliding, {count} subscriptions"
        yield Comparison(what, "Table I", f"{printed}%", _percent(results.over(cell, "adock", "static", messages), 2))


def _rates(results: Results) -> Iterable[Comparison]:
    for workload, rate, printed, panel in (
        ("traffic", 162, "7%", "a"),
        ("traffic", 1080, "2.7%", "a"),
        ("stock", 465, "50%", "c"),
        ("stock", 2790, "22%", "c"),
    ):
        cell = results.scale.cell(workload, "tumbling", rate=rate)
        what = f"WAD's messages over ADOCK's: {workload}, tumbling, {rate}/s"
        yield Comparison(what, f"Figure 6({panel})", printed, _percent(results.over(cell, "wad", "adock", messages)))
    for rate, printed in ((465, "4.6%, the most"), (2790, "1.8%, the least")):
        pair = [results.row(results.scale.cell("stock", windows, rate=rate), "adock") for windows in SETTINGS]
        what = f"ADOCK's messages, sliding against tumbling: stock, {rate}/s"
        yield Comparison(what, "Figure 6(d)", printed, _percent(_apart(*pair)))
    for workload, printed in (("traffic", "nearly 600,000"), ("stock", "at most 20,000")):
        cells = results.scale.by_rate(workload, "tumbling")
        more = [_difference(results, cell, "bat", "adock") for cell in cells]
        found = max((m for m in more if m is not None), default=None)
        what = f"BAT's messages more than ADOCK's, the most over all rates: {workload}, tumbling"
        yield Comparison(what, "VIII-C", printed, None if found is None else f"{found:,.0f}")


def _subscriptions(results: Results) -> Iterable[Comparison]:
    for count, printed in ((90, "28.67%"), (360, "12.7%")):
        cell = results.scale.cell("stock", "sliding", subscriptions=count)
        what = f"WAD's messages over ADOCK's: stock, sliding (the text does not say which), {count} subscriptions"
        yield Comparison(what, "Figure 8(a)", printed, _percent(results.over(cell, "wad", "adock", messages)))


def _compute(results: Results) -> Iterable[Comparison]:
    for windows, printed in (("tumbling", "500 s"), ("sliding", "almost 1,200 s")):
        row = results.row(results.scale.by_rate("traffic", windows)[-1], "adock")
        found = None if row is None else f"{_scaled(row, row.seconds):,.1f} s"
        what = f"ADOCK's compute at the highest rate: traffic, {windows}"
        yield Comparison(what, "Figure 7(a), (b)", printed, found)
    for sweep, cells, printed in (
        ("rates", [cell for panel in PANELS for cell in results.scale.by_rate(*panel)], "up to 4"),
        ("subscriptions", [cell for panel in PANELS for cell in results.scale.by_subscriptions(*panel)], "up to 2.1"),
    ):
        found_ratios = [results.ratio(cell, "adock", "wad", seconds) for cell in cells]
        most = max((ratio for ratio in found_ratios if ratio is not None), default=None)
        what = f"ADOCK's compute, times WAD's, the most over {sweep}"
        yield Comparison(what, "VIII-E", printed, None if most is None else f"up to {most:.1f}")


def _ratios(results: Results) -> Iterable[Comparison]:
    gentle, steep = (results.scale.with_ratio(ratio) for ratio in (1.5, 6))
    more_messages = results.over(gentle, "wad", "adock", messages)
    fewer = results.over(steep, "adock", "wad", messages)
    times = [results.over(cell, "adock", "wad", walk_seconds) for cell in (gentle, steep)]
    yield Comparison("ADOCK's decision time over WAD's, window 1.5 shifts", "Figure 9", "about 41%", _percent(times[0]))
    yield Comparison("WAD's messages over ADOCK's, window 1.5 shifts", "Figure 9", "4%", _percent(more_messages))
    yield Comparison("ADOCK's decision time over WAD's, window 6 shifts", "Figure 9", "around 300%", _percent(times[1]))
    less = None if fewer is None else -fewer
    yield Comparison("ADOCK's messages below WAD's, window 6 shifts", "Figure 9", "27%", _percent(less))


SETTINGS = ("sliding", "tumbling")


def _percent(value: float | None, digits: int = 1) -> str | None:
    return None if value is None else f"{value:.{digits}f}%"


def _apart(one: Row | None, other: Row | None) -> float | None:
    """How far apart two counts of messages are, in percent of the second."""
    if one is None or other is None:
        return None
    return 100 * abs(one.messages - other.messages) / other.messages


def _difference(results: Results, cell: Cell, policy: str, base: str) -> float | None:
    one, other = results.row(cell, policy), results.row(cell, base)
    return None if one is None or other is None else _scaled(one, one.messages - other.messages)


def _scaled(row: Row, value: float) -> float:
    """For as long as the paper's experiments ran."""
    return value * PAPER.duration / row.cell.duration
