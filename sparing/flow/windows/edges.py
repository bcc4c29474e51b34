"""Edges: pairs of a publication and an NWR that counts it, with the place of the publication.

They are the state of an interest group's links between two batches; `kernels.arrays` defines the terms.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from sparing.flow.windows.kernels.arrays import RAW


@dataclass(frozen=True)
class Edges:
    """Edges by ascending row; a place is the broker before the next link to cross, or HERE."""

    row: np.ndarray
    subscription: np.ndarray
    end: np.ndarray
    place: np.ndarray
    part: np.ndarray  # RAW, or the number of one edge of the partial result that contains it
    degree: np.ndarray  # NWRs of the publication at its arrival on the next link

    def __len__(self) -> int:
        return len(self.row)

    @classmethod
    def none(cls) -> Edges:
        """Return no edges."""
        return cls(*[np.zeros(0, np.int64 if field.name == "end" else np.int32) for field in fields(cls)])

    def take(self, kept: np.ndarray) -> Edges:
        """Return some edges, by ascending number, with all or no edges of a partial result."""
        taken = Edges(*[getattr(self, field.name)[kept] for field in fields(self)])
        return replace(taken, part=renumbered(self.part, kept))


def renumbered(part: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return the partial results of some edges, renumbered for these edges."""
    number = np.full(len(part), RAW, dtype=np.int32)
    number[kept] = np.arange(len(kept))
    found = part[kept]
    return np.where(found == RAW, np.int32(RAW), number[found])


def joined(parts: list[Edges]) -> Edges:
    """Concatenate edges, in the order of their rows."""
    offsets = np.cumsum([0, *map(len, parts)])
    whole = {field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Edges)}
    whole["part"] = np.concatenate(
        [np.where(p.part == RAW, p.part, p.part + offset) for p, offset in zip(parts, offsets, strict=False)]
    ).astype(np.int32)
    return Edges(**whole)
