"""One sample's measurements, and all of them as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sparing.study.lines import from_text, names_of, to_text, values_of
from sparing.study.matchmaker.grid import Point
from sparing.workloads.transit_stub import Rounding


@dataclass(frozen=True)
class Row:
    """What was found of one sample with one kind of trees. Costs are numbers of descriptors on links."""

    publishers: int
    subscribers: int
    rounding: str
    trees: str
    sample: int
    links: int  # directed links of all trees
    pub_e: int  # cost if advertisements go everywhere
    sub_e: int  # cost if subscriptions do
    mcm: int  # least cost
    unmonotone: int  # links that break the monotonicity property, with one above or below them in a tree
    entangled: int  # links that cannot decide for themselves
    valid: int  # 1 if Figure 6 as printed gives a valid marking, else 0
    printed: int  # what its marking costs, counted as if it were valid
    s_repaired: int  # cost after everything below an s-link has become one
    p_repaired: int  # cost after everything above a p-link has become one
    parted: int  # pairs of a publisher and a subscriber whose descriptors never meet

    @property
    def point(self) -> Point:
        """What it is a sample of."""
        return Point(self.publishers, self.subscribers, Rounding(self.rounding))

    @property
    def repairs(self) -> tuple[int, int, int]:
        """What repairs of the printed marking cost: by s-links, by p-links, the cheaper of both."""
        return self.s_repaired, self.p_repaired, min(self.s_repaired, self.p_repaired)

    def flat(self) -> dict[str, Any]:
        """As one line of a table."""
        return asdict(self)

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Row:
        """The inverse of `flat`; values may be texts."""
        return cls(**values_of(cls, line))


def to_csv(rows: Sequence[Row]) -> str:
    """All rows with a header."""
    return to_text(names_of(Row), (row.flat() for row in rows))


def from_csv(text: str) -> Iterator[Row]:
    """The inverse of `to_csv`."""
    return map(Row.of, from_text(text))
