"""Digests: `EVERY` on a topic that is not merged gives one notification per cycle with all publications since the last.

A digest is a tumbling window, aligned to the epoch, that collects whole publications. Partial results would not be
smaller, so publications travel raw to the subscriber's broker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparing.flow.deliver.payload import Json, project
from sparing.model.functions import Result
from sparing.model.subscription import Aggregation, Output, Query
from sparing.model.window import TimeWindow

PAYLOAD = ""  # the column name of a publication's whole payload


@dataclass(frozen=True, slots=True)
class Collect:
    """The aggregate function of digests: all payloads in event-time order, with the selected columns."""

    columns: tuple[tuple[str, str], ...] | None
    decomposable = False

    def lift(self, values: np.ndarray, rows: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the payloads."""
        return tuple(values.tolist())

    def merge(self, states: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Concatenate the payloads of several states."""
        return tuple(payload for state in states for payload in state)

    def finish(self, state: tuple[str, ...]) -> Result:
        """Return a JSON array of the payloads."""
        return Json("[" + ",".join(project(payload, self.columns) for payload in state) + "]")


def digest(query: Query) -> Aggregation:
    """Return the digest of a query with a cycle."""
    assert query.every is not None
    return Aggregation((Output("events", Collect(query.columns), PAYLOAD),), TimeWindow(query.every, query.every))
