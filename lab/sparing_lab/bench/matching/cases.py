"""The workloads that are measured."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass

from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing_lab.bench.matching.benchmark import Match
from sparing_lab.bench.matching.engines import ENGINES
from sparing_lab.bench.matching.shapes import SHAPES


def check(settings: Match) -> None:
    """Say in one sentence what cannot be measured, before anything is."""
    for what, names, known in (("shape", settings.shapes, SHAPES), ("engine", settings.engines, ENGINES)):
        for name in names:
            if name not in known:
                raise SparingError(f"There is no {what} {name!r}: choose from {', '.join(known)}.")
        if not names:
            raise SparingError(f"Without any {what} there is nothing to measure: choose from {', '.join(known)}.")
    if "sparing" not in settings.engines:
        raise SparingError("Peers are measured beside Sparing: add sparing to the engines.")
    if not settings.subscriptions or min(settings.subscriptions) < 1 or settings.repeat < 1 or not settings.seconds > 0:
        raise SparingError("Numbers of subscriptions, repetitions and seconds must be greater than zero.")
    for name in settings.engines:
        if ENGINES[name].library:
            _must_have(ENGINES[name].library, f"measure {ENGINES[name].title}")


def _must_have(library: str, purpose: str) -> None:
    """Say how to install an optional library that is not there."""
    if importlib.util.find_spec(library) is None:
        raise SparingError(f"To {purpose}, {library} must be there: install it with pip install {library}.")


@dataclass(frozen=True)
class MatchCase:
    """A workload: which shape, how many subscriptions."""

    shape: str
    selectivity: float
    subscriptions: int
    seed: int
    events: int

    def __str__(self) -> str:
        return f"{self.workload}, {counted(self.subscriptions, 'subscription')}"

    @property
    def workload(self) -> str:
        """The shape and selectivity, for people."""
        return workload(self.shape, self.selectivity)


def workload(shape: str, selectivity: float) -> str:
    """A shape and a selectivity, for people."""
    return f"{shape} ({SHAPES[shape].title}), {100 * selectivity:g}%"


def cases(settings: Match) -> Iterator[MatchCase]:
    """The workloads to measure, shape by shape, from few subscriptions to many."""
    for name in settings.shapes:
        for selectivity in SHAPES[name].selectivities:
            for count in sorted(settings.subscriptions):
                yield MatchCase(name, selectivity, count, settings.seed, settings.events)
