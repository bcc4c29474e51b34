"""What is measured: settings, the methods that are compared on each, and how many samples.

Paper: caeva, section IV. What it leaves open is ours: sizes of overlays, reports per event, how many publishers there
are in Figures 3 and 4, and what publishers that change do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

FIELDS = 20  # of an event, the key among them
MOST_VALID = 10  # fields that a report tells, at most
LONGEST = 100  # time units that an event lasts, at most
CYCLE = 10  # time units: T_m in Figure 4 and in the tables

SIENA, AGELE, ADAPTIVE, REPLAY, LITERAL, PINNED = "Siena", "Agele", "adaptive", "replay", "literal", "pinned"
FIXED = "H = "  # and so many hops
BASELINES = (SIENA, AGELE)
LEARNING = (ADAPTIVE, REPLAY)
BESIDE = (LITERAL, PINNED)  # what the paper has and we correct: its formulas, and a memory that does not fade


class Kind(StrEnum):
    """An experiment."""

    FIGURE_3 = "Figure 3"
    FIGURE_4 = "Figure 4"
    TABLE_I = "Table I"
    TABLE_II = "Table II"
    AHEAD = "ahead of Agele"


class Shape(StrEnum):
    """What the overlay is like."""

    RANDOM = "random"
    BINARY = "binary tree"


class Who(StrEnum):
    """Where publishers are."""

    LOCAL = "H"  # all at one broker
    CLUSTERS = "M"  # at a few brokers and next to them
    APART = "L"  # all at different brokers
    CHANGING = "changing"  # in phases: many at the edge, few next to the center, many apart


@dataclass(frozen=True, order=True)
class Point:
    """What the samples of a point have in common. `reports` are the mean number per event."""

    kind: Kind
    shape: Shape = Shape.RANDOM
    brokers: int = 100
    who: Who = Who.APART
    publishers: int = 20
    redundancy: float = 0.5
    reports: float = 12.0
    cycle: int = CYCLE
    subscribing: float = 1.0  # share of brokers


PHASE = 15  # events after which changing publishers change
