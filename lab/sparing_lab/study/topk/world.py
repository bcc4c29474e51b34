"""The setting: core brokers in a chain, five edge brokers at each, and subscriptions that are ranges of one field.

Subscriptions are spread evenly over the edge brokers. The publisher has an edge broker of its own at one end of the
chain, `e0` at `c1`: only so is what its broker knows what was forwarded to it, as the paper's percentages have it.

Paper: topk-covering, section V-A. It does not say how many fields there are, nor how ranges are placed: the printed
percentages come out with one field, and places drawn evenly from all at which a range fits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sparing.control.plan import Plan, make_plan
from sparing.model.box import Box
from sparing.model.constraint import Constraint
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Covering, Policy
from sparing.model.rank import Fairness, Rank
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import DOUBLE, TIMESTAMP, float_codes
from sparing.workloads.randomness import seeded_rng

EDGES_PER_CORE = 5
PUBLISHER_EDGE = "e0"
TOPIC = Topic("offers", "ts", {"x": DOUBLE, "ts": TIMESTAMP})


@dataclass(frozen=True, eq=False)
class RangeSubscriptions:
    """Subscriptions: half-open ranges of one field, by number."""

    low: np.ndarray
    high: np.ndarray

    def __len__(self) -> int:
        return len(self.low)

    def matched(self, points: np.ndarray) -> np.ndarray:
        """Return [point, range] -> whether the range contains the point."""
        found: np.ndarray = (self.low <= points[:, None]) & (points[:, None] < self.high)
        return found


def ranges(count: int, width: tuple[float, float], seed: int) -> RangeSubscriptions:
    """Return ranges in [0, 1) with widths drawn evenly between two shares and even positions.

    >>> made = ranges(1000, (0.3, 0.6), 0)
    >>> bool((made.low >= 0).all() and (made.high <= 1).all())
    True
    """
    rng = seeded_rng(seed, "topk", "ranges")
    wide = rng.uniform(*width, count)
    low = rng.random(count) * (1 - wide)
    return RangeSubscriptions(low, np.minimum(low + wide, 1.0))


def overlay(core: int) -> tuple[Overlay, tuple[str, ...]]:
    """Return an overlay of core and edge brokers, and the edge brokers with subscribers.

    >>> [(link.one, link.other) for link in overlay(2)[0].links[:3]]
    [('c1', 'c2'), ('c1', 'e0'), ('c1', 'e1')]
    """
    chain = [f"c{n + 1}" for n in range(core)]
    edges = tuple(f"e{n + 1}" for n in range(core * EDGES_PER_CORE))
    links = [Link(one, other) for one, other in pairwise(chain)]
    links.append(Link(chain[0], PUBLISHER_EDGE))
    links += [Link(chain[n // EDGES_PER_CORE], edge) for n, edge in enumerate(edges)]
    return Overlay((*chain, PUBLISHER_EDGE, *edges), tuple(links)), edges


def plan(
    made: RangeSubscriptions,
    core: int,
    ks: Iterable[int | None],
    covering: Covering = Covering.ANCESTOR,
    fair: Fairness = Fairness.WEIGHTED,
) -> Plan:
    """Return a plan with one publisher for each k (None: all matches), without a rank between subscriptions."""
    brokers, edges = overlay(core)
    bounds = zip(float_codes(made.low).tolist(), float_codes(made.high).tolist(), strict=True)
    subscriptions = tuple(
        Subscription(f"s{n:06}", edges[n % len(edges)], Query(TOPIC.name, Box((("x", Constraint((both,))),))))
        for n, both in enumerate(bounds)
    )
    offered = tuple(
        Advertisement(f"p{n}", PUBLISHER_EDGE, TOPIC.name, Box(), k, Rank(None, fair)) for n, k in enumerate(ks)
    )
    # Who owns a subscription does not matter: one subscriber at each edge broker owns all of them.
    owners = {edge: (edge,) for edge in edges}
    return make_plan(
        brokers, {TOPIC.name: TOPIC}, offered, owners, subscriptions, bucket=1, policy=Policy(covering=covering)
    )
