"""Patience: ADOCK, but a link decides an NWR later, by a fixed delay per upstream link.

ADOCK misses the optimum because publications have not arrived yet or are still held upstream. A link that decides later
has received the items that upstream links held. Results are delayed by at most the patience times the number of links
on the longest path. The computation is that of ADOCK. In rare cases it sends a message more than ADOCK: a link that
aggregates on a tie sends its result later.

Ours, beyond the paper.
"""

from __future__ import annotations

from sparing.flow.links.adock import Adock
from sparing.model.policy import SECOND, DecisionRule


class Patience(Adock):
    """ADOCK with delayed decisions."""

    name = DecisionRule.PATIENCE


POLICY = Patience(patience=SECOND)
