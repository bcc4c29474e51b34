"""The links that publications of a topic can cross, with their own numbers, and their order of decisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.control.routes import Routes


@dataclass(frozen=True, eq=False)
class TopicLinks:
    """Links on the paths from sources to goals; `links` are their numbers in the plan."""

    links: np.ndarray
    link_of: np.ndarray  # [broker, goal] -> next link; negative values are those of the routes
    source: np.ndarray
    target: np.ndarray
    height: np.ndarray  # [broker, goal] -> the most upstream links on a path to the goal over the broker (-1: none)

    @classmethod
    def between(cls, routes: Routes, sources: np.ndarray, goals: np.ndarray) -> TopicLinks:
        """Return the links on the paths from all sources to all goals."""
        is_used = np.zeros(len(routes.source), dtype=bool)
        height = np.full(routes.hops.shape, -1, dtype=np.int32)
        here, goal = (side.ravel() for side in np.meshgrid(sources, goals, indexing="ij"))
        travelled = 0
        while len(here):
            np.maximum.at(height, (here, goal), travelled)
            link = routes.link_of[here, goal]
            moving = link >= 0
            is_used[link[moving]] = True
            here, goal = routes.target[link[moving]], goal[moving]
            travelled += 1
        used = np.flatnonzero(is_used)
        local = np.full(max(len(routes.source), 1), -1, dtype=np.int32)
        local[used] = np.arange(len(used))
        link_of = np.where(routes.link_of >= 0, local[np.maximum(routes.link_of, 0)], routes.link_of)
        return cls(
            used.astype(np.int32),
            np.ascontiguousarray(link_of, dtype=np.int32),
            routes.source[used].astype(np.int32),
            routes.target[used].astype(np.int32),
            height,
        )

    def arrival(self, goals: np.ndarray) -> np.ndarray:
        """Return the most links on a path to each goal."""
        most: np.ndarray = self.height[goals, goals]
        return most
