"""False positives: publications that a folded entry attracts for a member that has left.

They travel towards the broker of the fold, as far as the entry still has its stale members, and are dropped there. A
publication that a subscription beyond the link wants is no false positive. A publication in a gap between sampling
windows is neither wanted nor attracted for them.
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
    """Pairs of a publication's row and a link that it crosses."""

    rows: np.ndarray
    links: np.ndarray


class FalsePositives:
    """The stale members of a plan; immutable."""

    def __init__(self, interests: Interests) -> None:
        self._interests = interests
        self._plan = plan = interests.plan
        stale_members = () if plan.changed is None else plan.changed.stale_members
        self._stale = np.array(stale_members, dtype=np.int64).reshape(-1, 4)  # by subscription number
        self._becomes_stale = np.zeros(len(plan.subscriptions), dtype=bool)
        self._becomes_stale[self._stale[:, 0]] = True
        ends = [END_OF_TIME if s.valid_until is None else s.valid_until for s in plan.subscriptions]
        self._valid_until = np.array(ends, dtype=np.int64)

    def crossings(self, publications: Publications, matches: Pairs, in_force: Pairs) -> Crossings | None:
        """Return the crossings of false positives; `matches` are all matches, `in_force` those in force."""
        if not len(self._stale):
            return None
        matches, in_force = (self._counted(publications, pairs) for pairs in (matches, in_force))
        rows, numbers = self._matching_stale(publications, matches)
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
        """Return the pairs without those that no window counts."""
        if not self._interests.sampling:
            return pairs
        return pairs.only(self._interests.counted(pairs.subscriptions, publications.time[pairs.rows]))

    def _matching_stale(self, publications: Publications, matches: Pairs) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and the stale members that they match; those of top-k advertisements are never stale."""
        kept = self._becomes_stale[matches.subscriptions]
        rows, numbers = matches.rows[kept], matches.subscriptions[kept]
        ended = self._valid_until[numbers] <= publications.time[rows]
        return rows[ended], numbers[ended]

    def _attracted(self, publications: Publications, rows: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return row and link, as one number, of every entry that attracts a row for a stale member."""
        routes = self._plan.routes
        first = np.searchsorted(self._stale[:, 0], numbers, "left")
        counts = np.searchsorted(self._stale[:, 0], numbers, "right") - first
        pair = np.repeat(np.arange(len(rows)), counts)
        at = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts) + first[pair]
        _, link, since, until = self._stale[at].T
        time = publications.time[rows[pair]]
        live = (since <= time) & (time < until)
        down = Routes.reverse(link[live])  # entries are on links in the direction of subscriptions
        return np.unique(rows[pair][live].astype(np.int64) * max(len(routes.source), 1) + down)
