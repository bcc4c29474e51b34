"""The numbers that the paper prints in its text, and ours beside them.

The figures themselves are drawings; only numbers from the text are taken. The paper does not say how numbers of
descriptors become whole, so costs are told for both ways of rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from sparing.study.exhibits import Comparison
from sparing.study.matchmaker.grid import BY_CHANCE, MIDDLE, PER_SOURCE, SHARED, USUAL, Point
from sparing.study.matchmaker.results import COSTS, MCM, PUB_E, SUB_E, Results, share
from sparing.study.matchmaker.row import Row
from sparing.workloads.transit_stub import Rounding

MEDIANS = {MCM: "about 250", PUB_E: "about 800", SUB_E: "about 800"}
NINETIETH = {MCM: "around 400", PUB_E: "over 2,000", SUB_E: "over 2,000"}
NEAREST = Point(USUAL, USUAL, Rounding.NEAREST)


def comparisons(results: Results) -> list[Comparison]:
    """Every number that the paper's sections 4 and 5 print, and what they say without numbers."""
    return [*_costs(results), *_ratios(results), *_growth(results), *_claims(results)]


def _costs(results: Results) -> Iterable[Comparison]:
    for percent, name, printed in ((50, "median", MEDIANS), (90, "90th percentile", NINETIETH)):
        for method in (MCM, PUB_E, SUB_E):
            down, nearest = (results.percentile(point, SHARED, method, percent) for point in (MIDDLE, NEAREST))
            ours = None if down is None or nearest is None else f"{down:,.0f} (nearest: {nearest:,.0f})"
            yield Comparison(f"{method}: {name} of the cost", "Figure 8", printed[method], ours)


def _ratios(results: Results) -> Iterable[Comparison]:
    for name, holds, printed in (("below 30%", below_30, "over 50%"), ("at most half", at_most_half, "over 95%")):
        found = met(results.samples(MIDDLE, SHARED), holds)
        ours = None if found is None else "{:.1f}%, {:.1f}% (both: {:.1f}%)".format(*found)
        yield Comparison(f"samples in which MCM costs {name} of PubE, of SubE", "Figure 9", printed, ours)


def below_30(cost: int, base: int) -> bool:
    """Whether it is less than 30%."""
    return 10 * cost < 3 * base


def at_most_half(cost: int, base: int) -> bool:
    """Whether it is not more than 50%."""
    return 2 * cost <= base


def met(rows: Sequence[Row], holds: Callable[[int, int], bool]) -> tuple[float, float, float] | None:
    """In how many samples something holds for the least cost beside PubE's, beside SubE's, beside both, in percent."""
    if not rows:
        return None
    one, other = ([holds(row.mcm, COSTS[base](row)) for row in rows] for base in (PUB_E, SUB_E))
    both = [a and b for a, b in zip(one, other, strict=True)]
    return share(one), share(other), share(both)


def _growth(results: Results) -> Iterable[Comparison]:
    for points, who, slow, where in (
        (results.scale.by_subscribers, "subscribers", PUB_E, "Figure 10(a)"),
        (results.scale.by_publishers, "publishers", SUB_E, "Figure 10(b)"),
    ):
        fewest, most = results.scale.counts[0], results.scale.counts[-1]
        ours = []
        for method in (PUB_E, SUB_E, MCM):
            one, other = (results.mean(point, SHARED, method) for point in (points[0], points[-1]))
            if one and other:
                ours.append(f"{method} {other / one:.1f}")
        what = f"times the mean cost with {most} {who} instead of {fewest}"
        yield Comparison(what, where, f"{slow} under {most / fewest:g}", ", ".join(ours) or None)


def _claims(results: Results) -> Iterable[Comparison]:
    what = "shared trees: samples that violate the monotonicity property"
    yield Comparison(what, "3.2", "none", _percent(unmonotone_samples(results.samples(MIDDLE, SHARED))))
    for what, where, printed, value in (
        ("samples that violate the monotonicity property", "5", "a small fraction", unmonotone_samples),
        ("links involved, in such samples", "5", "a small fraction", unmonotone_links),
        ("samples for which Figure 6 gives no valid marking", "3.3", "none", invalid_samples),
    ):
        fixed, chance = (_percent(value(results.samples(MIDDLE, trees))) for trees in (PER_SOURCE, BY_CHANCE))
        ours = None if fixed is None or chance is None else f"{fixed} (ties by chance: {chance})"
        yield Comparison(f"trees per source: {what}", where, printed, ours)


def unmonotone_samples(rows: Sequence[Row]) -> float | None:
    """How many samples violate the monotonicity property, in percent."""
    return share([row.unmonotone > 0 for row in rows]) if rows else None


def unmonotone_links(rows: Sequence[Row]) -> float | None:
    """How many links are involved in that on average over such samples, in percent of all links of trees."""
    found = [100 * row.unmonotone / row.links for row in rows if row.unmonotone]
    return fmean(found) if found else None


def entangled_samples(rows: Sequence[Row]) -> float | None:
    """In how many samples some links cannot decide for themselves, in percent."""
    return share([row.entangled > 0 for row in rows]) if rows else None


def entangled_links(rows: Sequence[Row]) -> float | None:
    """How many links are like that on average over such samples, in percent of all links of trees."""
    found = [100 * row.entangled / row.links for row in rows if row.entangled]
    return fmean(found) if found else None


def invalid_samples(rows: Sequence[Row]) -> float | None:
    """For how many samples Figure 6 gives no valid marking, in percent."""
    return share([not row.valid for row in rows]) if rows else None


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{value:.1f}%"
