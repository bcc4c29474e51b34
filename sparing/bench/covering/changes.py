"""Boxes that come and go one by one: how long the incremental cover takes for each.

After all changes, what it forwards must be what AncestorCoverK gives of the boxes that are there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sparing.bench.covering.boxes import Boxes, boxes
from sparing.bench.covering.settings import Case, Settings, Told
from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.standing import Standing
from sparing.control.covering.watched import WatchedCover
from sparing.model.box import Box
from sparing.model.constraint import Constraint
from sparing.model.errors import SparingError
from sparing.model.types import DOUBLE, float_codes

ADD, REMOVE, REMOVE_FORWARDED, BUILD = "add", "remove", "remove one that is forwarded", "build"


@dataclass(frozen=True)
class Change:
    """Seconds of a kind of change. Building is all boxes at once."""

    dimensions: int
    boxes: int
    what: str
    times: int
    mean: float
    high: float  # 99 of 100 are no slower
    worst: float


def changes(case: Case, settings: Settings, tell: Told = lambda _: None) -> Iterator[Change]:
    """Add boxes, remove any, remove some that are forwarded."""
    _warm_up(case.dimensions)
    count, some = case.boxes, min(settings.changes, case.boxes // 3)
    given = boxes(count + some, case.dimensions, settings.seed)
    entries = _entries(given)
    types = {f"x{field}": DOUBLE for field in range(case.dimensions)}
    made: list[WatchedCover] = []
    yield _timed(case, BUILD, [lambda: made.append(WatchedCover.of(entries[:count], types, settings.k))])
    cover = made[0]
    rng = np.random.default_rng(settings.seed)
    added = [lambda entry=entry: cover.add(*entry) for entry in entries[count:]]  # type: ignore[misc]
    yield _told(tell, case, _timed(case, ADD, added))
    gone = rng.permutation(count)[:some]
    removed = [lambda id_=entries[n][0]: cover.remove(id_) for n in gone.tolist()]  # type: ignore[misc]
    yield _told(tell, case, _timed(case, REMOVE, removed))
    forwarded = sorted(cover.forwarded)
    also = [forwarded[n] for n in rng.permutation(len(forwarded))[:some].tolist()]
    dropped = [lambda id_=id_: cover.remove(id_) for id_ in also]  # type: ignore[misc]
    yield _told(tell, case, _timed(case, REMOVE_FORWARDED, dropped))
    left = np.ones(len(given), dtype=bool)
    left[gone] = False
    left[[int(id_) for id_ in also]] = False
    if cover.forwarded != _at_once(given, left, settings.k):
        raise SparingError(f"The incremental cover went wrong with {case}, which is a mistake in Sparing.")


def _warm_up(dimensions: int) -> None:
    """So that nobody's time includes compiling."""
    entries = _entries(boxes(40, dimensions, 0))
    cover = WatchedCover.of(entries[:30], {f"x{field}": DOUBLE for field in range(dimensions)}, 2)
    for entry in entries[30:]:
        cover.add(*entry)
    for id_ in sorted(cover.forwarded):
        cover.remove(id_)


def _entries(given: Boxes) -> list[tuple[str, Box, float]]:
    """Boxes with ids in the order of their numbers, as the cover takes them."""
    low, high = (float_codes(bounds.ravel()).reshape(bounds.shape).tolist() for bounds in (given.low, given.high))
    return [
        (f"{n:08}", Box(tuple((f"x{f}", Constraint((both,))) for f, both in enumerate(zip(a, b, strict=True)))), score)
        for n, (a, b, score) in enumerate(zip(low, high, given.score.tolist(), strict=True))
    ]


def _at_once(given: Boxes, left: np.ndarray, k: int) -> set[str]:
    some = given.take(left)
    standing = Standing.by_score(CodedBoxes.of_numbers(some.low, some.high), some.score)
    return {f"{n:08}" for n in np.flatnonzero(left)[ancestor_cover(standing, k)].tolist()}


def _timed(case: Case, what: str, work: Sequence[Callable[[], object]]) -> Change:
    seconds = []
    for do in work:
        begun = time.perf_counter()
        do()
        seconds.append(time.perf_counter() - begun)
    high = float(np.quantile(seconds, 0.99))
    return Change(case.dimensions, case.boxes, what, len(seconds), float(np.mean(seconds)), high, max(seconds))


def _told(tell: Told, case: Case, change: Change) -> Change:
    tell(f"{case}, {change.what}: {1e6 * change.mean:,.0f} microseconds")
    return change
