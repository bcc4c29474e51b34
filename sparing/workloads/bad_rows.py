"""Bad rows, which admission rejects.

A bad row is a copy of a publication with one fault, written after it, so the publications of a trace are the same with
and without bad rows. The kinds take turns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np

from sparing.workloads.randomness import seeded_rng

NUMBERS = ("int", "bigint", "double")


class BadRowKind(StrEnum):
    """The fault of a bad row."""

    CUT_SHORT = "cut short"
    WRONG_TYPE = "wrong type"
    UNKNOWN_PUBLISHER = "unknown publisher"
    NO_TIME = "no time"
    NOT_ADVERTISED = "not advertised"


class BadRowMaker:
    """Makes bad rows for the publishers and topics of a deployment."""

    def __init__(self, description: Mapping[str, Any]) -> None:
        self._topics = description["topics"]
        self._publishers = {publisher["id"]: publisher for publisher in description["publishers"]}
        advertised = any("where" in publisher for publisher in description["publishers"])
        self.faults = [fault for fault in BadRowKind if advertised or fault is not BadRowKind.NOT_ADVERTISED]

    def bad_row(self, line: bytes, fault: BadRowKind) -> bytes:
        """Return the line with a fault."""
        if fault is BadRowKind.CUT_SHORT:
            return line[: len(line) // 2] + b"\n"
        row = json.loads(line)
        publisher = self._publishers[row["publisher"]]
        topic = self._topics[publisher["topic"]]
        match fault:
            case BadRowKind.WRONG_TYPE:
                row[next(field for field, kind in topic["fields"].items() if kind in NUMBERS)] = "n/a"
            case BadRowKind.UNKNOWN_PUBLISHER:
                row["publisher"] = "nobody"
            case BadRowKind.NO_TIME:
                del row[topic["time"]]
            case BadRowKind.NOT_ADVERTISED:
                row[publisher["where"].split()[0]] = "elsewhere"
        return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def positions(seed: int, bad: int, size: int) -> np.ndarray:
    """Return the publications followed by a bad copy, ascending; one may be followed by several."""
    return np.sort(seeded_rng(seed, "bad rows").integers(0, size, bad))
