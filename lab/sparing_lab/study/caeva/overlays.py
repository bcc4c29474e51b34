"""Overlays: random graphs as in the paper, and complete binary trees, which its numbers of publishers suggest."""

from __future__ import annotations

import numpy as np

from sparing.model.overlay import Link, Overlay
from sparing_lab.study.caeva.grid import OverlayShape

EXTRA = 1.0  # links of a random graph beyond those of a tree, for every broker


def overlay(shape: OverlayShape, brokers: int, rng: np.random.Generator) -> Overlay:
    """Return an overlay with a number of brokers.

    >>> [(link.one, link.other) for link in overlay(OverlayShape.BINARY, 3, np.random.default_rng(0)).links]
    [('b000', 'b001'), ('b000', 'b002')]
    """
    names = [name(number) for number in range(brokers)]
    pairs = _binary(brokers) if shape is OverlayShape.BINARY else _random(brokers, rng)
    return Overlay(tuple(names), tuple(Link(names[one], names[other]) for one, other in pairs))


def name(number: int) -> str:
    """Return the name of a broker.

    >>> name(7)
    'b007'
    """
    return f"b{number:03}"


def _binary(brokers: int) -> list[tuple[int, int]]:
    return [((number - 1) // 2, number) for number in range(1, brokers)]


def _random(brokers: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Link every broker with a random earlier one, then draw as many further pairs."""
    found = {(int(rng.integers(number)), number) for number in range(1, brokers)}
    most = min(len(found) + round(EXTRA * brokers), brokers * (brokers - 1) // 2)
    while len(found) < most:
        one, other = sorted(rng.choice(brokers, 2, replace=False).tolist())
        found.add((one, other))
    return sorted(found)
