"""Measuring: engines take turns on the same demand, and must find the same marking before anybody is timed.

Times are CPU times of the thread: nothing measured here uses more than one, and other work on the machine stays out of
it. What is short is repeated more often.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import fmean, median
from typing import TypeVar

import numpy as np

from sparing.control.matchmaker.demand import Demand
from sparing.control.matchmaker.entangled import FREE, entangled
from sparing.model.errors import SparingError
from sparing.workloads.randomness import seeded_rng
from sparing_lab.bench.benchmark import Results, Run
from sparing_lab.bench.matchmaker.benchmark import (
    PER_SOURCE,
    BesidePeers,
    Flowless,
    Marking,
    Matchmaker,
    MatchmakerCase,
)
from sparing_lab.bench.matchmaker.engines import (
    Engine,
    Network,
    by_networkx,
    by_or_tools,
    by_scipy,
    by_sparing,
    published,
)
from sparing_lab.bench.matchmaker.made_up import MadeUpDemand, made_up

LONG = 5.0  # seconds: what took longer when it was checked is not done again
SHORT, OFTEN = 0.02, 10  # what takes fewer seconds is done so many times as often

T = TypeVar("T")


def measure(settings: Matchmaker, run: Run) -> Results:
    """Measure all steps on every case, and engines beside each other where each source has a tree."""
    _warm_up()
    whole, beside, flowless = [], [], []
    for case in settings.cases():
        made = made_up(settings, case)
        whole.append(_whole(settings, case, made))
        if case.trees == PER_SOURCE:
            beside.append(_beside(settings, case, made))
            if settings.instances and case.links <= settings.peers:
                flowless.append(_flowless(settings, case))
        run.tell(str(case))
    return {"whole": whole, "beside": beside, "flowless": flowless}


def _warm_up() -> None:
    """Compile and import everything, so that no measurement includes it."""
    settings = Matchmaker(links=(200,), repeat=1)
    for case in settings.cases():
        made = made_up(settings, case)
        _whole(settings, case, made)
        if case.trees == PER_SOURCE:
            _beside(settings, case, made)


def _whole(settings: Matchmaker, case: MatchmakerCase, made: MadeUpDemand) -> Marking:
    """Seconds of each step, from an overlay to a marking."""
    taken: dict[str, list[float]] = {"trees": [], "demand": [], "mark": []}
    for round_ in range(OFTEN * settings.repeat):
        if round_ >= settings.repeat and sum(map(median, taken.values())) > SHORT:
            break
        trees = _timed(made.trees, taken["trees"])
        demand = made.demand(trees)
        _timed(partial(_counted, demand, case.trees), taken["demand"])
        marking = _timed(partial(by_sparing, demand, case.trees), taken["mark"])
    if not demand.valid(marking):
        raise SparingError(f"The marking of {case} is not valid, which is a mistake in Sparing.")
    return Marking(
        case.links,
        case.overlay,
        case.trees,
        int(np.count_nonzero(demand.sigma)),
        int(np.count_nonzero(entangled(demand.eta, *demand.requires) != FREE)),
        demand.cost(marking),
        *[median(seconds) for seconds in taken.values()],
    )


def _counted(demand: Demand, trees: str) -> None:
    """All that a marking needs to be known of a demand; on a shared tree that is what each link would save."""
    _ = demand.eta
    if trees == PER_SOURCE:
        _ = demand.requires


def _timed(what: Callable[[], T], seconds: list[float]) -> T:
    begun = time.thread_time()
    found = what()
    seconds.append(time.thread_time() - begun)
    return found


def _beside(settings: Matchmaker, case: MatchmakerCase, made: MadeUpDemand) -> BesidePeers:
    demand = made.demand(made.trees())
    _counted(demand, case.trees)
    network = Network.of(demand)
    engines: dict[str, Engine | None] = {
        "Sparing": partial(by_sparing, demand, case.trees),
        "SciPy": by_scipy(network),
        "OR-tools": by_or_tools(network),
        "networkx": by_networkx(network) if case.links <= settings.peers else None,
    }
    there = {name: engine for name, engine in engines.items() if engine is not None}
    marking, first = _checked(case, demand, there)
    taken: dict[str, list[float]] = {name: [first[name]] if first[name] > LONG else [] for name in there}
    once = [name for name, seconds in taken.items() if seconds]
    for round_ in range(OFTEN * settings.repeat):
        for name, engine in there.items():
            if name not in once and (round_ < settings.repeat or first[name] < SHORT):
                _timed(engine, taken[name])
    rng = seeded_rng(settings.seed, "matchmaker", "sample", case.links)
    return BesidePeers(
        case.links,
        case.overlay,
        median(taken["Sparing"]),
        {name: median(taken[name]) if name in taken else None for name in engines if name != "Sparing"},
        published(demand, network, marking, settings.sample, rng),
    )


def _checked(case: MatchmakerCase, demand: Demand, engines: dict[str, Engine]) -> tuple[np.ndarray, dict[str, float]]:
    """The marking, and how long each engine took to find it for the first time."""
    taken, found = {}, {}
    for name, engine in engines.items():
        seconds: list[float] = []
        found[name] = _timed(engine, seconds)
        taken[name] = seconds[0]
        if not np.array_equal(found[name], found["Sparing"]):
            theirs, ours = (demand.cost(found[engine]) for engine in (name, "Sparing"))
            costs = f"{name} finds a cost of {theirs:,.0f} and Sparing one of {ours:,.0f}"
            raise SparingError(f"Engines disagree on {case}: {costs}, or other s-links.")
    return found["Sparing"], taken


def _flowless(settings: Matchmaker, case: MatchmakerCase) -> Flowless:
    """Return how often every link can decide independently."""
    shares = []
    for number in range(settings.instances):
        made = made_up(settings, case, number)
        demand = made.demand(made.trees())
        caught = int(np.count_nonzero(entangled(demand.eta, *demand.requires) != FREE))
        shares.append(caught / max(int(np.count_nonzero(demand.sigma)), 1))
    return Flowless(case.links, case.overlay, settings.instances, shares.count(0), fmean(shares))
