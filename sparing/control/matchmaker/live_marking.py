"""A marking that stays the best while publishers and subscribers come and go, and what each change costs.

Counts change only along the ways between whoever came or went and the others; links decide anew by them. With a tree
for each source, links whose decisions would not fit together are marked by one maximum flow. The marking after a change
is the one that solving afresh gives, and valid for the trees before and after: a newcomer joins once links are marked
for it, and links are marked anew only after somebody has left.

To tell all links of every coming and going would take more messages than the best marking saves. So a broker tells how
many subscriptions it has only once that is off what it told last by more than the `slack`, a share; the marking is
then the best for what was told. That somebody is there at all, or nobody any more, is always told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sparing.control.matchmaker.election import election
from sparing.control.matchmaker.entangled import FREE, entangled
from sparing.control.matchmaker.per_source import mark_by
from sparing.control.routes import HERE, Routes
from sparing.model.policy import Matchmaker


@dataclass(frozen=True, eq=False)
class MarkingChange:
    """What one coming or going did, by link; `counted_down` and `counted_up` are where sigma and tau changed.

    `advertised` are the messages that announce or withdraw advertisements.
    """

    advertised: np.ndarray
    to_s_link: np.ndarray
    to_p_link: np.ndarray
    counted_down: np.ndarray
    counted_up: np.ndarray


class LiveMarking:
    """The marking of one topic."""

    def __init__(
        self,
        matchmaker: Matchmaker,
        shared: bool,
        routes: Routes,
        weight: np.ndarray,
        published: Mapping[int, int] | None = None,
        subscribed: np.ndarray | None = None,
        slack: float = 0.0,
    ) -> None:
        brokers, links = len(routes.brokers), len(routes.source)
        self._matchmaker, self._shared, self._routes, self._weight = matchmaker, shared, routes, weight
        self.published = np.zeros(brokers, dtype=np.int64)
        self.subscribed = np.zeros(brokers, dtype=np.int64)
        self.told = np.zeros(brokers, dtype=np.int64)  # how many subscriptions a broker has told of
        self._slack = 0.0  # everything is told at first
        self.sigma = np.zeros(links, dtype=np.int64)
        self.tau = np.zeros(links, dtype=np.int64)
        self._goals = np.zeros((brokers, links), dtype=np.int32)  # [source, link] -> subscribers' brokers beyond it
        self._sources = np.zeros((links, brokers), dtype=np.int32)  # [link, goal] -> sources whose way leads over it
        self._component = np.full(links, FREE)  # link -> the entangled component that it is in
        for broker, count in (published or {}).items():
            self._publish(broker, count)
        for broker, count in enumerate([] if subscribed is None else subscribed.tolist()):
            self._subscribe(broker, count)
        self._slack = slack
        self.s_link = self._marked()

    @property
    def eta(self) -> np.ndarray:
        """Link -> what is saved if it is an s-link instead of a p-link."""
        saved: np.ndarray = self._weight * (self.sigma - self.tau)
        return saved

    @property
    def in_use(self) -> np.ndarray:
        """Which links are in some tree."""
        used: np.ndarray = self.sigma > 0
        return used

    @property
    def cost(self) -> int:
        """The content descriptors of the marking, by weight."""
        return int((self._weight * np.where(self.s_link, self.tau, self.sigma)).sum())

    @property
    def requires(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of links, the first before the second in some tree."""
        root, link = np.nonzero(self._goals)
        back = self._routes.link_of[self._routes.source[link], root]
        inner = back != HERE
        links = max(len(self.sigma), 1)
        keys = np.unique(Routes.reverse(back[inner].astype(np.int64)) * links + link[inner])
        return keys // links, keys % links

    def publish(self, broker: int, more: int) -> MarkingChange:
        """Advertisements come (or go, if `more` is below zero) at a broker.

        Publishers stay as long as a plan is in force, so only tests, and who keeps a marking without a plan, need this.
        """
        return self._changed(lambda: self._publish(broker, more))

    def subscribe(self, broker: int, more: int) -> MarkingChange:
        """Subscriptions come (or go) at a broker."""
        return self._changed(lambda: self._subscribe(broker, more))

    def rerouted(self, routes: Routes, weight: np.ndarray) -> LiveMarking:
        """The same publishers and subscribers on other links of the same brokers; needed by the same as `publish`."""
        published = dict(enumerate(self.published.tolist()))
        return LiveMarking(self._matchmaker, self._shared, routes, weight, published, self.subscribed, self._slack)

    @property
    def counts_travel(self) -> bool:
        """Whether links must know how many descriptors there are on either side."""
        return self._matchmaker is Matchmaker.MIN_COST

    def elections(self, change: MarkingChange) -> dict[int, int]:
        """The messages, by link, by which brokers agree on entangled links, if a change touched one of them."""
        touched = np.unique(self._component[np.concatenate([change.counted_down, change.counted_up])])
        before, after = self.requires
        concerned = np.isin(self._component, touched[touched != FREE])
        inner = concerned[before] & concerned[after]
        if not inner.any():
            return {}
        _, messages, _ = election(self._routes.source, self._routes.target, self.eta, before[inner], after[inner])
        return {int(self._routes.link_of[a, b]): count for (a, b), count in messages.items()}

    def _changed(self, change: Callable[[], None]) -> MarkingChange:
        sigma, tau, before = self.sigma.copy(), self.tau.copy(), self.s_link
        change()
        self.s_link = self._marked()
        changed = np.where(before, 0, np.abs(self.sigma - sigma))
        advertised = np.where(before == self.s_link, changed, np.where(before, self.sigma, sigma))
        links = [before & ~self.s_link, ~before & self.s_link, self.sigma != sigma, self.tau != tau]
        to_p, to_s, down, up = (np.flatnonzero(some) for some in links)
        return MarkingChange(advertised, to_s, to_p, down, up)

    def _publish(self, broker: int, more: int) -> None:
        before = int(self.published[broker])
        after = before + more
        assert after >= 0
        if before and after:
            self.sigma[self._goals[broker] > 0] += more
        elif before or after:
            for goal in np.flatnonzero(self.told).tolist():
                self._join(broker, goal, before + after, int(self.told[goal]), 1 if after else -1)
        self.published[broker] = after

    def _subscribe(self, broker: int, more: int) -> None:
        self.subscribed[broker] += more
        before, after = int(self.told[broker]), int(self.subscribed[broker])
        assert after >= 0
        if before and after and abs(after - before) <= self._slack * before:
            return
        if before and after:
            self.tau[self._sources[:, broker] > 0] += after - before
        elif before or after:
            for root in np.flatnonzero(self.published).tolist():
                self._join(root, broker, int(self.published[root]), before + after, 1 if after else -1)
        self.told[broker] = after

    def _join(self, root: int, goal: int, published: int, subscribed: int, step: int) -> None:
        """A source and a goal come together (`step` is 1) or part (-1), with so many descriptors each."""
        for link in self._routes.way(root, goal):
            self._goals[root, link] += step
            if self._goals[root, link] == max(step, 0):
                self.sigma[link] += step * published
            self._sources[link, goal] += step
            if self._sources[link, goal] == max(step, 0):
                self.tau[link] += step * subscribed

    def _marked(self) -> np.ndarray:
        if self._matchmaker is not Matchmaker.MIN_COST:
            return np.full(len(self.sigma), self._matchmaker is Matchmaker.SUBSCRIBE_EVERYWHERE)
        eta = self.eta
        if self._shared:
            marking: np.ndarray = eta >= 0
            return marking
        before, after = self.requires
        self._component = entangled(eta, before, after)
        return mark_by(eta, before, after, self._component != FREE)
