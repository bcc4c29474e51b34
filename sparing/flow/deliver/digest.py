"""Digests: `EVERY` on an ordinary topic gives one notification per cycle with all events since the last.

A digest is a tumbling window, aligned to the epoch, that collects whole events. It cannot be computed piecewise in
fewer messages than its events, so they travel raw to the subscriber's broker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparing.flow.deliver.payload import Json, project
from sparing.model.functions import Result
from sparing.model.subscription import Aggregation, Output, Query
from sparing.model.window import TimeWindow

PAYLOAD = ""  # the name under which a publication's whole payload stands among its columns


@dataclass(frozen=True, slots=True)
class Collect:
    """The payloads of all events, in event-time order, cut down to the selected columns."""

    columns: tuple[tuple[str, str], ...] | None
    decomposable = False

    def lift(self, values: np.ndarray, rows: int) -> tuple[str, ...]:  # noqa: ARG002
        """The payloads as they come."""
        return tuple(values.tolist())

    def merge(self, states: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """End to end."""
        return tuple(payload for state in states for payload in state)

    def finish(self, state: tuple[str, ...]) -> Result:
        """A JSON array of the events."""
        return Json("[" + ",".join(project(payload, self.columns) for payload in state) + "]")


def digest(query: Query) -> Aggregation:
    """The digest that a plain query with a cycle asks for."""
    assert query.every is not None
    return Aggregation((Output("events", Collect(query.columns), PAYLOAD),), TimeWindow(query.every, query.every))
