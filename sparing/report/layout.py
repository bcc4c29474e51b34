"""Where to draw the brokers of an overlay: as far apart as they are hops apart, as well as that goes in a plane.

Classical scaling (Torgerson 1952), then stress majorization (Gansner, Koren and North 2004); the same on every run.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

ROUNDS = 300

Place = tuple[float, float]


def positions(neighbours: Mapping[str, Mapping[str, float]]) -> dict[str, Place]:
    """Broker -> place, with neighbours about 1 apart. Parts of an overlay that are not linked keep apart."""
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
    return {name: (float(x), float(y)) for name, (x, y) in zip(names, places, strict=True)}


def drawn(places: Mapping[str, Place], unit: float, edge: float) -> tuple[dict[str, Place], Place]:
    """Places in points, `unit` of them for a distance of 1 and `edge` around all; and the width and height of it.

    >>> drawn({"a": (-1.0, 2.0), "b": (1.0, 2.0)}, unit=10, edge=5)
    ({'a': (5.0, 5.0), 'b': (25.0, 5.0)}, (30.0, 10.0))
    """
    left, top = (min(place[axis] for place in places.values()) for axis in (0, 1))
    found = {name: (edge + unit * (x - left), edge + unit * (y - top)) for name, (x, y) in places.items()}
    return found, (max(x for x, _ in found.values()) + edge, max(y for _, y in found.values()) + edge)


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
