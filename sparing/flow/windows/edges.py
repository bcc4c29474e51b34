"""Edges: which publication counts for which NWR, and where it is.

This is what an interest group remembers of its links between two batches; see `arrays.arrays` for what edges mean.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from sparing.flow.windows.kernels.arrays import RAW


@dataclass(frozen=True)
class Edges:
    """Ascending by row. Places are brokers from which the next link is to be crossed, or HERE."""

    row: np.ndarray
    subscription: np.ndarray
    end: np.ndarray
    place: np.ndarray
    part: np.ndarray  # RAW, or the number of one edge of the partial result that it is in
    degree: np.ndarray  # NWRs of the publication on the next link when it arrived there

    def __len__(self) -> int:
        return len(self.row)

    @classmethod
    def none(cls) -> Edges:
        """No edges."""
        return cls(*[np.zeros(0, np.int64 if field.name == "end" else np.int32) for field in fields(cls)])

    def take(self, kept: np.ndarray) -> Edges:
        """Some edges, by ascending number; partial results are taken whole or not at all."""
        taken = Edges(*[getattr(self, field.name)[kept] for field in fields(self)])
        return replace(taken, part=renumbered(self.part, kept))


def renumbered(part: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """The partial results that some edges are in, if only those are kept."""
    number = np.full(len(part), RAW, dtype=np.int32)
    number[kept] = np.arange(len(kept))
    found = part[kept]
    return np.where(found == RAW, np.int32(RAW), number[found])


def joined(parts: list[Edges]) -> Edges:
    """Edges end to end, in the order of their rows."""
    offsets = np.cumsum([0, *map(len, parts)])
    whole = {field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Edges)}
    whole["part"] = np.concatenate(
        [np.where(p.part == RAW, p.part, p.part + offset) for p, offset in zip(parts, offsets, strict=False)]
    ).astype(np.int32)
    return Edges(**whole)
