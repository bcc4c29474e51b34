"""Where to draw the brokers of an overlay: as far apart as they are hops apart, as well as that goes in a plane.

Classical scaling (Torgerson 1952), then stress majorization (Gansner, Koren and North 2004); the same on every run.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

ROUNDS = 300


def positions(neighbours: Mapping[str, Mapping[str, float]]) -> np.ndarray:
    """A place for each broker, with neighbours about 1 apart. Parts of an overlay that are not linked keep apart."""
    names = list(neighbours)
    number = {name: at for at, name in enumerate(names)}
    pairs = [(number[a], number[b]) for a, ends in neighbours.items() for b in ends]
    rows, columns = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True)) if pairs else ([], [])
    graph = coo_array((np.ones(len(pairs)), (rows, columns)), shape=(len(names), len(names)))
    apart = shortest_path(graph.tocsr(), unweighted=True)
    finite = apart[np.isfinite(apart)]
    apart[~np.isfinite(apart)] = float(finite.max(initial=0.0)) + 1.5
    places = _scaled(apart)
    with np.errstate(divide="ignore"):
        weight = np.where(apart > 0, 1.0 / apart**2, 0.0)
    total = weight.sum(axis=1)
    for _ in range(ROUNDS if len(names) > 1 else 0):
        difference = places[:, None, :] - places[None, :, :]
        distance = np.sqrt((difference**2).sum(axis=2))
        scale = np.where(distance > 1e-9, apart / np.maximum(distance, 1e-9), 0.0)
        wanted = places[None, :, :] + difference * scale[:, :, None]
        places = (weight[:, :, None] * wanted).sum(axis=1) / total[:, None]
    return places


def _scaled(apart: np.ndarray) -> np.ndarray:
    """Places in the plane that come near the distances, in the directions in which they differ most."""
    count = len(apart)
    centered = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * centered @ apart**2 @ centered)
    found = np.zeros((count, 2))
    for axis, at in enumerate(range(count - 1, max(count - 3, -1), -1)):
        found[:, axis] = vectors[:, at] * np.sqrt(max(values[at], 0.0))
    # Equal places could never be moved apart.
    angle = 2 * np.pi * np.arange(count) / count
    return found + 0.01 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
