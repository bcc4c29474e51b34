"""The interface of link policies: the decision of a link when an NWR ends for which it holds items.

An NWR (notification window range) is one window of one subscription. A policy is a file of this package with the
policy's name (`wad-live` is `wad_live.py`), with a class and an instance of it, `POLICY`. The class has the rule, flags
for the data that the rule needs, and the reason of a decision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sparing.compiled import compiled
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.flow.windows.kernels.graph import link_graph

if TYPE_CHECKING:
    from sparing.flow.arrival.matched import Matched
    from sparing.model.subscription import Subscription

Rule = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class DecisionContext:
    """An NWR that a link is about to decide: the items that the link holds for it, and their names."""

    arrays: WindowArrays
    link: int
    nwr: int
    raw: np.ndarray  # held publications
    degrees: np.ndarray  # the NWRs of each at its arrival on the link
    results: int  # held partial results
    rows: Matched
    subscriptions: Sequence[Subscription]  # by their numbers in the arrays

    def name_of(self, nwr: int) -> str:
        """Return the id of an NWR's subscription."""
        return self.subscriptions[int(self.arrays.nwrs["subscription"][nwr])].id

    @cached_property
    def graph(self) -> tuple[np.ndarray, np.ndarray]:
        """The link's matching graph: the publication and the undecided NWR of each edge, without partial results."""
        return link_graph(self.arrays, self.link)


@compiled
def look_up(arrays: WindowArrays, link: int, nwr: int, count: int) -> Any:  # noqa: ARG001
    """Return the decision from a table; the rule of policies with a `table`."""
    return arrays.table[link, nwr]


@dataclass(frozen=True)
class LinkPolicy:
    """Decides on every link independently, from the items that have arrived there.

    `rule(arrays, link, nwr, count)` is compiled; the held rows are `arrays.items[:count]`. It returns True to send one
    partial result, False to forward the items. A policy without its own rule has a `table`.
    """

    name: ClassVar[str]
    rule: ClassVar[Rule] = staticmethod(look_up)
    at_once: ClassVar[bool] = False  # publications cross links on arrival, so that links hold nothing
    one_group: ClassVar[bool] = False  # decisions depend on all items of a broker: one interest group per topic
    whole_trace: ClassVar[bool] = False  # needs all future publications: batch only
    items: ClassVar[bool] = True  # the rule reads the held rows
    degrees: ClassVar[bool] = False  # the rule needs the degrees of items at their arrival
    matching: ClassVar[bool] = False  # the rule needs a maximum matching of each link's graph

    patience: int = 0  # delay of a decision per upstream link (microseconds)
    period: int = 0  # time between choices of a broker's mode (microseconds)

    def table(self, arrays: WindowArrays, links: np.ndarray, subscriptions: np.ndarray) -> np.ndarray | None:  # noqa: ARG002
        """Return [link, NWR] -> aggregate, for policies that decide beforehand.

        `links` are the links' numbers in the plan, `subscriptions` the NWRs' subscription numbers.
        """
        return None

    def why(self, context: DecisionContext) -> str:  # noqa: ARG002
        """Return the reason of the decision that the rule is about to make."""
        return f"{self.name} decides so by its own rule"


RESULT_HELD = "the link holds a partial result, and only this window can use it"
