"""The paper's claims about fairness and CPU time beside our measurements, with verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from sparing_lab.study.exhibits import Comparison, cases, known, listed, percent
from sparing_lab.study.topk.fairness import DELIVERIES, FROM_EXPECTED, FROM_REGULAR_K, SURPLUS
from sparing_lab.study.topk.grid import (
    ANCESTOR_COVER_K,
    ANCESTOR_FAIR_K,
    FAIR_SELECTIVITIES,
    FEWER_CORE,
    GROWTH,
    REGULAR_COVER,
    REGULAR_K,
    k_of,
)
from sparing_lab.study.topk.overhead import AT_FIRST, ON_THE_WAY
from sparing_lab.study.topk.results import TopkResults
from sparing_lab.study.verdicts import LEFT_OUT, all_of, at_least, decreasing, holds, near, same, unmeasured

SHOWN = 250  # subscriptions of Figure 6
PAIR = (ANCESTOR_COVER_K, ANCESTOR_FAIR_K)

CHANCE = "the measure varies by chance and grows with the number of publications, which the paper does not state"
LATENCY = "the paper measures latency including the network; here CPU time is measured"
MILLISECONDS = "there is no network here, and the paper's text has no milliseconds, so CPU times are compared"
WEIGHTS = "weights are updated at once here, but with a delay in the paper"


def choice_comparisons(results: TopkResults) -> list[Comparison]:
    """Return all claims of sections V-D and V-E."""
    return [*_fairness(results), *_distance(results), *_overhead(results), *_fair_overhead(results)]


def _fairness(results: TopkResults) -> Iterable[Comparison]:
    ks = [k_of(SHOWN, share) for share in FAIR_SELECTIVITIES]
    gains = [_more(*(results.value(SHOWN, method, k, FROM_REGULAR_K) for method in PAIR)) for k in ks]
    mean = fmean(known(gains)) if known(gains) else None
    what = "AncestorCoverK's distance from RegularK over AncestorFairK's, mean over k"
    yield Comparison(what, "Figure 6(a)", "224%", percent(mean, 0), near(mean, 224.0).noting(CHANCE))
    fairer = [None if gain is None else gain > 0 for gain in gains]
    what = "values of k at which AncestorFairK is nearer to RegularK than AncestorCoverK"
    yield Comparison(what, "Figure 6(a)", "all", cases(fairer), holds(fairer))
    shares = [off_share(results, SHOWN, ANCESTOR_FAIR_K, k) for k in ks]
    what = "AncestorFairK: deviation from the expected numbers as k grows, as a share of all deliveries"
    yield Comparison(what, "Figure 6(a)", "increasingly fair", listed(shares), decreasing(shares).noting(WEIGHTS))
    one, two = (off_share(results, SHOWN, ANCESTOR_COVER_K, k) for k in ks[:2])
    better = None if one is None or two is None else 100 * (one - two) / one
    what = "AncestorCoverK: fairer with k = 2 than with k = 1, as a share of all deliveries"
    yield Comparison(what, "V-D", "20.18%", percent(better, 2), near(better, 20.18).noting(CHANCE))


def _distance(results: TopkResults) -> Iterable[Comparison]:
    away = range(1, FEWER_CORE + 1)
    for method in PAIR:
        found = {distance: by_distance(results, SHOWN, method, distance, FROM_EXPECTED) for distance in away}
        there = {distance: value for distance, value in found.items() if value is not None}
        nearest = min(there, key=lambda distance: there[distance]) if there else None
        what = f"{method}: core brokers on the path at which it is fairest"
        yield Comparison(what, "Figure 6(b)", "3", None if nearest is None else str(nearest), same(nearest, 3))
    ends = {m: [by_distance(results, SHOWN, m, distance, SURPLUS) for distance in (1, FEWER_CORE)] for m in PAIR}
    for method, (close, far) in ends.items():
        what = f"{method}: more than expected, by the nearest and by the farthest subscriptions"
        if close is None or far is None:
            yield Comparison(what, "Figure 6(b)", "more, less", None, LEFT_OUT)
        else:
            judged = all_of({"the nearest:": holds([close > 0]), "the farthest:": holds([far < 0])}).noting(WEIGHTS)
            yield Comparison(what, "Figure 6(b)", "more, less", f"{close:+.1f}%, {far:+.1f}%", judged)
    spans = [None if close is None or far is None else close - far for close, far in ends.values()]
    smaller = None if spans[0] is None or spans[1] is None else abs(spans[1]) < abs(spans[0])
    what = "points between the nearest and the farthest: AncestorCoverK, AncestorFairK"
    yield Comparison(what, "Figure 6(b)", "fewer for AncestorFairK", listed(spans, ".1f", ""), holds([smaller]))


def off_share(results: TopkResults, subscriptions: int, method: str, k: int) -> float | None:
    """Return the deviation from the expected numbers, in percent of all deliveries."""
    off = results.value(subscriptions, method, k, FROM_EXPECTED)
    deliveries = results.value(subscriptions, method, k, DELIVERIES)
    return None if off is None or not deliveries else 100 * off / deliveries


def by_distance(results: TopkResults, subscriptions: int, method: str, distance: int, what: str) -> float | None:
    """Return a value at a distance in percent of the deliveries there, averaged over k."""
    shares = []
    for share in FAIR_SELECTIVITIES:
        k = k_of(subscriptions, share)
        found = results.value(subscriptions, method, k, what, distance)
        deliveries = results.value(subscriptions, method, k, DELIVERIES, distance)
        if found is not None and deliveries:
            shares.append(100 * found / deliveries)
    return fmean(shares) if shares else None


def _overhead(results: TopkResults) -> Iterable[Comparison]:
    what, drawn = "milliseconds from publisher to subscriber", unmeasured(MILLISECONDS)
    yield Comparison(what, "Figures 7, 8", "drawn, not printed", None, drawn)
    over = _more(*(results.value(SHOWN, method, 1, AT_FIRST) for method in (ANCESTOR_COVER_K, REGULAR_COVER)))
    what = "top-k at a broker that knows the same subscriptions: over RegularCover, CPU at the publisher's"
    yield Comparison(what, "V-E", "3% of the latency", percent(over, 0), near(over, 3.0).noting(LATENCY))
    by_k = [[_saved(results, count, share) for count in results.scale.fair] for share in FAIR_SELECTIVITIES]
    saved = known(one for some in by_k for one in some)
    mean = fmean(saved) if saved else None
    what = "AncestorCoverK beside RegularK: CPU on the path saved, mean over k"
    judged = near(mean, 25.0).noting(LATENCY)
    yield Comparison(what, "Figure 7", "25% of the latency", percent(mean, 0), judged)
    quicker = [None if one is None else one > 0 for one in by_k[0]]
    what = f"numbers of subscriptions with which AncestorCoverK is faster than RegularK, k = {FAIR_SELECTIVITIES[0]:g}%"
    yield Comparison(what, "Figure 7", "all", cases(quicker), holds(quicker))
    means = [fmean(known(some)) if known(some) else None for some in by_k]
    what = "AncestorCoverK beside RegularK: CPU on the path saved, as k grows"
    yield Comparison(what, "Figure 7", "lessens", listed(means, ".0f"), decreasing(means, 0).noting(LATENCY))


def _saved(results: TopkResults, subscriptions: int, share: float) -> float | None:
    k = k_of(subscriptions, share)
    none, ancestor = (results.value(subscriptions, m, k, ON_THE_WAY) for m in (REGULAR_K, ANCESTOR_COVER_K))
    return None if none is None or ancestor is None else 100 * (none - ancestor) / none


def _fair_overhead(results: TopkResults) -> Iterable[Comparison]:
    few, many = results.scale.grown[0], results.scale.grown[-1]
    for share, letter in zip(GROWTH, "ab", strict=True):
        ends = [results.value(n, ANCESTOR_FAIR_K, k_of(n, share), ON_THE_WAY) for n in (few, many)]
        times = None if ends[0] is None or ends[1] is None else ends[1] / ends[0]
        what = f"AncestorFairK, k = {share:g}%: times the CPU on the path with {many:,} subscriptions instead of {few}"
        said = f"superlinear: over {many / few:g}"
        ours = None if times is None else f"{times:.1f}"
        yield Comparison(what, f"Figure 8({letter})", said, ours, at_least(times, many / few).noting(LATENCY))
    found = []
    for count in results.scale.fair:
        for share in (one for one in FAIR_SELECTIVITIES if one < 1):
            fair, none = (results.value(count, m, k_of(count, share), ON_THE_WAY) for m in (ANCESTOR_FAIR_K, REGULAR_K))
            found.append(None if fair is None or none is None else fair < none)
    what = "points with k under 1% at which AncestorFairK is faster than RegularK"
    yield Comparison(what, "V-E", "all", cases(found), holds(found).noting(LATENCY))


def _more(one: float | None, other: float | None) -> float | None:
    """Return by how many percent the first value exceeds the second."""
    return None if one is None or not other else 100 * (one - other) / other
