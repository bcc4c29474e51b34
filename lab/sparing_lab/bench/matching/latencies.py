"""Small batches, and subscriptions that come and go: how long Sparing's index takes for each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sparing.language.parse import parse_filter
from sparing.match import Index
from sparing.model.counted import counted
from sparing_lab.bench.matching.benchmark import Match, Timing
from sparing_lab.bench.matching.cases import MatchCase, cases
from sparing_lab.bench.matching.engines import SparingIndex
from sparing_lab.bench.matching.shapes import SHAPES

BATCHES = (1, 10, 100, 1000)
NEWCOMERS = 1000
MOST_TIMES = 1000


def small(settings: Match, tell: Callable[[str], None]) -> list[Timing]:
    """Latencies of the index with the most subscriptions asked for: small batches, inserts, removes."""
    SparingIndex()  # loads the kernels
    found: list[Timing] = []
    most = max(settings.subscriptions)
    for case in cases(settings):
        if case.subscriptions == most:
            tell(f"{case}: small batches, inserts and removes")
            found += _small(case, settings)
    return found


def _small(case: MatchCase, settings: Match) -> list[Timing]:
    shape = SHAPES[case.shape]
    index = Index(shape.fields, shape.subscriptions(case.subscriptions, case.selectivity, case.seed))
    events = shape.events(MOST_TIMES + max(BATCHES), case.seed)
    found = []

    def note(what: str, seconds: Sequence[float]) -> None:
        middle, high, worst = np.percentile(seconds, [50, 99, 100]).tolist()
        key = case.shape, case.selectivity, case.subscriptions
        found.append(Timing(*key, what, len(seconds), middle, high, worst))

    def match_at(start: int, count: int) -> None:
        for _ in index.slices(events.slice(start, count)):
            pass

    note("first event of all", [_timed(match_at, 0, 1)])
    for count in BATCHES:
        until = time.perf_counter() + settings.seconds
        seconds: list[float] = []
        while len(seconds) < MOST_TIMES and (len(seconds) < settings.repeat or time.perf_counter() < until):
            seconds.append(_timed(match_at, len(seconds), count))
        note(f"match {counted(count, 'event')}", seconds)

    taken, next_id = list(range(case.subscriptions)), case.subscriptions
    firsts, inserts, parsed, removes = [], [], [], []
    rng = np.random.default_rng(case.seed)
    for turn in range(settings.repeat):
        newcomers = shape.subscriptions(NEWCOMERS, case.selectivity, case.seed + 1 + turn)
        for number, where in enumerate(_conditions(newcomers)):
            if number % 2:
                inserts.append(_timed(index.insert, next_id, where))
            else:
                parsed.append(_timed(index.insert, next_id, parse_filter(where, index.fields)))
            taken.append(next_id)
            next_id += 1
        firsts.append(_timed(match_at, turn, 1))
        for at in rng.choice(len(taken), min(NEWCOMERS, len(taken) - 1), replace=False).tolist():
            removes.append(_timed(index.remove, taken[at]))
            taken[at] = -1
        taken = [id_ for id_ in taken if id_ >= 0]
    note("insert a condition", inserts)
    note("insert, parsed before", parsed)
    note("remove", removes)
    note(f"first event after {NEWCOMERS:,} inserts", firsts)
    return found


def _timed(work: Callable[..., object], *arguments: Any) -> float:
    begun = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begun


def _conditions(subscriptions: pa.Table) -> list[str]:
    """Subscriptions as SQL."""
    return [
        " AND ".join(f"{name} {bound!r}" for name, bound in row.items() if bound is not None)
        for row in subscriptions.to_pylist()
    ]
