"""Boxes that come and go one by one: how long the incremental cover takes for each.

After all changes, what it forwards must be what AncestorCoverK gives of the boxes that are there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np

from sparing.control.covering.incremental import IncrementalCover
from sparing.model.box import Box
from sparing.model.constraint import Constraint
from sparing.model.errors import SparingError
from sparing.model.types import DOUBLE, FieldType, float_codes
from sparing_lab.bench.covering.benchmark import BoxChange, Cover, CoverCase, Seconds
from sparing_lab.bench.covering.boxes import made_up
from sparing_lab.bench.covering.engines import areas, by_sparing

Entry = tuple[str, Box, float]  # id, box, score


def changes(settings: Cover, case: CoverCase) -> BoxChange:
    """Add boxes to those there are, then remove some."""
    _warm_up(case.dimensions)
    count, some = case.boxes, min(settings.changes, case.boxes)
    low, high = made_up(settings.seed, count + some, case.dimensions)
    entries = _entries(low, high)
    begun = time.perf_counter()
    cover = IncrementalCover.of(entries[:count], _types(case.dimensions), settings.k)
    build = time.perf_counter() - begun
    rng = np.random.default_rng(settings.seed)
    add = _timed(lambda entry: cover.add(*entry), entries[count:])
    gone = [entries[n][0] for n in rng.permutation(count)[:some].tolist()]
    remove = _timed(cover.remove, gone)
    there = sorted(cover.forwarded)
    also = [there[n] for n in rng.permutation(len(there))[:some].tolist()]
    uncover = _timed(cover.remove, also)
    left = np.ones(len(entries), dtype=bool)
    left[[int(id_) for id_ in (*gone, *also)]] = False
    at_once = np.flatnonzero(left)[by_sparing(low[left], high[left], settings.k)]
    if cover.forwarded != {_id(n) for n in at_once.tolist()}:
        raise SparingError(f"The incremental cover went wrong with {case}, which is a mistake in Sparing.")
    return BoxChange(case.boxes, case.dimensions, build, add, remove, uncover)


def _warm_up(dimensions: int) -> None:
    """So that nobody's time includes compiling."""
    entries = _entries(*made_up(1, 40, dimensions))
    cover = IncrementalCover.of(entries[:30], _types(dimensions), 2)
    for entry in entries[30:]:
        cover.add(*entry)
    for id_ in sorted(cover.forwarded):
        cover.remove(id_)


def _types(dimensions: int) -> dict[str, FieldType]:
    return {f"x{field}": DOUBLE for field in range(dimensions)}


def _id(number: int) -> str:
    return f"{number:08}"


def _entries(low: np.ndarray, high: np.ndarray) -> list[Entry]:
    """Boxes as the cover takes them, with ids in the order of their numbers."""
    bounds = (float_codes(ends.ravel()).reshape(ends.shape).tolist() for ends in (low, high))
    found = []
    for number, (begins, ends, area) in enumerate(zip(*bounds, areas(low, high).tolist(), strict=True)):
        ranges = [(f"x{field}", Constraint((both,))) for field, both in enumerate(zip(begins, ends, strict=True))]
        found.append((_id(number), Box(tuple(ranges)), area))
    return found


def _timed(change: Callable[..., object], what: Iterable[object]) -> Seconds:
    seconds = []
    for one in what:
        begun = time.perf_counter()
        change(one)
        seconds.append(time.perf_counter() - begun)
    return Seconds(float(np.mean(seconds)), float(np.quantile(seconds, 0.99)), max(seconds))
