"""A marking that is kept up to date while subscriptions start and end, and the messages of each change.

Counts change only on the paths to and from the broker of the change. With a tree per source, entangled links are marked
by one maximum flow. The marking after a change equals one computed from scratch, and is valid for the trees before and
after the change: links are marked before a new subscription is announced, and after an ended one is withdrawn.

Announcing every change of a count would take more messages than the best marking saves. So a broker announces its
number of subscriptions only if that differs from the last announced number by more than the `slack`, a share of it; the
marking is optimal for the announced numbers. Changes from or to zero are always announced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sparing.control.matchmaker.election import election
from sparing.control.matchmaker.entangled import FREE, entangled
from sparing.control.matchmaker.per_source import mark_links
from sparing.control.routes import HERE, Routes
from sparing.model.policy import Matchmaker


@dataclass(frozen=True, eq=False)
class MarkingChange:
    """The effects of one change on links."""

    advertised: np.ndarray  # link -> messages that announce or withdraw advertisements
    to_s_link: np.ndarray  # links with a new mark
    to_p_link: np.ndarray
    counted_down: np.ndarray  # links with a new sigma
    counted_up: np.ndarray  # links with a new tau


class LiveMarking:
    """The current marking of one topic."""

    def __init__(
        self,
        matchmaker: Matchmaker,
        shared: bool,
        routes: Routes,
        weight: np.ndarray,
        *,
        published: Mapping[int, int] | None = None,
        subscribed: np.ndarray | None = None,
        slack: float = 0.0,
    ) -> None:
        brokers, links = len(routes.brokers), len(routes.source)
        self._matchmaker, self._shared, self._routes, self._weight = matchmaker, shared, routes, weight
        self.published = np.zeros(brokers, dtype=np.int64)
        self.subscribed = np.zeros(brokers, dtype=np.int64)
        self.announced = np.zeros(brokers, dtype=np.int64)  # broker -> last announced number of subscriptions
        self._slack = 0.0  # the initial numbers are all announced
        self.sigma = np.zeros(links, dtype=np.int64)
        self.tau = np.zeros(links, dtype=np.int64)
        self._goals = np.zeros((brokers, links), dtype=np.int32)  # [source, link] -> subscribers' brokers beyond it
        self._sources = np.zeros((links, brokers), dtype=np.int32)  # [link, goal] -> sources with paths over it
        self._component = np.full(links, FREE)  # link -> its entangled component
        for broker, count in (published or {}).items():
            self._publish(broker, count)
        for broker, count in enumerate([] if subscribed is None else subscribed.tolist()):
            self._subscribe(broker, count)
        self._slack = slack
        self.s_link = self._mark()

    @property
    def eta(self) -> np.ndarray:
        """Link -> saving if it is an s-link instead of a p-link."""
        saved: np.ndarray = self._weight * (self.sigma - self.tau)
        return saved

    @property
    def in_use(self) -> np.ndarray:
        """Link -> whether it is in some tree."""
        used: np.ndarray = self.sigma > 0
        return used

    @property
    def cost(self) -> int:
        """The weighted number of content descriptors that cross links."""
        return int((self._weight * np.where(self.s_link, self.tau, self.sigma)).sum())

    @property
    def requires(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of a link and a child in some tree, as in `Demand.requires`."""
        root, link = np.nonzero(self._goals)
        back = self._routes.link_of[self._routes.source[link], root]
        inner = back != HERE
        links = max(len(self.sigma), 1)
        keys = np.unique(Routes.reverse(back[inner].astype(np.int64)) * links + link[inner])
        return keys // links, keys % links

    def publish(self, broker: int, more: int) -> MarkingChange:
        """Add advertisements at a broker, or remove them if `more` is negative.

        The publishers of a plan do not change; this is for markings without a plan.
        """
        return self._apply(lambda: self._publish(broker, more))

    def subscribe(self, broker: int, more: int) -> MarkingChange:
        """Add subscriptions at a broker, or remove them if `more` is negative."""
        return self._apply(lambda: self._subscribe(broker, more))

    def rerouted(self, routes: Routes, weight: np.ndarray) -> LiveMarking:
        """Return the marking of the same publishers and subscribers on other routes between the same brokers."""
        published = dict(enumerate(self.published.tolist()))
        given = self._matchmaker, self._shared, routes, weight
        return LiveMarking(*given, published=published, subscribed=self.subscribed, slack=self._slack)

    @property
    def counts_travel(self) -> bool:
        """Whether brokers exchange numbers of descriptors to decide on the marking."""
        return self._matchmaker is Matchmaker.MIN_COST

    def elections(self, change: MarkingChange) -> dict[int, int]:
        """Link -> messages by which brokers agree on the entangled components with changed counts."""
        touched = np.unique(self._component[np.concatenate([change.counted_down, change.counted_up])])
        before, after = self.requires
        concerned = np.isin(self._component, touched[touched != FREE])
        inner = concerned[before] & concerned[after]
        if not inner.any():
            return {}
        _, messages, _ = election(self._routes.source, self._routes.target, self.eta, before[inner], after[inner])
        return {int(self._routes.link_of[a, b]): count for (a, b), count in messages.items()}

    def _apply(self, change: Callable[[], None]) -> MarkingChange:
        sigma, tau, before = self.sigma.copy(), self.tau.copy(), self.s_link
        change()
        self.s_link = self._mark()
        changed = np.where(before, 0, np.abs(self.sigma - sigma))
        return MarkingChange(
            advertised=np.where(before == self.s_link, changed, np.where(before, self.sigma, sigma)),
            to_s_link=np.flatnonzero(~before & self.s_link),
            to_p_link=np.flatnonzero(before & ~self.s_link),
            counted_down=np.flatnonzero(self.sigma != sigma),
            counted_up=np.flatnonzero(self.tau != tau),
        )

    def _publish(self, broker: int, more: int) -> None:
        before = int(self.published[broker])
        after = before + more
        assert after >= 0
        if before and after:
            self.sigma[self._goals[broker] > 0] += more
        elif before or after:
            for goal in np.flatnonzero(self.announced).tolist():
                self._join(broker, goal, before + after, int(self.announced[goal]), 1 if after else -1)
        self.published[broker] = after

    def _subscribe(self, broker: int, more: int) -> None:
        self.subscribed[broker] += more
        before, after = int(self.announced[broker]), int(self.subscribed[broker])
        assert after >= 0
        if before and after and abs(after - before) <= self._slack * before:
            return
        if before and after:
            self.tau[self._sources[:, broker] > 0] += after - before
        elif before or after:
            for root in np.flatnonzero(self.published).tolist():
                self._join(root, broker, int(self.published[root]), before + after, 1 if after else -1)
        self.announced[broker] = after

    def _join(self, root: int, goal: int, published: int, subscribed: int, step: int) -> None:
        """Add (`step` is 1) or remove (-1) the path from a source to a goal, given the descriptors at each."""
        for link in self._routes.links_between(root, goal):
            self._goals[root, link] += step
            if self._goals[root, link] == max(step, 0):
                self.sigma[link] += step * published
            self._sources[link, goal] += step
            if self._sources[link, goal] == max(step, 0):
                self.tau[link] += step * subscribed

    def _mark(self) -> np.ndarray:
        if self._matchmaker is not Matchmaker.MIN_COST:
            return np.full(len(self.sigma), self._matchmaker is Matchmaker.SUBSCRIBE_EVERYWHERE)
        eta = self.eta
        if self._shared:
            marking: np.ndarray = eta >= 0
            return marking
        before, after = self.requires
        self._component = entangled(eta, before, after)
        return mark_links(eta, before, after, self._component != FREE)
