"""Measuring: methods take turns on the same problem, for the same benefit.

Times are CPU times of the thread: nothing measured here uses more than one, and other work on the machine stays out of
it. The problem is at hand before the clock starts; candidates are found within the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from statistics import fmean, median

from sparing.control.folding.aa import aa
from sparing.control.folding.measures import saved
from sparing.control.folding.mefa import FEW, mefa
from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.spa import spa
from sparing.model.errors import SparingError
from sparing_lab.algorithms.literal_mefa import literal_mefa
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.fold.benchmark import WIDE, BesidePrinted, Fold, FoldCase, Folding
from sparing_lab.bench.fold.problems import made_up

Method = Callable[[Problem, float], Folds]

ANY = -1.0  # below all similarities: SPA and AA go on until they have saved what they were asked for
METHODS: Mapping[str, Method] = {
    "MEFA": mefa,
    "SPA": partial(spa, similarity=ANY),
    "AA": partial(aa, similarity=ANY),
}
LONG = 5.0  # seconds: what takes longer is measured once


def measure(settings: Fold, run: Run) -> tuple[list[Folding], list[BesidePrinted]]:
    """Measure all methods on every case; then MEFA as printed on small ones."""
    _warm_up(settings)
    whole, beside = [], []
    for case in settings.cases(settings.subscriptions):
        whole.append(_whole(settings, case))
        run.tell(str(case))
    for case in settings.cases(settings.printed):
        beside.append(_beside(settings, case))
        run.tell(f"{case}, as printed")
    return whole, beside


def _warm_up(settings: Fold) -> None:
    """So that nobody's time includes compiling."""
    for dimensions in settings.dimensions:
        problem = made_up(settings, FoldCase(2 * FEW, dimensions, WIDE))
        for method in METHODS.values():
            method(problem, problem.possible() / 2)


def _whole(settings: Fold, case: FoldCase) -> Folding:
    problem = made_up(settings, case)
    theta = settings.share * problem.possible()
    there = [name for name in METHODS if name == "MEFA" or case.subscriptions <= settings.peers]
    found: dict[str, Folds] = {}
    taken: dict[str, list[float]] = {name: [] for name in there}
    for _ in range(settings.repeat):
        for name in there:
            if taken[name] and taken[name][0] > LONG:
                continue
            begun = time.thread_time()
            found[name] = METHODS[name](problem, theta)
            taken[name].append(time.thread_time() - begun)
    _check(case, problem, theta, found["MEFA"])
    return Folding(
        case.subscriptions,
        case.dimensions,
        case.ranges,
        problem.possible(),
        len(found["MEFA"].clusters()),
        {name: median(taken[name]) if name in taken else None for name in METHODS},
        {name: found[name].cost if name in found else None for name in METHODS},
        {name: found[name].benefit if name in found else None for name in METHODS},
    )


def _check(case: FoldCase, problem: Problem, theta: float, found: Folds) -> None:
    """MEFA must save what it says, and in one dimension as much as is asked for."""
    if found.benefit != saved(problem, found.of) or (case.dimensions == 1 and found.benefit < theta):
        raise SparingError(f"MEFA saves less than it should on {case}, which is a mistake in Sparing.")


def _beside(settings: Fold, case: FoldCase) -> BesidePrinted:
    """Mean costs over some problems, and the seconds that MEFA as printed takes."""
    methods = {"printed": literal_mefa, **METHODS}
    costs: dict[str, list[float]] = {name: [] for name in methods}
    seconds = []
    for number in range(settings.instances):
        problem = made_up(settings, case, number)
        theta = settings.share * problem.possible()
        for name, method in methods.items():
            begun = time.thread_time()
            costs[name].append(method(problem, theta).cost)
            if name == "printed":
                seconds.append(time.thread_time() - begun)
    mean = {name: fmean(found) for name, found in costs.items()}
    return BesidePrinted(case.subscriptions, case.dimensions, case.ranges, settings.instances, median(seconds), mean)
