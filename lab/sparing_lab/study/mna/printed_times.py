"""The paper's claims about computation beside our measurements, with verdicts. Times are compared as ratios only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from sparing_lab.study.exhibits import Comparison, cases, known, listed
from sparing_lab.study.mna.grid import PANELS, SETTINGS, WORKLOADS, MnaCell
from sparing_lab.study.mna.results import MnaResults, seconds
from sparing_lab.study.verdicts import all_of, at_least, holds, increasing, near, unmeasured

FEW, MANY = 90, 360  # subscriptions

INCREMENTAL = "ADOCK is computed incrementally here, which takes far less than two matchings per decision"
SHORT = "the timed walks are short and vary by chance, and a publication is matched only once"
SERVERS = "seconds of Java brokers on 16 servers; here an experiment is one process, so only ratios are compared"


def time_comparisons(results: MnaResults) -> list[Comparison]:
    """Return all claims of sections VIII-C and VIII-E about times."""
    return [*_by_windows(results), *_by_rate(results), *_by_subscriptions(results), *_most(results)]


def _by_windows(results: MnaResults) -> Iterable[Comparison]:
    for windows, said in (("tumbling", "500 s"), ("sliding", "almost 1,200 s")):
        what = f"ADOCK's compute at the highest rate: traffic, {windows}"
        yield Comparison(what, "Figure 7(a), (b)", said, None, unmeasured(SERVERS))
    for policy, workload, said, printed, note in (
        ("adock", "traffic", "1,200 s / 500 s", 2.4, INCREMENTAL),
        ("wad", "traffic", "similar", 1.0, SHORT),
        ("wad", "stock", "similar", 1.0, SHORT),
        ("bat", "traffic", "similar", 1.0, SHORT),
        ("bat", "stock", "similar", 1.0, SHORT),
    ):
        top = max(results.scale.rates[workload])
        times = _beside(results, policy, *(results.scale.cell(workload, windows, rate=top) for windows in SETTINGS))
        what = f"{policy.upper()}'s compute, sliding, times that of tumbling, at the highest rate: {workload}"
        yield Comparison(what, "Figure 7", said, _times(times), near(times, printed).noting(note))


def _by_rate(results: MnaResults) -> Iterable[Comparison]:
    cells = [cell for panel in PANELS for cell in results.scale.by_rate(*panel)]
    yield _dearer(results, cells, ("adock", "wad"), "by rates", "Figure 7", SHORT)
    times = results.ratio(results.scale.by_rate("traffic", "tumbling")[-1], "bat", "adock", seconds)
    what = "BAT's compute, times ADOCK's, at the highest rate: traffic, tumbling"
    yield Comparison(what, "Figure 7(a)", "similar", _times(times), near(times, 1.0).noting(INCREMENTAL))
    cells = results.scale.by_rate("stock", "tumbling")
    yield _dearer(results, cells, ("adock", "bat"), "by rates: stock, tumbling", "Figure 7(c)", INCREMENTAL)
    ratios = [results.ratio(cell, "adock", "wad", seconds) for cell in results.scale.by_rate("stock", "sliding")]
    what = "ADOCK's compute, times WAD's, as rates grow: stock, sliding"
    yield Comparison(what, "VIII-E", "grows", listed(ratios, ".2f", ""), increasing(ratios, 2).noting(SHORT))


def _by_subscriptions(results: MnaResults) -> Iterable[Comparison]:
    pair = [results.scale.cell("stock", "tumbling", subscriptions=count) for count in (MANY, FEW)]
    grown = {policy: _beside(results, policy, *pair) for policy in ("adock", "wad")}
    linear = MANY / FEW
    for policy, said, judged in (
        ("adock", f"faster than linear: over {linear:g}", at_least(grown["adock"], linear).noting(INCREMENTAL)),
        ("wad", f"linear: {linear:g}", near(grown["wad"], linear).noting(SHORT)),
    ):
        what = f"{policy.upper()}'s compute, times, with {MANY} subscriptions instead of {FEW}: stock, tumbling"
        yield Comparison(what, "Figure 8(c)", said, _times(grown[policy]), judged)
    cells = [cell for panel in PANELS for cell in results.scale.by_subscriptions(*panel)]
    yield _dearer(results, cells, ("adock", "wad"), "by subscriptions", "Figure 8(b), (d)", SHORT)
    ratios = {workload: _wad_to_bat(results, workload) for workload in WORKLOADS}
    judged = all_of({workload: near(ratio, 1.0) for workload, ratio in ratios.items()})
    what = "WAD's compute, times BAT's, mean over subscriptions: traffic, stock"
    ours = listed(ratios.values(), ".2f", "")
    yield Comparison(what, "Figure 8(b), (d)", "similar", ours, judged.noting(SHORT))


def _most(results: MnaResults) -> Iterable[Comparison]:
    for name, sweep, printed in (
        ("rates", results.scale.by_rate, 4.0),
        ("subscriptions", results.scale.by_subscriptions, 2.1),
    ):
        cells = [cell for panel in PANELS for cell in sweep(*panel)]
        most = max(known(results.ratio(cell, "adock", "wad", seconds) for cell in cells), default=None)
        what = f"ADOCK's compute, times WAD's, maximum over {name}"
        ours = None if most is None else f"up to {most:.1f}"
        yield Comparison(what, "VIII-E", f"up to {printed:g}", ours, near(most, printed).noting(INCREMENTAL))


def _dearer(
    results: MnaResults, cells: Sequence[MnaCell], pair: tuple[str, str], when: str, where: str, note: str
) -> Comparison:
    """Return the claim that the first of two policies takes more compute than the second."""
    times = [results.ratio(cell, *pair, seconds) for cell in cells]
    found = [None if one is None else one > 1 for one in times]
    what = f"experiments in which {pair[0].upper()} computes more than {pair[1].upper()}, {when}"
    return Comparison(what, where, "all", cases(found), holds(found).noting(note))


def _beside(results: MnaResults, policy: str, cell: MnaCell, other: MnaCell) -> float | None:
    """Return the ratio of a policy's compute for two experiments."""
    one, base = results.row(cell, policy), results.row(other, policy)
    return None if one is None or base is None else one.seconds / base.seconds


def _wad_to_bat(results: MnaResults, workload: str) -> float | None:
    cells = [cell for windows in SETTINGS for cell in results.scale.by_subscriptions(workload, windows)]
    ratios = known(results.ratio(cell, "wad", "bat", seconds) for cell in cells)
    return fmean(ratios) if ratios else None


def _times(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"
