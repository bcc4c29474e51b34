"""Measure all cells.

Times are CPU times of the compiled walk, which decides and moves what is decided on; medians count, interest group by
interest group. What decisions alone take is a small difference of two walks, so there the fastest ones count.
"""

from __future__ import annotations

from functools import cache
from statistics import median

from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.deciding.benchmark import COMPARED, MEASURED, Decide, Decisions
from sparing_lab.bench.deciding.cells import DecideCase, cells
from sparing_lab.bench.deciding.literal import literal
from sparing_lab.bench.deciding.walks import decisions, match, replay, rounds, set_out

TINY = DecideCase(rate=40, subscriptions=30, ratio=2)


def decide(settings: Decide, run: Run) -> list[Decisions]:
    """Measure all policies on every cell."""
    run.tell("Compiling the walk")
    _warm_up()
    figures = []
    for cell in cells(settings):
        figures.append(measure(cell, settings.repeat))
        run.tell(f"{cell}: {figures[-1].decisions['adock']:,} decisions of ADOCK")
    return figures


@cache
def _warm_up() -> None:
    """Once in a process, so that nobody's time includes compiling."""
    measure(TINY, 1)


def measure(cell: DecideCase, repeat: int) -> Decisions:
    """All policies on one cell."""
    plan, held = match(cell)
    walks = {name: set_out(plan, held, name) for name in MEASURED}
    counts = {name: decisions(journeys) for name, journeys in walks.items()}
    if not min(counts.values()):
        raise SparingError(f"Nothing is decided with {cell} at {cell.rate:g} publications/s: give more of them.")
    replays = {_replayed(name): [replay(arrays) for arrays in walks[name]] for name in COMPARED}
    found = rounds(walks | replays, repeat)
    fastest = {name: sum(map(min, times)) for name, times in found.items()}
    return Decisions(
        cell.subscriptions,
        cell.ratio,
        cell.duration,
        counts,
        {name: sum(map(median, found[name])) for name in MEASURED},
        {name: fastest[name] - fastest[_replayed(name)] for name in COMPARED},
        literal(walks["adock"], counts["adock"]),
    )


def _replayed(name: str) -> str:
    return f"{name}, replayed"
