"""The paper's claims about its experiments beside our measurements, with verdicts.

The figures themselves are drawings; only what the text says is taken. Ours are means over several sets of
subscriptions; of the tree of RankCoverK, which differs much from set to set, the range is told as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from sparing_lab.study.exhibits import Comparison, known, percent
from sparing_lab.study.topk.forwarding import DEEPEST, FORWARDED
from sparing_lab.study.topk.grid import (
    ANCESTOR_COVER_K,
    FEW,
    MANY,
    RANK_COVER_K,
    RANK_TREE,
    REGULAR_COVER,
    Width,
)
from sparing_lab.study.topk.printed_choice import choice_comparisons
from sparing_lab.study.topk.results import TopkResults
from sparing_lab.study.verdicts import at_least, at_most, holds, near

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

SET = "how many are forwarded differs from set to set, and the paper measured one"
TREE = "how deep the tree gets differs from set to set, and the paper does not say which of several parents it takes"


def comparisons(results: TopkResults) -> list[Comparison]:
    """Return all claims of the paper's section V with numbers or about figures."""
    return [*_low_k(results), *_selectivity(results), *_sizes(results), *choice_comparisons(results)]


def _low_k(results: TopkResults) -> Iterable[Comparison]:
    for count, where in ((FEW, "Figure 5(a)"), (MANY, "Figure 5(b)")):
        of, printed = f"{count:,} subscriptions", REGULAR[count]
        ours = results.forwarded(count, REGULAR_COVER)
        judged = near(ours, printed).noting(SET)
        yield Comparison(f"RegularCover: forwarded of {of}", where, f"{printed}%", percent(ours, 2), judged)
        ours = results.forwarded(count, RANK_TREE, 1)
        judged = near(ours, printed).noting(SET)
        yield Comparison(f"RankCoverK, k = 1, of {of}", where, f"{printed}%", percent(ours, 2), judged)
        trees, longest = results.values(count, RANK_TREE, 10, FORWARDED), results.forwarded(count, RANK_COVER_K, 10)
        told = None if not trees or longest is None else f"{_range(trees, '%')}; by longest paths {longest:.1f}%"
        judged = near(_mean(trees), RANK[count]).noting(TREE)
        yield Comparison(f"RankCoverK, k = 10, of {of}", where, f"{RANK[count]}%", told, judged)
        depths = results.values(count, RANK_TREE, 0, DEEPEST)
        what = f"RankCoverK: smallest k at which all of {of} are forwarded"
        judged = near(_mean(depths), RANK_END[count]).noting(TREE)
        yield Comparison(what, "V-C", str(RANK_END[count]), _range(depths, "", 0), judged)
        ours = results.forwarded(count, ANCESTOR_COVER_K, 10)
        what = f"AncestorCoverK, k up to 10, of {of}"
        judged = at_most(ours, ANCESTOR[count])
        yield Comparison(what, where, f"under {ANCESTOR[count]}%", percent(ours, 2), judged)
    few, many = (results.forwarded(count, RANK_TREE, 10) for count in (FEW, MANY))
    better = None if few is None or many is None else 100 * (few - many) / few
    what = f"RankCoverK, k = 10: fewer forwarded of {MANY:,} than of {FEW:,}"
    yield Comparison(what, "V-C", "28.5%", percent(better), near(better, 28.5).noting(TREE))


def _selectivity(results: TopkResults) -> Iterable[Comparison]:
    for share, said in ((0.1, "over 94.24%"), (10, "33.3%")):
        ours = results.forwarded_at(MANY, ANCESTOR_COVER_K, share)
        covered = None if ours is None else 100 - ours
        what = f"AncestorCoverK, k = {share:g}%: covered of {MANY:,} subscriptions"
        yield Comparison(
            what,
            "Figure 5(c)",
            said,
            percent(covered, 2),
            at_least(covered, 94.24) if share < 1 else near(covered, 33.3),
        )
    apart = max(known(_apart(results, share) for share in results.scale.selectivities), default=None)
    what = "AncestorCoverK: maximum difference between numbers of subscriptions, percentage points"
    ours_now = None if apart is None else f"{apart:.2f}"
    yield Comparison(what, "Figure 5(c)", "less than 0.4", ours_now, at_most(apart, 0.4).noting(SET))
    base, ours = results.forwarded(MANY, REGULAR_COVER), results.forwarded_at(MANY, ANCESTOR_COVER_K, 1)
    kept = None if base is None or ours is None else 100 * (100 - ours) / (100 - base)
    what = f"AncestorCoverK, k = 1%: of what RegularCover covers of {MANY:,}"
    yield Comparison(what, "V-C", "81%", percent(kept), near(kept, 81.0))


def _apart(results: TopkResults, percent: float) -> float | None:
    found = [results.forwarded_at(count, ANCESTOR_COVER_K, percent) for count in results.scale.subscriptions]
    there = known(found)
    return max(there) - min(there) if len(there) > 1 else None


def _sizes(results: TopkResults) -> Iterable[Comparison]:
    base = {width: results.forwarded(FEW, REGULAR_COVER, width=width) for width in SIZES}
    ours = {width: results.forwarded_at(FEW, ANCESTOR_COVER_K, 5, width) for width in SIZES}
    for width, (regular, ancestor) in SIZES.items():
        span = sized(width)
        if regular is not None:
            what, judged = f"RegularCover: forwarded, ranges of {span}", near(base[width], regular).noting(SET)
            yield Comparison(what, "Figure 5(d)", f"{regular}%", percent(base[width], 2), judged)
        what, judged = f"AncestorCoverK, k = 5%: forwarded, ranges of {span}", near(ours[width], ancestor)
        yield Comparison(what, "Figure 5(d)", f"{ancestor}%", percent(ours[width], 2), judged)
    factors = {}
    for method, found, printed in ((REGULAR_COVER, base, 2.52), (f"{ANCESTOR_COVER_K}, k = 5%", ours, 2.03)):
        fewer, more = found[SMALLEST], found[LARGEST]
        times = None if fewer is None or more is None else more / fewer
        factors[method] = times
        what = f"{method}: times as many forwarded of {sized(LARGEST)} as of {sized(SMALLEST)}"
        judged = near(times, printed).noting(SET)
        yield Comparison(what, "V-C", f"{printed}", None if times is None else f"{times:.2f}", judged)
    one, other = factors.values()
    smaller = None if one is None or other is None else other <= one
    what = "AncestorCoverK is no more sensitive to the size of ranges than RegularCover"
    told = None if one is None or other is None else f"{other:.2f} and {one:.2f} times"
    yield Comparison(what, "V-C", "2.03 and 2.52 times", told, holds([smaller]))


def sized(width: Width) -> str:
    """Return a range of widths as text.

    >>> sized((0.3, 0.6))
    '30-60%'
    """
    return f"{100 * width[0]:.0f}-{100 * width[1]:.0f}%"


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _range(values: Sequence[float], unit: str, digits: int = 1) -> str | None:
    """Return mean and range as text.

    >>> _range([18.0, 20.0], "", 0), _range([75.0, 85.5], "%")
    ('19 (18 to 20)', '80.2% (75.0 to 85.5)')
    """
    if not values:
        return None
    return f"{fmean(values):.{digits}f}{unit} ({min(values):.{digits}f} to {max(values):.{digits}f})"
