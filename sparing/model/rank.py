"""Ranks: the order in which a publisher prefers the subscriptions that match a publication.

Ranks are unique: higher scores first; among equal scores the lower subscription id, or a random order if the publisher
chooses fairness.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum

from sparing.model.expression import Expression, sql


class BoxScore(StrEnum):
    """Scores that depend on the boxes of subscriptions: area, or distance from the other boxes."""

    AREA = "area"
    DIVERSE = "diverse"


class Fairness(Enum):
    """The order of subscriptions with equal scores."""

    NONE = "none"  # the lower id first
    WEIGHTED = "weighted"  # random, weighted by the number of subscriptions that an entry represents: AncestorFairK
    EXACT = "exact"  # random with equal chances, at the cost of a round trip per publication


@dataclass(frozen=True, slots=True)
class Rank:
    """A score and the order among equal scores; `by` is None if all scores are equal."""

    by: BoxScore | Expression | None = None
    fair: Fairness = Fairness.WEIGHTED

    @property
    def needs_all_matches(self) -> bool:
        """Whether a score depends on all matching subscriptions, so that covering may omit none of them."""
        return self.by is BoxScore.DIVERSE

    @property
    def counts_matches(self) -> bool:
        """Whether brokers query each other, for every publication, for the number of matching subscriptions."""
        return self.fair is Fairness.EXACT and not self.needs_all_matches

    @property
    def description(self) -> str:
        """The rank as a phrase for tables and explanations.

        >>> Rank(BoxScore.AREA, Fairness.NONE).description, Rank().description
        ('larger boxes first, then lower ids', 'all alike, by lot')
        """
        match self.by:
            case None:
                first = "all alike"
            case BoxScore.AREA:
                first = "larger boxes first"
            case BoxScore.DIVERSE:
                first = "boxes far from the others first"
            case expression:
                first = f"by {sql(expression)}"
        among_equals = {Fairness.NONE: "lower ids", Fairness.WEIGHTED: "by lot", Fairness.EXACT: "by exactly fair lot"}
        return f"{first}, {'' if self.by is None else 'then '}{among_equals[self.fair]}"


UNRANKED = Rank()  # equal scores, weighted lot
