"""What the slides say, and ours beside it: the numbers of their example, and claims without numbers.

Their plots are not in the text. A claim holds if it holds of mean costs over all points of a sweep; that MEFA is
cheaper, if it is also no dearer than both others in more than half of the samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sparing.study.exhibits import Comparison
from sparing.study.mefa.grid import AA, DO, GAMMAS, MEFA, PAIRS, PRINTED, SHARES, SPA, Kind, Point, ds, exact_point
from sparing.study.mefa.results import Results, less, mean, no_dearer
from sparing.study.mefa.worked_example import S1, S2, S3, benefit, first_round, likeness, second_round
from sparing.workloads.ranges import Distribution

EXPONENTIAL = (Distribution.EXPONENTIAL_PLACES, Distribution.EXPONENTIAL_SIZES)
HOLDS, PARTLY, FAILS = "holds", "holds in part", "does not hold"


def comparisons(results: Results) -> list[Comparison]:
    """The example, then the claims in the order of the slides."""
    return [
        *_example(),
        *_bound(results),
        *_real_case(results),
        *_methods(results),
        *_exponential(results),
        *_trees(results),
    ]


def _example() -> Iterable[Comparison]:
    where = "example of MEFA"
    what = "round 1: benefit and cost of (s1, s2); (s1, s3); (s2, s3)"
    yield Comparison(what, where, "2, 9*1; 1, 9*2; 1, 2*2", _round(first_round()))
    what = "round 2: benefit and further cost of (s1, s2); (s1, s3)"
    yield Comparison(what, where, "2, 2*2; 1, 2*2", _round(second_round()))
    yield Comparison("similarity of s1, s2 and s3", "related works", "60%", f"{likeness():.0f}%")
    both = f"{benefit((S1, S2, S3))}; {benefit((S2, S3))}"
    yield Comparison("benefit of all three as one; of s2 and s3", "related works", "3; 1", both)


def _round(pairs: Sequence[tuple[int, float]]) -> str:
    return "; ".join(f"{saved}, {cost:g}" for saved, cost in pairs)


def _bound(results: Results) -> Iterable[Comparison]:
    """The bound has a constant that is not given, so it cannot be refuted by measuring."""
    found = [
        ratio
        for distribution in Distribution
        for target in SHARES
        for ratio in results.ratios(exact_point(distribution), target, MEFA)
    ]
    ours = f"mean {mean(found):.2f}, worst {max(found):.2f} times the least, small trees" if found else None
    yield Comparison("cost of MEFA beside the least", "theorem", "1 + c ln theta times at most", ours)


def _real_case(results: Results) -> Iterable[Comparison]:
    points = [point for distribution in Distribution for point in results.facebook(distribution)]
    ours = f"{points[0].subscribers} of {points[0].nodes}" if points else None
    yield Comparison("leaves of the Facebook tree", "trace setting", "63 of 120 nodes", ours)


def _methods(results: Results) -> Iterable[Comparison]:
    for distribution in Distribution:
        points = sweep(results, distribution)
        where = f"results, {'uniform' if distribution is Distribution.UNIFORM else 'exponential'}"
        what = f"{distribution}: MEFA's cost below SPA's, AA's"
        yield Comparison(what, where, "greatly reduces the cost", _below(results, points))
    for distribution in Distribution:
        what = f"Facebook, {distribution}: MEFA's cost below SPA's, AA's"
        ours = _below(results, results.facebook(distribution))
        yield Comparison(what, "results, real case", "good performance", ours)


def sweep(results: Results, distribution: Distribution) -> list[Point]:
    """All points of trees that are drawn, with one distribution."""
    by_nodes = results.scale.by_nodes(Kind.AGGREGATION, distribution)
    return sorted({*by_nodes, *results.scale.by_average(distribution)})


def _below(results: Results, points: Sequence[Point]) -> str | None:
    """What MEFA as printed saves in pairs, saved by all methods: how far below it is, and how often it is cheapest."""
    mine, spa, aa = (results.costs(points, PAIRS, method) for method in (MEFA, SPA, AA))
    under, often = [less(mine, other) for other in (spa, aa)], no_dearer(mine, spa, aa)
    printed = [less(results.costs(points, PAIRS, PRINTED), other) for other in (spa, aa)]
    if None in under or None in printed or often is None:
        return None
    verdict = _verdict([*(one is not None and one > 0 for one in under), often > 50])
    ours, literal = (", ".join(f"{one:.0f}%" for one in some) for some in (under, printed))
    return f"{verdict}: {ours}, cheapest in {often:.0f}% of samples (as printed: {literal})"


def _exponential(results: Results) -> Iterable[Comparison]:
    even = _gain(results, Distribution.UNIFORM)
    for distribution in EXPONENTIAL:
        ours, skewed = None, _gain(results, distribution)
        if even and skewed:
            verdict = _verdict([one > other for one, other in zip(skewed, even, strict=True)])
            pairs = [f"{one:.0f}% instead of {other:.0f}%" for one, other in zip(skewed, even, strict=True)]
            ours = f"{verdict}: SPA {pairs[0]}, AA {pairs[1]}"
        what = f"{distribution}: MEFA is further below than with uniform ranges"
        yield Comparison(what, "results, exponential", "especially then", ours)


def _gain(results: Results, distribution: Distribution) -> list[float]:
    points = sweep(results, distribution)
    mine = results.costs(points, PAIRS, MEFA)
    found = [less(mine, results.costs(points, PAIRS, other)) for other in (SPA, AA)]
    return [one for one in found if one is not None]


def _trees(results: Results) -> Iterable[Comparison]:
    for distribution in Distribution:
        points = results.scale.by_nodes(Kind.TREES, distribution)
        before = results.costs(points, PAIRS, MEFA, DO)
        found = [less(results.costs(points, PAIRS, MEFA, ds(gamma)), before) for gamma in GAMMAS]
        known = [one for one in found if one is not None]
        ours = None
        if len(known) == len(GAMMAS):
            told = ", ".join(f"{one:.0f}% (gamma = {gamma:g})" for one, gamma in zip(known, GAMMAS, strict=True))
            ours = f"{_verdict([one > 0 for one in known])}: {told}"
        what = f"{distribution}: MEFA's cost on DS trees below that on DO trees"
        yield Comparison(what, "influence of the tree", "can further reduce the cost", ours)


def _verdict(found: Sequence[bool]) -> str:
    """In a word.

    >>> _verdict([True, True]), _verdict([True, False]), _verdict([False])
    ('holds', 'holds in part', 'does not hold')
    """
    return HOLDS if all(found) else PARTLY if any(found) else FAILS
