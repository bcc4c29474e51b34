"""Layout of an overlay in the plane: distances of brokers approximate their distances in hops.

Classical scaling (Torgerson 1952), then stress majorization (Gansner, Koren and North 2004); deterministic.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

ITERATIONS = 300


def positions(neighbours: Mapping[str, Mapping[str, float]]) -> np.ndarray:
    """Return a position for each broker, with neighbours about 1 apart and a gap between unconnected parts."""
    names = list(neighbours)
    number = {name: at for at, name in enumerate(names)}
    pairs = [(number[a], number[b]) for a, ends in neighbours.items() for b in ends]
    rows, columns = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True)) if pairs else ([], [])
    graph = coo_array((np.ones(len(pairs)), (rows, columns)), shape=(len(names), len(names)))
    distances = shortest_path(graph.tocsr(), unweighted=True)
    finite = distances[np.isfinite(distances)]
    distances[~np.isfinite(distances)] = float(finite.max(initial=0.0)) + 1.5
    found = _classical_scaling(distances)
    with np.errstate(divide="ignore"):
        weight = np.where(distances > 0, 1.0 / distances**2, 0.0)
    total = weight.sum(axis=1)
    for _ in range(ITERATIONS if len(names) > 1 else 0):
        difference = found[:, None, :] - found[None, :, :]
        distance = np.sqrt((difference**2).sum(axis=2))
        scale = np.where(distance > 1e-9, distances / np.maximum(distance, 1e-9), 0.0)
        wanted = found[None, :, :] + difference * scale[:, :, None]
        found = (weight[:, :, None] * wanted).sum(axis=1) / total[:, None]
    return found


def _classical_scaling(distances: np.ndarray) -> np.ndarray:
    """Return positions that approximate the distances, along the two axes of largest variance."""
    count = len(distances)
    centered = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * centered @ distances**2 @ centered)
    found = np.zeros((count, 2))
    for axis, at in enumerate(range(count - 1, max(count - 3, -1), -1)):
        found[:, axis] = vectors[:, at] * np.sqrt(max(values[at], 0.0))
    # The iterations could not separate equal positions.
    angle = 2 * np.pi * np.arange(count) / count
    return found + 0.01 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
