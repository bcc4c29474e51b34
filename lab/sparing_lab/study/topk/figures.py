"""The paper's Figures 5 to 8 from measurements: rows of text, and panels of plots."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.stats import chi2

from sparing.report.plots import Panel
from sparing_lab.study.exhibits import Figure, Table, figure_of, panel_of
from sparing_lab.study.topk.fairness import CHI_SQUARE, DELIVERIES, FREEDOM, FROM_EXPECTED, FROM_REGULAR_K, SURPLUS
from sparing_lab.study.topk.forwarding import FORWARDED
from sparing_lab.study.topk.grid import (
    AGAIN,
    ALL_PARENTS,
    ANCESTOR_COVER_K,
    ANCESTOR_FAIR_K,
    EXACT,
    FAIR_SELECTIVITIES,
    FEW,
    FEWER_CORE,
    GROWTH,
    MANY,
    ONE_PARENT,
    RANK_COVER_K,
    RANK_TREE,
    REGULAR_COVER,
    REGULAR_K,
    WIDTH,
    k_of,
)
from sparing_lab.study.topk.overhead import EVERYWHERE, ON_THE_WAY
from sparing_lab.study.topk.printed_choice import by_distance, off_share
from sparing_lab.study.topk.results import TopkResults

FAIRNESS_TITLE = (
    "Fairness: deviation from the expected numbers (percent of all deliveries), and its probability by chance"
)
BY_WIDTH = (1, 5, 10)  # percent, of Figure 5(d)
DRAWN = (AGAIN, ANCESTOR_COVER_K, ANCESTOR_FAIR_K, EXACT)  # shown in Figure 6
TIMED = (REGULAR_COVER, REGULAR_K, ANCESTOR_COVER_K, ANCESTOR_FAIR_K, EXACT)
HELD = (REGULAR_K, ANCESTOR_COVER_K, ANCESTOR_FAIR_K, ONE_PARENT, ALL_PARENTS, EXACT)  # in the table of fairness


def figures(results: TopkResults) -> list[Figure]:
    """Return Figures 5 to 8; the panels of Figure 5 have different lines, so they are separate figures."""
    makers = _figure_5_a_b, _figure_5_c, _figure_5_d, _figure_6, _figure_7, _figure_8
    return [maker(results) for maker in makers]


def fairness_table(results: TopkResults) -> Table:
    """Return all methods over all experiments with fairness. A p-value near 0 excludes chance as an explanation."""
    rows = []
    for method in HELD:
        deliveries = results.total(method, DELIVERIES)
        if not deliveries:
            continue
        statistic, degrees = results.total(method, CHI_SQUARE), results.total(method, FREEDOM)
        rows.append(
            [
                method,
                f"{100 * results.total(method, FROM_EXPECTED) / deliveries:.2f}%",
                f"{statistic / degrees:.3f}",
                f"{chi2.sf(statistic, degrees):.3f}",
            ]
        )
    return ["method", "off", "chi-square / degree", "p"], rows


def _figure_5_a_b(results: TopkResults) -> Figure:
    panels = []
    for count, letter in ((FEW, "a"), (MANY, "b")):
        regular = results.forwarded(count, REGULAR_COVER)
        lines = {REGULAR_COVER: [(k, regular) for k in results.scale.low_k]}
        for method in (ANCESTOR_COVER_K, RANK_COVER_K, RANK_TREE):
            lines[method] = [(k, results.forwarded(count, method, k)) for k in results.scale.low_k]
        panels.append(panel_of(f"({letter}) {count:,} subscriptions", "k", FORWARDED, lines))
    return _figure("Figure 5(a), 5(b)", "Subscriptions that reach the publisher's edge broker, by k", panels)


def _figure_5_c(results: TopkResults) -> Figure:
    scale = results.scale
    found = {
        f"{count:,}": [(p, results.forwarded_at(count, ANCESTOR_COVER_K, p)) for p in scale.selectivities]
        for count in scale.subscriptions
    }
    base = dict(found[f"{scale.subscriptions[0]:,}"])
    apart = {name: [(p, _less(value, base[p])) for p, value in points] for name, points in found.items()}
    along = "k, % of the subscriptions"
    panels = [panel_of(ANCESTOR_COVER_K, along, FORWARDED, found), panel_of("the same", along, "points apart", apart)]
    return _figure("Figure 5(c)", "The same by k as a share, for several numbers of subscriptions", panels)


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _figure_5_d(results: TopkResults) -> Figure:
    panels = []
    for end, other, along in ((0, 1, "narrowest, % (up to 60%)"), (1, 0, "widest, % (from 30%)")):
        widths = sorted(width for width in results.scale.widths if width[other] == WIDTH[other])
        lines = {REGULAR_COVER: [(100 * w[end], results.forwarded(FEW, REGULAR_COVER, width=w)) for w in widths]}
        for percent in BY_WIDTH:
            found = [(100 * w[end], results.forwarded_at(FEW, ANCESTOR_COVER_K, percent, w)) for w in widths]
            lines[f"k = {percent}%"] = found
        panels.append(panel_of(f"{ANCESTOR_COVER_K} of {FEW:,}", along, FORWARDED, lines))
    return _figure("Figure 5(d)", "The same by the width of ranges, for k as several shares", panels)


def _figure_6(results: TopkResults) -> Figure:
    panels = []
    hops, by_hops = range(1, FEWER_CORE + 1), "core brokers on the path"
    for count in results.scale.fair:
        ks = [k_of(count, percent) for percent in FAIR_SELECTIVITIES]
        of = f"{count} subscriptions"
        lines = {m: [(k, results.value(count, m, k, FROM_REGULAR_K)) for k in ks] for m in DRAWN}
        panels.append(panel_of(f"(a) {of}", "k", "publications off RegularK's", lines))
        lines = {m: [(k, off_share(results, count, m, k)) for k in ks] for m in DRAWN}
        panels.append(panel_of(f"(a) {of}", "k", "off what is expected, %", lines))
        for what, label in ((FROM_EXPECTED, "off what is expected, %"), (SURPLUS, "more than expected, %")):
            lines = {m: [(d, by_distance(results, count, m, d, what)) for d in hops] for m in DRAWN}
            panels.append(panel_of(f"(b) {of}", by_hops, label, lines))
    return _figure("Figure 6", "Fairness, by k and by distance from the publisher", panels)


def _figure_7(results: TopkResults) -> Figure:
    panels = []
    for what in (ON_THE_WAY, EVERYWHERE):
        for count, letter in zip(results.scale.fair, "ab", strict=False):
            ks = [k_of(count, percent) for percent in FAIR_SELECTIVITIES]
            lines = {m: [(k, results.value(count, m, k, what)) for k in ks] for m in TIMED}
            panels.append(panel_of(f"({letter}) {count} subscriptions", "k", what, lines))
    return _figure("Figure 7", "CPU time of a publication, by k", panels)


def _figure_8(results: TopkResults) -> Figure:
    counts = results.scale.grown
    panels = []
    for what in (ON_THE_WAY, EVERYWHERE):
        for percent, letter in zip(GROWTH, "ab", strict=True):
            lines = {m: [(n, results.value(n, m, k_of(n, percent), what)) for n in counts] for m in TIMED}
            panels.append(panel_of(f"({letter}) k = {percent:g}%", "subscriptions", what, lines))
    return _figure("Figure 8", "CPU time of a publication, by the number of subscriptions", panels)


def _figure(name: str, title: str, panels: Sequence[Panel]) -> Figure:
    return figure_of(name, title, panels, _number)


def _number(value: float) -> str:
    """Return a number with two decimal places, or none if it is whole.

    >>> _number(12345.0), _number(1.23456), _number(0.1)
    ('12,345', '1.23', '0.10')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
