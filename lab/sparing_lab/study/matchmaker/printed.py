"""The paper's claims about its simulations beside our measurements, with verdicts.

The figures themselves are drawings; only what the text says is taken. The paper does not say how numbers of
descriptors become whole, so costs are told for both ways of rounding, and judged by the usual one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from sparing.workloads.transit_stub import Rounding
from sparing_lab.study.exhibits import Comparison, percent
from sparing_lab.study.matchmaker.grid import BY_CHANCE, MIDDLE, PER_SOURCE, SHARED, TREES, USUAL, MatchmakerPoint
from sparing_lab.study.matchmaker.results import COSTS, MCM, PUB_E, SUB_E, MatchmakerResults, share
from sparing_lab.study.matchmaker.row import MatchmakerRow
from sparing_lab.study.verdicts import all_of, at_least, at_most, near, same, small_fraction, unmeasured

MEDIANS = {MCM: 250, PUB_E: 800, SUB_E: 800}
MOST, OVER = 400, 2000  # 90th percentiles: around so much for MCM, over so much for the others
NAMES = {SHARED: "shared trees", PER_SOURCE: "trees per source", BY_CHANCE: "trees per source, ties by chance"}
NEAREST = MatchmakerPoint(USUAL, USUAL, Rounding.NEAREST)

ROUNDED = "the paper does not say how numbers of descriptors are rounded, and rounding down is closer overall"
TIES = "the paper does not say how ties between shortest paths are broken, on which this depends"
CHAINS = "requirements lead from one tree to another, which Figure 6 misses"


def comparisons(results: MatchmakerResults) -> list[Comparison]:
    """Return all claims of the paper's sections 4 and 5 with numbers or about figures."""
    return [*_costs(results), *_ratios(results), *_growth(results), *_claims(results)]


def _costs(results: MatchmakerResults) -> Iterable[Comparison]:
    for method in (MCM, PUB_E, SUB_E):
        down, ours = _percentile(results, method, 50)
        judged = near(down, MEDIANS[method]).noting(ROUNDED)
        yield Comparison(f"{method}: median of the cost", "Figure 8", f"about {MEDIANS[method]}", ours, judged)
    for method in (MCM, PUB_E, SUB_E):
        down, ours = _percentile(results, method, 90)
        judged = near(down, MOST) if method == MCM else at_least(down, OVER)
        said = f"around {MOST}" if method == MCM else f"over {OVER:,}"
        yield Comparison(f"{method}: 90th percentile of the cost", "Figure 8", said, ours, judged.noting(ROUNDED))


def _percentile(results: MatchmakerResults, method: str, rank: float) -> tuple[float | None, str | None]:
    """Return the value with the default rounding, and a text with both roundings."""
    down, nearest = (results.percentile(point, SHARED, method, rank) for point in (MIDDLE, NEAREST))
    return down, None if down is None or nearest is None else f"{down:,.0f} (nearest: {nearest:,.0f})"


def _ratios(results: MatchmakerResults) -> Iterable[Comparison]:
    for trees in TREES:
        for name, meets, bound in (("below 30%", below_30, 50), ("at most half", at_most_half, 95)):
            found = met(results.samples(MIDDLE, trees), meets)
            pub, sub, both = found or (None, None, None)
            ours = None if found is None else f"{pub:.1f}%, {sub:.1f}% (both: {both:.1f}%)"
            what = f"{NAMES[trees]}: samples in which MCM costs {name} of PubE, of SubE"
            said = f"over {bound}%" if trees == SHARED else f"the same observations: over {bound}%"
            judged = all_of({"PubE": at_least(pub, bound), "SubE": at_least(sub, bound)})
            where = "Figure 9" if trees == SHARED else "Figure 12"
            yield Comparison(what, where, said, ours, judged.noting(ROUNDED if trees == SHARED else TIES))


def below_30(cost: int, base: int) -> bool:
    """Return whether it is less than 30%."""
    return 10 * cost < 3 * base


def at_most_half(cost: int, base: int) -> bool:
    """Return whether it is at most 50%."""
    return 2 * cost <= base


def met(rows: Sequence[MatchmakerRow], holds: Callable[[int, int], bool]) -> tuple[float, float, float] | None:
    """Return the percentages of samples in which the ratio to PubE, to SubE, and to both meets a condition."""
    if not rows:
        return None
    one, other = ([holds(row.mcm, COSTS[base](row)) for row in rows] for base in (PUB_E, SUB_E))
    both = [a and b for a, b in zip(one, other, strict=True)]
    return share(one), share(other), share(both)


def _growth(results: MatchmakerResults) -> Iterable[Comparison]:
    fewest, most = results.scale.counts[0], results.scale.counts[-1]
    for trees in TREES:
        figure = "Figure 10" if trees == SHARED else "Figure 13"
        for points, who, slow, fast, panel in (
            (results.scale.by_subscribers, "subscribers", PUB_E, SUB_E, "a"),
            (results.scale.by_publishers, "publishers", SUB_E, PUB_E, "b"),
        ):
            grown = {method: _grown(results, points, trees, method) for method in (slow, fast, MCM)}
            known = [f"{method} {times:.1f}" for method, times in grown.items() if times is not None]
            what = f"{NAMES[trees]}: times the mean cost with {most} {who} instead of {fewest}"
            said = f"{slow} and MCM sublinear: under {most / fewest:g}; {slow} less than {fast}"
            bounds = {method: at_most(grown[method], most / fewest) for method in (slow, MCM)}
            bounds[f"{slow} beside {fast}"] = at_most(grown[slow], grown[fast] or 0)
            yield Comparison(what, f"{figure}({panel})", said, ", ".join(known) or None, all_of(bounds))


def _grown(results: MatchmakerResults, points: Sequence[MatchmakerPoint], trees: str, method: str) -> float | None:
    one, other = (results.mean(point, trees, method) for point in (points[0], points[-1]))
    return other / one if one and other else None


def _claims(results: MatchmakerResults) -> Iterable[Comparison]:
    shared = unmonotone_samples(results.samples(MIDDLE, SHARED))
    what = "shared trees: samples that violate the monotonicity property"
    yield Comparison(what, "3.2", "none", percent(shared), same(shared, 0))
    for what, where, said, value in (
        ("samples that violate the monotonicity property", "5", "a small fraction", unmonotone_samples),
        ("links involved in such samples", "5", "a small fraction", unmonotone_links),
        ("samples for which Figure 6 gives no valid marking", "3.3", "none", invalid_samples),
    ):
        fixed, chance = (value(results.samples(MIDDLE, trees)) for trees in (PER_SOURCE, BY_CHANCE))
        ours = None if fixed is None or chance is None else f"{fixed:.1f}% (ties by chance: {chance:.1f}%)"
        if value is invalid_samples:
            judged = all_of({"fixed ties": same(fixed, 0), "ties by chance": same(chance, 0)}).noting(CHAINS)
        else:
            parts = {"fixed ties:": small_fraction(fixed), "ties by chance:": small_fraction(chance)}
            judged = all_of(parts).noting(TIES)
        yield Comparison(f"trees per source: {what}", where, said, ours, judged)
    what = "time to solve the problem with realistic networks"
    judged = unmeasured("the paper has no times; `sparing bench matchmaker` measures ours")
    yield Comparison(what, "3.3", "not computationally expensive", None, judged)


def unmonotone_samples(rows: Sequence[MatchmakerRow]) -> float | None:
    """Return the percentage of samples that violate the monotonicity property."""
    return share([row.unmonotone > 0 for row in rows]) if rows else None


def unmonotone_links(rows: Sequence[MatchmakerRow]) -> float | None:
    """Return the links involved, averaged over such samples, in percent of all links of trees."""
    found = [100 * row.unmonotone / row.links for row in rows if row.unmonotone]
    return fmean(found) if found else None


def entangled_samples(rows: Sequence[MatchmakerRow]) -> float | None:
    """Return the percentage of samples with entangled links."""
    return share([row.entangled > 0 for row in rows]) if rows else None


def entangled_links(rows: Sequence[MatchmakerRow]) -> float | None:
    """Return the entangled links, averaged over such samples, in percent of all links of trees."""
    found = [100 * row.entangled / row.links for row in rows if row.entangled]
    return fmean(found) if found else None


def invalid_samples(rows: Sequence[MatchmakerRow]) -> float | None:
    """Return the percentage of samples for which Figure 6 gives no valid marking."""
    return share([not row.valid for row in rows]) if rows else None
