"""Ranks: which of the subscriptions that match a publication are the best, as its publisher sees it.

Ranks are unique: higher scores first; among equal scores the lower subscription id, or, where the publisher wants to
be fair, one after another by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum

from sparing.model.expression import Expression, sql


class Measure(StrEnum):
    """Scores that are no expressions: the measure of a subscription's box, or how far it lies from the others."""

    AREA = "area"
    DIVERSE = "diverse"


class Fairness(Enum):
    """What happens among equal scores."""

    NONE = "none"  # the lower id first
    WEIGHTED = "weighted"  # a shuffle weighted by what each subscription stands for: AncestorFairK
    EXACT = "exact"  # every subscription with the same chance, for a round trip per publication


@dataclass(frozen=True, slots=True)
class Rank:
    """`by` is None if all subscriptions score the same."""

    by: Measure | Expression | None = None
    fair: Fairness = Fairness.WEIGHTED

    @property
    def needs_everyone(self) -> bool:
        """Whether a score depends on all that match, so that nobody may be left out on the way to the publisher."""
        return self.by is Measure.DIVERSE

    @property
    def asks_how_many(self) -> bool:
        """Whether brokers ask each other, for every publication, how many subscriptions match it."""
        return self.fair is Fairness.EXACT and not self.needs_everyone

    @property
    def words(self) -> str:
        """For people.

        >>> Rank(Measure.AREA, Fairness.NONE).words, Rank().words
        ('larger boxes first, then lower ids', 'all alike, by lot')
        """
        match self.by:
            case None:
                first = "all alike"
            case Measure.AREA:
                first = "larger boxes first"
            case Measure.DIVERSE:
                first = "boxes far from the others first"
            case expression:
                first = f"by {sql(expression)}"
        among_equals = {Fairness.NONE: "lower ids", Fairness.WEIGHTED: "by lot", Fairness.EXACT: "by exactly fair lot"}
        return f"{first}, {'' if self.by is None else 'then '}{among_equals[self.fair]}"


ANYONE = Rank()  # all alike, fairly
