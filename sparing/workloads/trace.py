"""The trace of a workload: publications in the order in which they are written, made piece by piece.

Rows are written in the order of arrival, evenly spread with a little jitter. With disorder, a row's event time lies
up to that long before its arrival, so no row is more than the disorder behind the latest event time written before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sparing.workloads.chance import stream
from sparing.workloads.columns import leave_out
from sparing.workloads.sample import Sample
from sparing.workloads.settings import SECOND, WorkloadSettings

CHUNK = 1 << 16
SAMPLE = 20_000

Batch = Callable[[np.ndarray, np.random.Generator], pa.Table]  # event times -> one publication for each


@dataclass(frozen=True)
class Chunk:
    """Publications in the order in which they are written; `arrivals` (microseconds, ascending) is that order."""

    arrivals: np.ndarray
    table: pa.Table


@dataclass(frozen=True)
class Trace:
    """Publications that depend on their time and on chance only. No value is left out in the columns `kept`."""

    name: str
    settings: WorkloadSettings
    batch: Batch
    kept: Sequence[str]

    def chunks(self) -> Iterator[Chunk]:
        """The whole trace in pieces of a fixed size, each with random numbers of its own."""
        settings = self.settings
        for first in range(0, settings.size, CHUNK):
            rng = stream(settings.seed, self.name, "publications", first)
            number = np.arange(first, min(first + CHUNK, settings.size))
            moments = (number + rng.random(len(number))) * (SECOND / settings.rate)
            arrivals = settings.origin + moments.astype(np.int64)
            table = self.batch(_event_times(settings, arrivals, rng), rng)
            yield Chunk(arrivals, leave_out(table, settings.missing, self.kept, rng))

    def samples(self, fields: Sequence[str]) -> tuple[Sample, Sample]:
        """Two samples from all over the trace: one of whole publications, one with values left out as in the trace."""
        settings = self.settings
        rng = stream(settings.seed, self.name, "sample")
        moments = rng.random(2 * SAMPLE) * settings.duration * SECOND
        table = self.batch(settings.origin + moments.astype(np.int64), rng)
        rough = leave_out(table.slice(SAMPLE), settings.missing, self.kept, rng)
        both = Sample.of(pa.concat_tables([table.slice(0, SAMPLE), rough]), fields)
        return both.part(slice(SAMPLE)), both.part(slice(SAMPLE, None))


def _event_times(settings: WorkloadSettings, arrivals: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Arrivals less a delay within the disorder, but never before the start."""
    if settings.disorder == 0:
        return arrivals
    longest = np.minimum(settings.disorder * SECOND, arrivals - settings.origin)
    times: np.ndarray = arrivals - (rng.random(len(arrivals)) * longest).astype(np.int64)
    return times
