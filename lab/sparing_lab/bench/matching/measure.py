"""Events per second of all engines, measured in turn.

Engines differ by orders of magnitude, so each matches as many events as it can in about the time that is given, at
least 64; the figures are events per second. Repetitions go round the engines in turn, and medians count. Give a
measurement some seconds: a query of Spark's takes half of one before it does anything, which counts against it.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from contextlib import suppress

from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import Results
from sparing_lab.bench.matching.benchmark import Match, Matching
from sparing_lab.bench.matching.cases import MatchCase, cases, workload
from sparing_lab.bench.matching.engines import ENGINES, SparingIndex
from sparing_lab.bench.matching.processes import STARTING, Process, Skipped

Tell = Callable[[str], None]

LEAST_EVENTS = 64
PATIENCE = 4  # times the seconds of a measurement that matching a few events may take
LEAST_PATIENCE = 10.0  # seconds; a first query may have to be compiled
GROWTH = 16  # times as many events as before that an estimate is trusted for


def measure(settings: Match, tell: Tell) -> Results:
    """Measure all engines in turn on every workload."""
    processes = {name: Process(name, tell) for name in settings.engines}
    figures: list[Matching] = []
    try:
        for case in cases(settings):
            figures += _measure(case, processes, settings, figures, tell)
    finally:
        for process in processes.values():
            process.close()
    starting = {name: process.starting for name, process in processes.items() if process.starting is not None}
    return {"figures": figures, "starting": starting, "versions": _versions()}


def _versions() -> dict[str, str]:
    installed = {}
    for name in ("numpy", "numba", "duckdb", "polars", "pyspark"):
        with suppress(importlib.metadata.PackageNotFoundError):
            installed[name] = importlib.metadata.version(name)
    return installed


def _measure(
    case: MatchCase, processes: dict[str, Process], settings: Match, earlier: Sequence[Matching], tell: Tell
) -> list[Matching]:
    """All engines on one workload."""
    figures = []
    for name, process in processes.items():
        figure = Matching(case.shape, case.selectivity, case.subscriptions, name)
        figure.skipped = next(
            (f.skipped for f in earlier if (f.shape, f.selectivity, f.engine) == (case.shape, case.selectivity, name)),
            "",
        )
        figures.append(figure)
        _attempt(figure, tell, lambda f=figure, p=process: _prepare(f, p, case, settings.seconds))  # type: ignore[misc]
    for _ in range(settings.repeat):
        for figure in figures:
            _attempt(figure, tell, lambda f=figure: _repeat(f, processes, case, settings.seconds, tell))  # type: ignore[misc]
    ours = next(figure.rate() for figure in figures if figure.engine == "sparing")
    for figure in figures:
        figure.ratio = ours / figure.rate() if figure.rates and not figure.skipped else None
    return figures


def _attempt(figure: Matching, tell: Tell, work: Callable[[], None]) -> None:
    """Do something that a peer may turn out to be too slow for."""
    if figure.skipped:
        return
    try:
        work()
    except Skipped as reason:
        if figure.engine == "sparing":
            raise SparingError(f"Sparing cannot be measured: {reason}.") from None
        figure.skipped = f"{reason} with {figure.subscriptions:,} subscriptions"
        tell(f"{workload(figure.shape, figure.selectivity)}, {ENGINES[figure.engine].title}: skipped: {figure.skipped}")


def _prepare(figure: Matching, process: Process, case: MatchCase, seconds: float) -> None:
    """Take the subscriptions in, and find the quickest way and how many events it matches in the time."""
    loaded = process.load(case)
    figure.load_seconds, figure.bytes = loaded.seconds, loaded.bytes
    best, reason = 0.0, None
    for way in process.engine.ways:
        try:
            events, rate = _estimate(process, way, min(process.engine.most, case.events), seconds)
        except Skipped as too_slow:
            reason = too_slow
            continue
        if rate > best:
            figure.way, figure.events, best = way, events, rate
    if not figure.events:
        assert reason is not None
        raise reason


def _estimate(process: Process, way: str, most: int, seconds: float) -> tuple[int, float]:
    """How many events to match in about so many seconds, and how many each second, from ever larger batches.

    What a batch costs however small it is does not count, so that a query's overhead never makes up most of the time.
    The index is made for large batches, and gets them even if they take longer.
    """

    def run(events: int) -> float:
        return process.run(events, way, 0.0, _patience(process, seconds)).seconds

    events = min(LEAST_EVENTS, most)
    run(events)  # the first time may be extraordinary
    overhead = run(1)
    taken = run(events)
    if process.engine.whole:
        return most, most / run(most)
    while events < most and taken - overhead < seconds / 2:
        growth = seconds / max(taken - overhead, seconds / GROWTH)
        events = min(most, int(events * growth))
        taken = run(events)
    return events, events / taken


def _patience(process: Process, seconds: float) -> float:
    """Return the time limit of a measurement in seconds; a peer that is known to be slow has less."""
    return STARTING if process.engine is SparingIndex else max(PATIENCE * seconds, LEAST_PATIENCE)


def _repeat(figure: Matching, processes: dict[str, Process], case: MatchCase, seconds: float, tell: Tell) -> None:
    """Measure once; a peer's first result is also compared with Sparing's pairs."""
    process = processes[figure.engine]
    done = process.run(figure.events, figure.way, seconds / 4, _patience(process, seconds))
    if figure.engine != "sparing" and not figure.rates:
        ours = processes["sparing"].run(figure.events, "", 0.0, STARTING)
        if ours.pairs != done.pairs:
            raise SparingError(
                f"Sparing and {process.engine.title} disagree on {case}: of {figure.events:,} events Sparing finds "
                f"{ours.pairs:,} pairs, {process.engine.title} {done.pairs:,}."
            )
    figure.pairs = done.pairs
    figure.rates.append(figure.events / done.seconds)
    tell(f"{case}, {process.engine.title}: {figure.rates[-1]:,.0f} events/s")
