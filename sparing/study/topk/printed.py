"""The numbers that the paper prints in its text, and ours beside them.

The figures themselves are drawings; only numbers from the text are taken. Ours are means over several sets of
subscriptions; of the tree of RankCoverK, which differs much from set to set, the range is told as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from sparing.study.exhibits import Comparison
from sparing.study.topk.fairness import DELIVERIES, FROM_EXPECTED, FROM_REGULAR_K
from sparing.study.topk.forwarding import DEEPEST, FORWARDED
from sparing.study.topk.grid import (
    ANCESTOR_COVER_K,
    ANCESTOR_FAIR_K,
    FAIR_SELECTIVITIES,
    FEW,
    FEWER_CORE,
    MANY,
    RANK_COVER_K,
    RANK_TREE,
    REGULAR_COVER,
    REGULAR_K,
    Width,
    k_of,
)
from sparing.study.topk.overhead import AT_FIRST, ON_THE_WAY
from sparing.study.topk.results import Results

REGULAR = {FEW: 1.47, MANY: 0.69}  # percent forwarded
RANK = {FEW: 84.71, MANY: 60.53}  # the same at k = 10
RANK_END = {FEW: 19, MANY: 27}  # the k from which on everything is forwarded
ANCESTOR = {FEW: 6.03, MANY: 2.5}  # the most for k up to 10
SIZES: dict[Width, tuple[float | None, float]] = {  # percent forwarded by RegularCover, by AncestorCoverK at 5%
    (0.1, 0.6): (1.22, 40.33),
    (0.3, 0.4): (3.08, 82.05),
    (0.5, 0.6): (None, 69.59),
}
SMALLEST, LARGEST = (0.1, 0.6), (0.3, 0.4)  # between which the factors are
SHOWN = 250  # subscriptions of Figure 6


def comparisons(results: Results) -> list[Comparison]:
    """Every number that the paper's section V prints."""
    return [
        *_low_k(results),
        *_selectivity(results),
        *_sizes(results),
        *_fairness(results),
        *_overhead(results),
    ]


def _low_k(results: Results) -> Iterable[Comparison]:
    for count, where in ((FEW, "Figure 5(a)"), (MANY, "Figure 5(b)")):
        of = f"{count:,} subscriptions"
        ours = results.forwarded(count, REGULAR_COVER)
        yield Comparison(f"RegularCover: forwarded of {of}", where, f"{REGULAR[count]}%", _percent(ours))
        ours = results.forwarded(count, RANK_TREE, 1)
        yield Comparison(f"RankCoverK, k = 1, of {of}", where, f"{REGULAR[count]}%", _percent(ours))
        trees = results.values(count, RANK_TREE, 10, FORWARDED)
        yield Comparison(f"RankCoverK, k = 10, of {of}", where, f"{RANK[count]}%", _range(trees, "%"))
        ours = results.forwarded(count, RANK_COVER_K, 10)
        what = f"the same by longest paths, as {RANK_COVER_K} of Sparing counts"
        yield Comparison(what, where, f"{RANK[count]}%", _percent(ours))
        depths = results.values(count, RANK_TREE, 0, DEEPEST)
        what = f"RankCoverK: k from which on all of {of} are forwarded"
        yield Comparison(what, "V-C", str(RANK_END[count]), _range(depths, "", 0))
        ours = results.forwarded(count, ANCESTOR_COVER_K, 10)
        yield Comparison(f"AncestorCoverK, k up to 10, of {of}", where, f"under {ANCESTOR[count]}%", _percent(ours))
    few, many = (results.forwarded(count, RANK_TREE, 10) for count in (FEW, MANY))
    better = None if few is None or many is None else 100 * (few - many) / few
    what = f"RankCoverK, k = 10: fewer forwarded of {MANY:,} than of {FEW:,}"
    yield Comparison(what, "V-C", "28.5%", _percent(better, 1))


def _selectivity(results: Results) -> Iterable[Comparison]:
    for percent, printed in ((0.1, "over 94.24%"), (10, "33.3%")):
        ours = results.forwarded_at(MANY, ANCESTOR_COVER_K, percent)
        covered = None if ours is None else 100 - ours
        what = f"AncestorCoverK, k = {percent:g}%: covered of {MANY:,} subscriptions"
        yield Comparison(what, "Figure 5(c)", printed, _percent(covered))
    apart = [_apart(results, percent) for percent in results.scale.selectivities]
    known = [one for one in apart if one is not None]
    what = "AncestorCoverK: most that numbers of subscriptions differ in, points of a percentage"
    yield Comparison(what, "Figure 5(c)", "less than 0.4", f"{max(known):.2f}" if known else None)
    base, ours = results.forwarded(MANY, REGULAR_COVER), results.forwarded_at(MANY, ANCESTOR_COVER_K, 1)
    kept = None if base is None or ours is None else 100 * (100 - ours) / (100 - base)
    what = f"AncestorCoverK, k = 1%: of what RegularCover covers of {MANY:,}"
    yield Comparison(what, "V-C", "81%", _percent(kept, 1))


def _apart(results: Results, percent: float) -> float | None:
    found = [results.forwarded_at(count, ANCESTOR_COVER_K, percent) for count in results.scale.subscriptions]
    known = [one for one in found if one is not None]
    return max(known) - min(known) if len(known) > 1 else None


def _sizes(results: Results) -> Iterable[Comparison]:
    factors: dict[Width, tuple[float | None, float | None]] = {}
    for width, (regular, ancestor) in SIZES.items():
        base = results.forwarded(FEW, REGULAR_COVER, width=width)
        ours = results.forwarded_at(FEW, ANCESTOR_COVER_K, 5, width)
        factors[width] = base, ours
        span = sized(width)
        if regular is not None:
            yield Comparison(f"RegularCover: forwarded, ranges of {span}", "Figure 5(d)", f"{regular}%", _percent(base))
        what = f"AncestorCoverK, k = 5%: forwarded, ranges of {span}"
        yield Comparison(what, "Figure 5(d)", f"{ancestor}%", _percent(ours))
    for at, (method, printed) in enumerate(((REGULAR_COVER, "2.52"), (f"{ANCESTOR_COVER_K}, k = 5%", "2.03"))):
        fewer, more = factors[SMALLEST][at], factors[LARGEST][at]
        times = None if fewer is None or more is None else f"{more / fewer:.2f}"
        what = f"{method}: times as many forwarded of {sized(LARGEST)} as of {sized(SMALLEST)}"
        yield Comparison(what, "V-C", printed, times)


def sized(width: Width) -> str:
    """A range of widths.

    >>> sized((0.3, 0.6))
    '30-60%'
    """
    return f"{100 * width[0]:.0f}-{100 * width[1]:.0f}%"


def _fairness(results: Results) -> Iterable[Comparison]:
    ks = [k_of(SHOWN, percent) for percent in FAIR_SELECTIVITIES]
    gains = [_more(results.value(SHOWN, m, k, FROM_REGULAR_K) for m in PAIR) for k in ks]
    known = [gain for gain in gains if gain is not None]
    what = "AncestorCoverK's distance from RegularK over AncestorFairK's, mean over k"
    yield Comparison(what, "Figure 6(a)", "224%", _percent(fmean(known), 0) if known else None)
    shares = [off_share(results, SHOWN, ANCESTOR_COVER_K, k) for k in ks[:2]]
    better = None
    if shares[0] is not None and shares[1] is not None:
        better = 100 * (shares[0] - shares[1]) / shares[0]
    what = "AncestorCoverK: fairer with k = 2 than with k = 1, as a share of all deliveries"
    yield Comparison(what, "V-D", "20.18%", _percent(better))
    for method in PAIR:
        found = {d: by_distance(results, SHOWN, method, d, FROM_EXPECTED) for d in range(1, FEWER_CORE + 1)}
        there = {distance: value for distance, value in found.items() if value is not None}
        nearest = min(there, key=lambda distance: there[distance]) if there else None
        what = f"{method}: core brokers on the way at which it is fairest"
        yield Comparison(what, "Figure 6(b)", "3", None if nearest is None else str(nearest))


PAIR = (ANCESTOR_COVER_K, ANCESTOR_FAIR_K)


def off_share(results: Results, subscriptions: int, method: str, k: int) -> float | None:
    """How far subscriptions are from what they are to expect, in percent of all deliveries."""
    off = results.value(subscriptions, method, k, FROM_EXPECTED)
    deliveries = results.value(subscriptions, method, k, DELIVERIES)
    return None if off is None or not deliveries else 100 * off / deliveries


def by_distance(results: Results, subscriptions: int, method: str, distance: int, what: str) -> float | None:
    """What is found at a distance in percent of the deliveries there, on average over k."""
    shares = []
    for percent in FAIR_SELECTIVITIES:
        k = k_of(subscriptions, percent)
        found = results.value(subscriptions, method, k, what, distance)
        deliveries = results.value(subscriptions, method, k, DELIVERIES, distance)
        if found is not None and deliveries:
            shares.append(100 * found / deliveries)
    return fmean(shares) if shares else None


def _overhead(results: Results) -> Iterable[Comparison]:
    base, with_k = (results.value(SHOWN, method, 1, AT_FIRST) for method in (REGULAR_COVER, ANCESTOR_COVER_K))
    over = _more((with_k, base))
    what = "top-k at a broker that knows the same subscriptions: over RegularCover, CPU at the publisher's"
    yield Comparison(what, "V-E", "3% of the latency", _percent(over, 0))
    saved = []
    for count in results.scale.fair:
        for percent in FAIR_SELECTIVITIES:
            k = k_of(count, percent)
            none, ancestor = (results.value(count, m, k, ON_THE_WAY) for m in (REGULAR_K, ANCESTOR_COVER_K))
            if none is not None and ancestor is not None:
                saved.append(100 * (none - ancestor) / none)
    what = "AncestorCoverK beside RegularK: CPU on the way saved, mean over k"
    yield Comparison(what, "Figure 7", "25% of the latency", _percent(fmean(saved), 0) if saved else None)


def _more(pair: Iterable[float | None]) -> float | None:
    """How much more the first is than the second, in percent."""
    one, other = pair
    return None if one is None or not other else 100 * (one - other) / other


def _percent(value: float | None, digits: int = 2) -> str | None:
    return None if value is None else f"{value:.{digits}f}%"


def _range(values: Sequence[float], unit: str, digits: int = 1) -> str | None:
    """The mean and the range.

    >>> _range([18.0, 20.0], "", 0), _range([75.0, 85.5], "%")
    ('19 (18 to 20)', '80.2% (75.0 to 85.5)')
    """
    if not values:
        return None
    return f"{fmean(values):.{digits}f}{unit} ({min(values):.{digits}f} to {max(values):.{digits}f})"
