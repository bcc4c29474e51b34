"""The trace of a workload: publications in the order of arrival, generated in chunks.

Arrivals are evenly spread with some jitter. With disorder, an event time is up to that much before the arrival, so no
row is later than the disorder behind the latest event time before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sparing.workloads.columns import drop_values
from sparing.workloads.randomness import seeded_rng
from sparing.workloads.sample import Sample
from sparing.workloads.settings import SECOND, WorkloadSettings

CHUNK = 1 << 16
SAMPLE = 20_000

MakeRows = Callable[[np.ndarray, np.random.Generator], pa.Table]  # event times -> a publication for each


@dataclass(frozen=True)
class Chunk:
    """Publications in the order of `arrivals` (microseconds)."""

    arrivals: np.ndarray
    table: pa.Table


@dataclass(frozen=True)
class Trace:
    """Publications that depend on their time and random numbers only. The columns `kept` have no missing values."""

    name: str
    settings: WorkloadSettings
    make_rows: MakeRows
    kept: Sequence[str]

    def chunks(self) -> Iterator[Chunk]:
        """Yield the trace in chunks of a fixed size, each with its own random numbers."""
        settings = self.settings
        for first in range(0, settings.size, CHUNK):
            rng = seeded_rng(settings.seed, self.name, "publications", first)
            number = np.arange(first, min(first + CHUNK, settings.size))
            moments = (number + rng.random(len(number))) * (SECOND / settings.rate)
            arrivals = settings.origin + moments.astype(np.int64)
            table = self.make_rows(_event_times(settings, arrivals, rng), rng)
            yield Chunk(arrivals, drop_values(table, settings.missing, self.kept, rng))

    def samples(self, fields: Sequence[str]) -> tuple[Sample, Sample]:
        """Return two samples of the whole trace: one without missing values, one with them as in the trace."""
        settings = self.settings
        rng = seeded_rng(settings.seed, self.name, "sample")
        moments = rng.random(2 * SAMPLE) * settings.duration * SECOND
        table = self.make_rows(settings.origin + moments.astype(np.int64), rng)
        rough = drop_values(table.slice(SAMPLE), settings.missing, self.kept, rng)
        both = Sample.of(pa.concat_tables([table.slice(0, SAMPLE), rough]), fields)
        return both.part(slice(SAMPLE)), both.part(slice(SAMPLE, None))


def _event_times(settings: WorkloadSettings, arrivals: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return arrivals minus a random delay up to the disorder, not before the start."""
    if settings.disorder == 0:
        return arrivals
    longest = np.minimum(settings.disorder * SECOND, arrivals - settings.origin)
    times: np.ndarray = arrivals - (rng.random(len(arrivals)) * longest).astype(np.int64)
    return times
