"""Overlays and who publishes and subscribes there, made up from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sparing.control.matchmaker.demand import Demand, Tree, trees_by_hops
from sparing.workloads.randomness import seeded_rng
from sparing.workloads.transit_stub import Rounding, descriptors
from sparing_lab.bench.matchmaker.benchmark import MESH, SHARED, Matchmaker, MatchmakerCase

LINKS_PER_BROKER = 3.2  # about what the paper's overlays of 100 brokers have
STUB, STUBS = 8, 3  # brokers of a stub, stubs at a transit broker
DRAWS = 60  # at most, for links that are not there yet


@dataclass(frozen=True, eq=False)
class Overlay:
    """Links from broker to broker, both directions of each; brokers from `edge` on may publish and subscribe."""

    source: np.ndarray
    target: np.ndarray
    brokers: int
    edge: int


@dataclass(frozen=True, eq=False)
class MadeUpDemand:
    """An overlay, and who publishes and subscribes there how much: all that a demand is made of."""

    source: np.ndarray
    target: np.ndarray
    roots: list[int]
    published: np.ndarray
    subscribed: np.ndarray

    def trees(self) -> tuple[Tree, ...]:
        """Of all publishers, by hops."""
        return trees_by_hops(self.source, self.target, self.roots, np.flatnonzero(self.subscribed))

    def demand(self, trees: tuple[Tree, ...]) -> Demand:
        """Return the demand with equal costs of links, in which all subscribers want all publishers."""
        weight = np.ones(len(self.source), dtype=np.int64)
        return Demand(self.source, self.target, trees, self.published, self.subscribed, weight, (None,) * len(trees))


def made_up(settings: Matchmaker, case: MatchmakerCase, number: int = 0) -> MadeUpDemand:
    """Return a random demand, the same for the same settings, case and number."""
    rng = seeded_rng(settings.seed, "matchmaker", case.overlay, case.links, number)
    overlay = (mesh if case.overlay == MESH else transit_stub)(case.links, rng)
    edge = np.arange(overlay.edge, overlay.brokers)
    roots = np.sort(rng.permutation(edge)[: settings.publishers])
    wanted = rng.permutation(edge)[: max(1, round(settings.subscribers * len(edge)))]
    subscribed = np.zeros(overlay.brokers, dtype=np.int64)
    subscribed[wanted] = descriptors(rng, len(wanted), Rounding.DOWN)
    source, target = overlay.source, overlay.target
    if case.trees == SHARED:  # the tree of a core
        (tree,) = trees_by_hops(source, target, [0], np.arange(overlay.brokers))
        source, target = (
            np.concatenate([a, b])
            for a, b in ((source[tree.links], target[tree.links]), (target[tree.links], source[tree.links]))
        )
    return MadeUpDemand(source, target, roots.tolist(), descriptors(rng, len(roots), Rounding.DOWN), subscribed)


def transit_stub(links: int, rng: np.random.Generator) -> Overlay:
    """Transit brokers, each with stubs; a tree that connects all, then further links within the transit and stubs.

    The study's networks (`sparing.workloads.transit_stub`) have few transit nodes, most of them linked to each other;
    here so many links are spread over as many transit brokers as there are stubs for.
    """
    brokers = round(links / LINKS_PER_BROKER)
    transit = -(-brokers // (1 + STUB * STUBS))
    number = np.arange(brokers - transit)
    stub, place = number // STUB, number % STUB
    first = transit + STUB * stub
    up = np.where(place == 0, stub % transit, first + _below(place, rng))
    ends = np.concatenate([_below(np.arange(1, transit), rng), up]), np.arange(1, brokers)
    ends = _more(*ends, brokers, transit, lambda count: rng.integers(0, transit, (2, count)))
    size = np.minimum(STUB, brokers - first)

    def within(count: int) -> np.ndarray:
        at = rng.integers(0, len(number), count)
        return np.stack([first[at] + _below(size[at], rng), at + transit])

    ends = _more(*ends, brokers, links // 2 - len(ends[0]), within)
    return Overlay(np.concatenate(ends), np.concatenate(ends[::-1]), brokers, transit)


def mesh(links: int, rng: np.random.Generator) -> Overlay:
    """A tree that connects all brokers, then further links between any two: trees of sources have little in common."""
    brokers = round(links / LINKS_PER_BROKER)
    ends = _below(np.arange(1, brokers), rng), np.arange(1, brokers)
    ends = _more(*ends, brokers, links // 2 - len(ends[0]), lambda count: rng.integers(0, brokers, (2, count)))
    return Overlay(np.concatenate(ends), np.concatenate(ends[::-1]), brokers, 0)


def _below(most: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A whole number from 0 on below each of those given."""
    found: np.ndarray = (rng.random(len(most)) * most).astype(np.int64)
    return found


def _more(
    one: np.ndarray, two: np.ndarray, brokers: int, more: int, draw: Callable[[int], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Add so many pairs to those there are, each once; fewer if there are no more to be found."""
    keys = np.minimum(one, two) * brokers + np.maximum(one, two)
    wanted = len(keys) + more
    for _ in range(DRAWS):
        if len(keys) >= wanted:
            break
        pair = draw(2 * (wanted - len(keys)))
        pair = pair[:, pair[0] != pair[1]]
        fresh = np.minimum(*pair) * brokers + np.maximum(*pair)
        together = np.concatenate([keys, fresh])
        keys = together[np.sort(np.unique(together, return_index=True)[1])][:wanted]
    return keys // brokers, keys % brokers
