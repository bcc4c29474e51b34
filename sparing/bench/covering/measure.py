"""Measuring: engines take turns on the same boxes, and must find the same before they are timed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sparing.bench.covering.boxes import boxes
from sparing.bench.covering.changes import changes
from sparing.bench.covering.engines import ENGINES, Engine
from sparing.bench.covering.figures import Figure, Figures
from sparing.bench.covering.settings import Case, Settings, Told
from sparing.model.errors import SparingError


def cover(settings: Settings, tell: Told = lambda _: None, started: Mapping[str, Engine] | None = None) -> Figures:
    """Measure all engines on every case, then boxes that come and go. `started` are engines that run already."""
    settings.check()
    engines = dict(started or {})
    mine = [name for name in settings.engines if name not in engines]
    try:
        for name in mine:
            tell(f"Starting {ENGINES[name].title}")
            engines[name] = ENGINES[name]()
        figures: list[Figure] = []
        for case in settings.cases():
            figures += _case(case, settings, engines, figures, tell)
    finally:
        for name in mine:
            if name in engines:
                engines[name].close()
    found = [change for case in settings.changed() for change in changes(case, settings, tell)]
    return Figures(settings, figures, found)


@dataclass(frozen=True)
class _Run:
    """What an engine found, in seconds of the wall clock and of this thread."""

    kept: np.ndarray
    seconds: float
    cpu: float


def _run(engine: Engine, k: int, way: str) -> _Run:
    begun, worked = time.perf_counter(), time.thread_time()
    kept = engine.cover(k, way)
    return _Run(kept, time.perf_counter() - begun, time.thread_time() - worked)


def _case(
    case: Case, settings: Settings, engines: Mapping[str, Engine], before: list[Figure], tell: Told
) -> list[Figure]:
    given = boxes(case.boxes, case.dimensions, settings.seed)
    figures: dict[str, Figure] = {}
    kept = np.zeros(0, np.int64)
    for name in ("sparing", *(name for name in settings.engines if name != "sparing")):
        engine, figure = engines[name], Figure(case.dimensions, case.boxes, name)
        figures[name] = figure
        figure.skipped = _too_slow(case, name, settings, before)
        if figure.skipped:
            tell(f"{case}, {engine.title}: skipped, {figure.skipped}")
            continue
        engine.load(given)
        runs = {way: _run(engine, settings.k, way) for way in engine.ways}
        if name == "sparing":
            kept = runs[""].kept
        for run in runs.values():
            if not np.array_equal(run.kept, kept):
                raise SparingError(
                    f"Sparing and {engine.title} disagree on {case}: Sparing keeps {len(kept):,}, "
                    f"{engine.title} {len(run.kept):,}."
                )
        figure.way = min(runs, key=lambda way: runs[way].seconds)
        figure.kept = len(kept)
        # What took long is not done again: nothing short can have disturbed it much.
        if runs[figure.way].seconds > settings.patience / 10 and name != "sparing":
            figure.seconds, figure.cpu = [runs[figure.way].seconds], [runs[figure.way].cpu]
    for _ in range(settings.repeat):
        for name, figure in figures.items():
            if not figure.skipped and len(figure.seconds) < settings.repeat and not _once(figure, name, settings):
                run = _run(engines[name], settings.k, figure.way)
                figure.seconds.append(run.seconds)
                figure.cpu.append(run.cpu)
    for name, figure in figures.items():
        if not figure.skipped:
            tell(f"{case}, {engines[name].title}: {figure.median:.3g} s")
    return list(figures.values())


def _once(figure: Figure, name: str, settings: Settings) -> bool:
    return name != "sparing" and bool(figure.seconds) and figure.seconds[0] > settings.patience / 10


def _too_slow(case: Case, name: str, settings: Settings, before: list[Figure]) -> str:
    """Why a peer is skipped: it would take too long, its time growing with the square of the number of boxes."""
    if name == "sparing":
        return ""
    smaller = [f for f in before if (f.dimensions, f.engine) == (case.dimensions, name)]
    if not smaller:
        return ""
    last = smaller[-1]
    if last.skipped:
        return last.skipped
    expected = last.median * (case.boxes / last.boxes) ** 2
    if expected <= settings.patience:
        return ""
    return f"would take about {expected:,.0f} s, as {last.boxes:,} boxes took {last.median:.3g} s"
