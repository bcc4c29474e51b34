"""A link policy: what a link does when an NWR ends for which something waits there.

A policy is a file of this package that has its name (`wad-live` is `wad_live.py`), with a class and the policy itself,
`POLICY`. The class carries the rule, the flags that tell the walk what the rule needs, and the reason for a decision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sparing.compiled import compiled

if TYPE_CHECKING:
    from sparing.flow.arrival.matched import Matched
    from sparing.flow.windows.kernels.arrays import WindowArrays
    from sparing.flow.windows.kernels.ranges import WindowRanges
    from sparing.model.subscription import Subscription

Rule = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Turn:
    """An NWR whose turn has come on a link: what waits there for it, and the names of everything."""

    arrays: WindowArrays
    link: int
    nwr: int
    raw: np.ndarray  # edges of publications
    results: int  # partial results
    ranges: WindowRanges
    rows: Matched
    subscriptions: Sequence[Subscription]

    def name_of(self, nwr: int) -> str:
        """The id of the subscription that an NWR belongs to."""
        return self.subscriptions[int(self.ranges.subscription[nwr])].id


@compiled
def look_up(arrays: WindowArrays, link: int, nwr: int, count: int) -> Any:  # noqa: ARG001
    """The rule of policies that know their decisions beforehand."""
    return arrays.table[link, nwr]


@dataclass(frozen=True)
class LinkPolicy:
    """Decides on every link by itself, from what has been seen there.

    `rule(arrays, link, nwr, count)` is compiled; the waiting edges are `arrays.waiting[:count]`. True means one
    partial result, False that each item is forwarded as it is. A policy without a rule of its own has a `table`.
    """

    name: ClassVar[str]
    rule: ClassVar[Rule] = staticmethod(look_up)
    at_once: ClassVar[bool] = False  # publications cross links on arrival, so that nothing ever waits to be decided on
    one_group: ClassVar[bool] = False  # decisions depend on all that a broker sees, so groups cannot be worked on apart
    whole_trace: ClassVar[bool] = False  # must know everything that will be published: batch only
    degrees: ClassVar[bool] = False  # the rule asks for degrees of items
    matching: ClassVar[bool] = False  # the rule needs a maximum matching of each link's graph, and so degrees

    patience: int = 0  # how much later a link decides for every link before it (microseconds)
    period: int = 0  # how often a mode is chosen anew, for policies that have one (microseconds)

    def table(self, arrays: WindowArrays, links: np.ndarray, subscriptions: np.ndarray) -> np.ndarray | None:  # noqa: ARG002
        """[link, NWR] -> aggregate, for policies that know what to do beforehand.

        `links` are the numbers of the arrays's links in the plan, `subscriptions` those of its NWRs.
        """
        return None

    def why(self, turn: Turn) -> str:  # noqa: ARG002
        """The reason for the decision that the rule is about to take."""
        return f"{self.name} decides so by a rule of its own"


RESULT_WAITS = "a partial result waits, and only this window can use it"
