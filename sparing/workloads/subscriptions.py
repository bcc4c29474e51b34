"""Subscriptions in SQL: the mix of plain and aggregate ones, windows, and who owns them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparing.workloads.chance import marked, stream
from sparing.workloads.overlay import subscribers
from sparing.workloads.settings import WorkloadSettings


@dataclass(frozen=True)
class Wording:
    """What subscriptions of a topic may select: aggregates, and lists of columns."""

    topic: str
    aggregates: Sequence[str]
    columns: Sequence[str]


def subscriptions(
    settings: WorkloadSettings,
    wording: Wording,
    conditions: Sequence[str],
    cycles: float = 0.0,
    cycle: str = "30 seconds",
) -> list[dict[str, Any]]:
    """One subscription for each condition; a share `cycles` of the plain ones has a notification cycle."""
    count = len(conditions)
    rng = stream(settings.seed, wording.topic, "wording")
    ones, others = settings.aggregate
    aggregate = marked(rng, count, ones / (ones + others))
    sliding = _among(rng, aggregate, settings.sliding)
    with_columns = _among(rng, ~aggregate, settings.columns)
    with_cycle = _among(rng, ~aggregate, cycles)
    aggregates = rng.integers(0, len(wording.aggregates), count)
    columns = rng.integers(0, len(wording.columns), count)

    starts = stream(settings.seed, wording.topic, "starts").random(count) * settings.staggered
    owners = [owner["id"] for owner in subscribers(settings.subscriptions)]
    turn = rng.permutation(count)
    digits = len(str(count))
    rows = []
    for n, condition in enumerate(conditions):
        if aggregate[n]:
            what = wording.aggregates[aggregates[n]]
            slide = settings.slide if sliding[n] else settings.window
            end = _windows(settings.window, slide, int(1000 * slide * starts[n]))
        else:
            what = wording.columns[columns[n]] if with_columns[n] else "*"
            end = f" EVERY '{cycle}'" if with_cycle[n] else ""
        where = f" WHERE {condition}" if condition else ""
        rows.append(
            {
                "id": f"{wording.topic[0]}{n + 1:0{digits}}",
                "subscriber": owners[turn[n] % len(owners)],
                "sql": f"SELECT {what} FROM {wording.topic}{where}{end}",
            }
        )
    return rows


def _windows(length: float, slide: float, start: int) -> str:
    """The clause for windows of which one begins so many milliseconds after the epoch.

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
    """A time span as Spark SQL writes it.

    >>> interval(10.0), interval(2.5)
    ('10 seconds', '2500 milliseconds')
    """
    return f"{int(seconds)} seconds" if seconds == int(seconds) else f"{round(seconds * 1000)} milliseconds"


def _among(rng: np.random.Generator, rows: np.ndarray, share: float) -> np.ndarray:
    """A mask of the given share of the marked rows."""
    chosen = np.zeros(len(rows), dtype=bool)
    chosen[np.flatnonzero(rows)[marked(rng, int(rows.sum()), share)]] = True
    return chosen
