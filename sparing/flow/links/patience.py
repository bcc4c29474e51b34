"""Patience: ADOCK, but a link decides an NWR later, by a given time for every link before it.

What ADOCK loses against the optimum is data that had not come yet or was still held upstream. A link that waits a
little has seen what the links before it held back. The price is latency: a result comes later by at most the patience
times the number of links on its longest way. The compute is ADOCK's. It can also cost a message, but hardly ever does:
a link that aggregates on a tie tells the next one later.

Ours, beyond the paper.
"""

from __future__ import annotations

from sparing.flow.links.adock import Adock
from sparing.model.policy import SECOND, DecisionRule


class Patience(Adock):
    """ADOCK, later."""

    name = DecisionRule.PATIENCE


POLICY = Patience(patience=SECOND)
