"""The links that publications of a topic can take, numbered afresh, and the order in which they decide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.control.routes import Routes


@dataclass(frozen=True, eq=False)
class Ways:
    """Links on the ways from some brokers to others. Brokers keep their numbers; `links` are the plan's numbers."""

    links: np.ndarray
    link_of: np.ndarray  # [broker, broker] -> link; whatever is not a link of these is as in the routes
    source: np.ndarray
    target: np.ndarray
    depth: np.ndarray  # the most links on a way up to a link
    arrival: np.ndarray  # broker -> the most links on a way to it
    local: np.ndarray  # the plan's number of a link -> the number here

    @classmethod
    def between(cls, routes: Routes, sources: np.ndarray, goals: np.ndarray) -> Ways:
        """The ways from all sources to all goals."""
        links = len(routes.source)
        up = _hops_to(routes, sources)
        down = _hops_from(routes, goals)
        used = np.flatnonzero((up.max(axis=0, initial=-1) >= 0) & (down.max(axis=0, initial=-1) >= 0))
        local = np.full(max(links, 1), -1, dtype=np.int32)
        local[used] = np.arange(len(used))
        link_of = np.where(routes.link_of >= 0, local[np.maximum(routes.link_of, 0)], routes.link_of)
        depth = up.max(axis=0, initial=-1)[used]
        arrival = np.zeros(len(routes.brokers), dtype=np.int32)
        np.maximum.at(arrival, routes.target[used], depth + 1)
        return cls(
            used.astype(np.int32),
            np.ascontiguousarray(link_of, dtype=np.int32),
            routes.source[used].astype(np.int32),
            routes.target[used].astype(np.int32),
            depth.astype(np.int32),
            arrival,
            local,
        )


def _hops_to(routes: Routes, sources: np.ndarray) -> np.ndarray:
    """[source, link] -> links before the link on the way from a source over it, -1 if it leads elsewhere."""
    before, after = routes.hops[np.ix_(sources, routes.source)], routes.hops[np.ix_(sources, routes.target)]
    return np.where((before >= 0) & (after == before + 1), before, -1)


def _hops_from(routes: Routes, goals: np.ndarray) -> np.ndarray:
    """[goal, link] -> links after the link on the way over it to a goal, -1 if it leads elsewhere."""
    before, after = routes.hops[np.ix_(routes.source, goals)].T, routes.hops[np.ix_(routes.target, goals)].T
    return np.where((after >= 0) & (before == after + 1), after, -1)
