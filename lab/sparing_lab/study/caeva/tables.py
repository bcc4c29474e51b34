"""Figures 3 and 4, Tables I and II, and further tables of ours, as rows of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from statistics import fmean

from sparing_lab.study.caeva.grid import (
    ADAPTIVE,
    AGELE,
    LITERAL,
    PINNED,
    REDUNDANCIES,
    REPLAY,
    CaevaPoint,
    PublisherPlaces,
)
from sparing_lab.study.caeva.results import CaevaResults, data, total, up
from sparing_lab.study.exhibits import Table

CYCLES_TITLE = "Figure 3: messages between brokers fewer than Siena's, and how much later the whole event is known"
LOCALITY_TITLE = "Figure 4: messages between brokers fewer than Siena's; locality of publishers, then redundancy"
PLACES_TITLE = (
    "Tables I and II: messages with the best and worst fixed distance, and multiples of the best; publishers, overlay, "
    "and after how many events they change"
)
UP_TITLE = "The same multiples: of messages towards the coordinator only, and of all including coordination"
AHEAD_TITLE = "Where CAEVA is ahead of Agele: messages fewer than Agele's, without and with coordination"
WHERE = {PublisherPlaces.APART: "apart", PublisherPlaces.CLUSTERS: "clusters", PublisherPlaces.LOCAL: "one broker"}
SAID = {
    "reports per event": "With more reports per event, more of them are merged on their path.",
    "locality": "Reports of publishers near each other are merged earlier.",
    "brokers that subscribe": "With fewer subscribing brokers, fewer messages are the same for both.",
    "cycle": "With a longer cycle, more is merged before a flush; at once, only redundant reports are saved.",
}


def cycles_table(results: CaevaResults) -> Table:
    """Return Figure 3, by T_m."""
    rows = []
    for point in results.scale.figure_3:
        found = [results.suppressed(point, *how) for how in ((AGELE, data), (ADAPTIVE, data), (ADAPTIVE, total))]
        late = [results.mean(point, method, lambda row: row.delay) for method in (AGELE, ADAPTIVE)]
        full = results.mean(point, ADAPTIVE, lambda row: row.full)
        if full and late[1] is not None:
            increase = f"{100 * late[1] / full:.0f}%"
            rows.append([str(point.cycle), *map(_percent, found), *(f"{one:.2f}" for one in late), increase])
    names = ["T_m", AGELE, "CAEVA", "with coordination", "Agele late by", "CAEVA late by", "increase"]
    return names, rows


def locality_table(results: CaevaResults) -> Table:
    """Return Figure 4."""
    letters = {share: letter for letter, share in REDUNDANCIES.items()}
    rows = []
    for point in results.scale.figure_4:
        found = [results.suppressed(point, *how) for how in ((AGELE, data), (ADAPTIVE, data), (ADAPTIVE, total))]
        if found[0] is not None:
            rows.append([point.who.value + letters[point.redundancy], *map(_percent, found)])
    return ["case", AGELE, "CAEVA", "with coordination"], rows


def places_table(results: CaevaResults) -> Table:
    """Return Tables I and II with all placement rules."""
    rows = []
    for name, point in _places(results):
        least, most = (results.among_fixed(point, choose) for choose in (min, max))
        if least:
            found = [results.ratio(point, method) for method in (ADAPTIVE, REPLAY, LITERAL, PINNED, AGELE)]
            worst = max(results.ratios(point, ADAPTIVE))
            moves = results.mean(point, ADAPTIVE, lambda row: row.moves)
            line = [f"{fmean(least):,.0f}", f"{fmean(most):,.0f}", *map(_times, found), _times(worst), f"{moves:.1f}"]
            rows.append([name, *line])
    names = ["who", "min", "max", ADAPTIVE, REPLAY, LITERAL, PINNED, AGELE, "worst", "moves"]
    return names, rows


def up_table(results: CaevaResults) -> Table:
    """Return the ratios for messages towards the coordinator, and for all messages."""
    rows = []
    for name, point in _places(results):
        if results.fixed(point):
            found = [results.ratio(point, method, up) for method in (ADAPTIVE, REPLAY, LITERAL, PINNED)]
            everything = [results.ratio(point, method, total) for method in (ADAPTIVE, REPLAY, LITERAL)]
            rows.append([name, *map(_times, found), *map(_times, everything)])
    ways = [f"{method}, up" for method in (ADAPTIVE, REPLAY, LITERAL, PINNED)]
    return ["who", *ways, *(f"{method}, all" for method in (ADAPTIVE, REPLAY, LITERAL))], rows


def _places(results: CaevaResults) -> Iterator[tuple[str, CaevaPoint]]:
    for point in dict.fromkeys([*results.scale.table_i, *results.scale.table_ii]):
        yield f"{point.publishers}, {point.shape}{f', {point.phase}' if point.phase else ''}", point


def ahead_table(results: CaevaResults) -> Table:
    """Return the advantage of several aggregators, by varied parameter."""
    rows = []
    for what, points in results.scale.ahead.items():
        for point in points:
            found = [results.ahead(point, ADAPTIVE, AGELE, count) for count in (data, total)]
            if found[0] is not None:
                rows.append([what, value_of(what, point), *map(_signed, found)])
    return ["what varies", "value", "fewer", "with coordination"], rows


def sentences(results: CaevaResults) -> list[str]:
    """Return a sentence on each varied parameter."""
    found = []
    for what, points in results.scale.ahead.items():
        ends = [(value_of(what, point), results.ahead(point, ADAPTIVE, AGELE)) for point in (points[0], points[-1])]
        known = [f"{_percent(value)} ({name})" for name, value in ends if value is not None]
        if len(known) == len(ends):
            found.append(f"{what.capitalize()}: CAEVA sends {known[0]} to {known[1]} less than Agele. {SAID[what]}")
    return found


def value_of(what: str, point: CaevaPoint) -> str:
    """Return the varied parameters of a point, as text."""
    found: Mapping[str, str] = {
        "reports per event": f"{point.reports:g}",
        "locality": WHERE.get(point.who, ""),
        "brokers that subscribe": f"{100 * point.subscribing:g}%",
        "cycle": f"{point.cycle}" if point.cycle else "at once",
    }
    return found[what]


TABLES: Mapping[str, tuple[Callable[[CaevaResults], Table], int]] = {
    CYCLES_TITLE: (cycles_table, 1),
    LOCALITY_TITLE: (locality_table, 1),
    PLACES_TITLE: (places_table, 1),
    UP_TITLE: (up_table, 1),
    AHEAD_TITLE: (ahead_table, 2),
}  # by title, with how many columns are words


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}%"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.1f}%"


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
