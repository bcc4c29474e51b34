"""Subscriptions in SQL: plain and aggregate ones, windows, and their subscribers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparing.workloads.overlay import subscribers
from sparing.workloads.randomness import random_mask, seeded_rng
from sparing.workloads.settings import WorkloadSettings


@dataclass(frozen=True)
class SelectLists:
    """The SELECT lists of a topic's subscriptions: aggregates, and columns."""

    topic: str
    aggregates: Sequence[str]
    columns: Sequence[str]


def subscriptions(
    settings: WorkloadSettings,
    select_lists: SelectLists,
    conditions: Sequence[str],
    cycles: float = 0.0,
    cycle: str = "30 seconds",
) -> list[dict[str, Any]]:
    """Return one subscription for each condition; a share `cycles` of the plain ones has a notification cycle."""
    count = len(conditions)
    rng = seeded_rng(settings.seed, select_lists.topic, "wording")
    ones, others = settings.aggregate
    aggregate = random_mask(rng, count, ones / (ones + others))
    sliding = _random_share(rng, aggregate, settings.sliding)
    with_columns = _random_share(rng, ~aggregate, settings.columns)
    with_cycle = _random_share(rng, ~aggregate, cycles)
    aggregates = rng.integers(0, len(select_lists.aggregates), count)
    columns = rng.integers(0, len(select_lists.columns), count)

    starts = seeded_rng(settings.seed, select_lists.topic, "starts").random(count) * settings.staggered
    owners = [owner["id"] for owner in subscribers(settings.subscriptions)]
    turn = rng.permutation(count)
    digits = len(str(count))
    rows = []
    for n, condition in enumerate(conditions):
        if aggregate[n]:
            what = select_lists.aggregates[aggregates[n]]
            slide = settings.slide if sliding[n] else settings.window
            end = _windows(settings.window, slide, int(1000 * slide * starts[n]))
        else:
            what = select_lists.columns[columns[n]] if with_columns[n] else "*"
            end = f" EVERY '{cycle}'" if with_cycle[n] else ""
        where = f" WHERE {condition}" if condition else ""
        rows.append(
            {
                "id": f"{select_lists.topic[0]}{n + 1:0{digits}}",
                "subscriber": owners[turn[n] % len(owners)],
                "sql": f"SELECT {what} FROM {select_lists.topic}{where}{end}",
            }
        )
    return rows


def _windows(length: float, slide: float, start: int) -> str:
    """Return the GROUP BY clause of windows; `start` is the start of a window in milliseconds since 1970.

    >>> _windows(10.0, 10.0, 0), _windows(10.0, 5.0, 700)
    (" GROUP BY window(ts, '10 seconds')", " GROUP BY window(ts, '10 seconds', '5 seconds', '700 milliseconds')")
    """
    spans = [interval(length)]
    if start or slide != length:
        spans.append(interval(slide))
    if start:
        spans.append(interval(start / 1000))
    quoted = ", ".join(f"'{span}'" for span in spans)
    return f" GROUP BY window(ts, {quoted})"


def interval(seconds: float) -> str:
    """Return a duration in Spark SQL.

    >>> interval(10.0), interval(2.5)
    ('10 seconds', '2500 milliseconds')
    """
    return f"{int(seconds)} seconds" if seconds == int(seconds) else f"{round(seconds * 1000)} milliseconds"


def _random_share(rng: np.random.Generator, rows: np.ndarray, share: float) -> np.ndarray:
    """Return a mask of a share of the marked rows."""
    chosen = np.zeros(len(rows), dtype=bool)
    chosen[np.flatnonzero(rows)[random_mask(rng, int(rows.sum()), share)]] = True
    return chosen
