"""False positives: publications that a folded entry attracts for somebody who has left.

They travel towards the broker where the cluster is folded, as far as entries have not been told anew, and are dropped
there. A publication that somebody beyond the link wants is none, however it then travels; one that lies in a gap
between sampling windows is not wanted for them, and attracted by nobody who had them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparing.control.routes import Routes
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.pairs import Pairs
from sparing.flow.interests import Interests
from sparing.model.types import END_OF_TIME


class Crossings(NamedTuple):
    """Rows of publications and the links that they cross."""

    rows: np.ndarray
    links: np.ndarray


class FalsePositives:
    """The stale_members of a plan; nothing changes by use."""

    def __init__(self, interests: Interests) -> None:
        self._interests = interests
        self._plan = plan = interests.plan
        stale_members = () if plan.changed is None else plan.changed.stale_members
        self._ghosts = np.array(stale_members, dtype=np.int64).reshape(-1, 4)  # by number
        self._haunts = np.zeros(len(plan.subscriptions), dtype=bool)
        self._haunts[self._ghosts[:, 0]] = True
        ends = [END_OF_TIME if s.valid_until is None else s.valid_until for s in plan.subscriptions]
        self._over = np.array(ends, dtype=np.int64)

    def crossings(self, publications: Publications, found: Pairs, in_force: Pairs) -> Crossings | None:
        """The false crossings, if `found` are all matches, in force or not, and `in_force` those that are."""
        if not len(self._ghosts):
            return None
        found, in_force = (self._counted(publications, pairs) for pairs in (found, in_force))
        rows, numbers = self._haunting(publications, found)
        if not len(rows):
            return None
        routes, plan = self._plan.routes, self._plan
        links = max(len(routes.source), 1)
        attracted = self._attracted(publications, rows, numbers)
        real = in_force.only(np.isin(in_force.rows, rows))
        goals = plan.broker_of[real.subscriptions]
        real_rows, real_links = routes.crossings(real.rows, publications.at[real.rows], goals)
        wanted = real_rows * links + real_links
        passable = np.union1d(attracted, wanted)
        at, goals = publications.at[rows].astype(np.int64), plan.broker_of[numbers]
        crossed = []
        while len(rows):
            link = routes.link_of[at, goals]
            keys = rows.astype(np.int64) * links + link
            moving = (link >= 0) & np.isin(keys, passable)
            rows, goals, at = rows[moving], goals[moving], routes.target[np.maximum(link, 0)][moving]
            crossed.append(keys[moving])
        false = np.setdiff1d(np.concatenate(crossed), wanted)
        return Crossings(false // links, false % links) if len(false) else None

    def _counted(self, publications: Publications, pairs: Pairs) -> Pairs:
        """Without pairs that no window counts."""
        if not self._interests.sampling:
            return pairs
        return pairs.only(self._interests.counted(pairs.subscriptions, publications.time[pairs.rows]))

    def _haunting(self, publications: Publications, found: Pairs) -> tuple[np.ndarray, np.ndarray]:
        """Publications and the stale members that they match; subscriptions in a top-k contest are never stale."""
        kept = self._haunts[found.subscriptions]
        rows, numbers = found.rows[kept], found.subscriptions[kept]
        gone = self._over[numbers] <= publications.time[rows]
        return rows[gone], numbers[gone]

    def _attracted(self, publications: Publications, rows: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Row and link, as one number, of every entry that attracts a row for a stale_member."""
        routes = self._plan.routes
        first = np.searchsorted(self._ghosts[:, 0], numbers, "left")
        counts = np.searchsorted(self._ghosts[:, 0], numbers, "right") - first
        pair = np.repeat(np.arange(len(rows)), counts)
        at = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts) + first[pair]
        _, link, since, until = self._ghosts[at].T
        time = publications.time[rows[pair]]
        live = (since <= time) & (time < until)
        down = Routes.reverse(link[live])  # stale_members are on links in the direction of subscriptions
        return np.unique(rows[pair][live].astype(np.int64) * max(len(routes.source), 1) + down)
