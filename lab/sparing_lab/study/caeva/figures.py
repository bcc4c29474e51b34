"""Figures 3 and 4 from measurements, and two of ours: rows of text, and panels of plots."""

from __future__ import annotations

from sparing_lab.study.caeva.grid import ADAPTIVE, AGELE, FIXED, REPLAY, CaevaPoint, PublisherPlaces
from sparing_lab.study.caeva.results import CaevaResults, data, total
from sparing_lab.study.caeva.tables import WHERE
from sparing_lab.study.exhibits import Figure, figure_of, panel_of

CAEVA = "CAEVA"
LINES = {CAEVA: ADAPTIVE, AGELE: AGELE}  # name -> method


def figures(results: CaevaResults) -> list[Figure]:
    """Return Figures 3 and 4, messages by distance, and the advantage of CAEVA."""
    return [_figure_3(results), _figure_4(results), _distances(results), _ahead(results)]


def _figure_3(results: CaevaResults) -> Figure:
    points = results.scale.figure_3
    fewer = {
        name: [(float(point.cycle), results.suppressed(point, method)) for point in points]
        for name, method in LINES.items()
    }
    late = {
        name: [(float(point.cycle), results.mean(point, method, lambda row: row.delay)) for point in points]
        for name, method in LINES.items()
    }
    both = {
        name: [(time, share) for (_, time), (_, share) in zip(late[name], fewer[name], strict=True)] for name in LINES
    }
    panels = [
        panel_of("messages", "T_m", "suppressed, %", fewer),
        panel_of("time", "T_m", "later by, time units", late),
        panel_of("tradeoff", "later by, time units", "suppressed, %", both),
    ]
    return figure_of("Figure 3", "Random overlay, publishers apart, redundancy 50%, beside Siena", panels)


def _figure_4(results: CaevaResults) -> Figure:
    panels = []
    for letter, who in (("L", PublisherPlaces.APART), ("M", PublisherPlaces.CLUSTERS), ("H", PublisherPlaces.LOCAL)):
        points = sorted(point for point in results.scale.figure_4 if point.who is who)
        lines = {
            name: [(100 * point.redundancy, results.suppressed(point, method)) for point in points]
            for name, method in LINES.items()
        }
        panels.append(panel_of(f"{letter}: {WHERE[who]}", "redundancy, %", "suppressed, %", lines))
    return figure_of("Figure 4", "Locality of publishers and redundancy, T_m = 10", panels)


def _distances(results: CaevaResults) -> Figure:
    panels = []
    for point in dict.fromkeys([*results.scale.table_i, *results.scale.table_ii]):
        hops = results.fixed(point)
        fixed = [(float(far), results.mean(point, f"{FIXED}{far}", data)) for far in hops]
        lines = {"fixed": fixed}
        for method in (ADAPTIVE, REPLAY):
            lines[method] = [(float(far), results.mean(point, method, data)) for far in (hops[:1] + hops[-1:])]
        how = f"{point.shape}{f', change every {point.phase}' if point.phase else ''}"
        panels.append(panel_of(f"{point.publishers}, {how}", "H", "messages", lines))
    return figure_of("Tables I and II", "Messages by the distance of passive aggregators", panels)


def _ahead(results: CaevaResults) -> Figure:
    panels = []
    for what, points in results.scale.ahead.items():
        lines = {
            name: [(_along(what, point), results.ahead(point, ADAPTIVE, AGELE, count)) for point in points]
            for name, count in (("fewer than Agele", data), ("with coordination", total))
        }
        along = "1 apart, 2 clusters, 3 one broker" if what == "locality" else what
        panels.append(panel_of(what, along, "messages fewer, %", lines))
    return figure_of("CAEVA and Agele", "Messages that CAEVA sends fewer than Agele", panels)


def _along(what: str, point: CaevaPoint) -> float:
    """Return the varied parameters of a point, as numbers."""
    found = {
        "reports per event": point.reports,
        "locality": 1.0 + list(WHERE).index(point.who),
        "brokers that subscribe": point.subscribing,
        "cycle": float(point.cycle),
    }
    return found[what]
