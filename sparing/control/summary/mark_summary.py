"""The marking of a topic in numbers: counts of each link, and the brokers where advertisements meet subscriptions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.control.matchmaker.broadcast import publish_everywhere, subscribe_everywhere
from sparing.control.matchmaker.marking import Marking
from sparing.control.plan import Plan


@dataclass(frozen=True, slots=True)
class MarkedLink:
    """A directed link of a topic's trees with its mark.

    `sigma` advertisements would cross it as a p-link, `tau` subscriptions, before covering, as an s-link; `eta` is the
    weighted saving of the s-link.
    """

    source: str
    target: str
    mark: str
    sigma: int
    tau: int
    eta: int
    weight: int


@dataclass(frozen=True, slots=True)
class Meeting:
    """A broker where advertisements from publishers' brokers meet subscriptions from subscribers' brokers."""

    broker: str
    publishers: tuple[str, ...]
    subscribers: tuple[str, ...]
    pairs: int


@dataclass(frozen=True, slots=True)
class MarkingSummary:
    """The marking of a topic, and its cost in content descriptors (by weight) compared with both broadcasts."""

    topic: str
    cost: int
    publish_everywhere: int
    subscribe_everywhere: int
    links: tuple[MarkedLink, ...]
    meetings: tuple[Meeting, ...]


def marking_summary(plan: Plan, topic: str, marking: Marking) -> MarkingSummary:
    """Return the summary of a topic's marking."""
    demand, names = marking.demand, plan.routes.brokers
    links = tuple(
        MarkedLink(
            names[demand.source[link]],
            names[demand.target[link]],
            "s" if marking.s_link[link] else "p",
            int(demand.sigma[link]),
            int(demand.tau[link]),
            int(demand.eta[link]),
            int(demand.weight[link]),
        )
        for link in np.flatnonzero(demand.sigma).tolist()
    )
    everywhere = int(demand.cost(publish_everywhere(demand))), int(demand.cost(subscribe_everywhere(demand)))
    return MarkingSummary(topic, marking.cost, everywhere[0], everywhere[1], links, _meetings(plan, marking))


def _meetings(plan: Plan, marking: Marking) -> tuple[Meeting, ...]:
    """Return the brokers where the p-links from sources towards goals end."""
    routes, names = plan.routes, plan.routes.brokers
    goals = np.flatnonzero(marking.demand.subscribed)
    root, goal = (side.ravel() for side in np.meshgrid(marking.roots, goals, indexing="ij"))
    joined = routes.hops[root, goal] >= 0
    root, goal = root[joined], goal[joined]
    here = root.copy()
    while True:
        link = routes.link_of[here, goal]
        moving = (link >= 0) & ~marking.s_link[np.maximum(link, 0)] if len(routes.source) else link >= 0
        if not moving.any():
            break
        here = np.where(moving, routes.target[np.maximum(link, 0)], here)
    found = []
    for broker in np.unique(here).tolist():
        mine = here == broker
        publishers, subscribers = (tuple(names[b] for b in np.unique(side[mine]).tolist()) for side in (root, goal))
        found.append(Meeting(names[broker], publishers, subscribers, int(mine.sum())))
    return tuple(sorted(found, key=lambda meeting: -meeting.pairs))
