"""A matching set: the subscriptions that can match an advertisement, and the covering that applies to them.

Matching sets differ by advertisement because k and rank do. Boxes are intersected with the advertised box, because
nothing outside it can be published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.bounds import analyze_scores
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.rank_cover import rank_cover
from sparing.control.covering.ranked_boxes import RankedBoxes, ScoreForms
from sparing.control.covering.regular_cover import regular_cover
from sparing.control.covering.weights import redistribute
from sparing.model.expression import Expression, Values, attributes_of, fields_of, scores
from sparing.model.measure import area
from sparing.model.policy import Covering
from sparing.model.rank import BoxScore, Fairness
from sparing.model.subscription import Advertisement, Subscription
from sparing.model.types import FieldType

COVERS: dict[Covering, Callable[[RankedBoxes, int], np.ndarray]] = {
    Covering.REGULAR: regular_cover,
    Covering.RANK: rank_cover,
    Covering.ANCESTOR: ancestor_cover,
}


@dataclass(frozen=True, eq=False)
class MatchingSet:
    """Subscriptions by number, with their boxes in the same order.

    `scores` is None if they depend on the publication; then `forms` has their bounds. Subscriptions of the same
    `score_class` have equal scores for every publication.
    """

    advertisement: Advertisement
    method: Covering
    k: int
    numbers: np.ndarray
    boxes: CodedBoxes
    scores: np.ndarray | None
    forms: ScoreForms | None
    score_class: np.ndarray
    fair: bool

    @property
    def is_top_k(self) -> bool:
        """Whether the advertisement has `top_k`."""
        return self.advertisement.top_k is not None

    def forwarded(self, which: np.ndarray) -> np.ndarray:
        """Return those of some subscriptions (by position, ascending) that are forwarded to the next broker."""
        if self.method is Covering.NONE or not len(which):
            return which
        forwarded: np.ndarray = which[COVERS[self.method](self.ranked(which), self.k)]
        return forwarded

    def ranked(self, which: np.ndarray) -> RankedBoxes:
        """Return some of the subscriptions with their rank order."""
        boxes = self.boxes.take(which)
        if self.method is Covering.REGULAR:
            return RankedBoxes.by_containment(boxes)
        if self.scores is not None:
            return RankedBoxes.by_score(boxes, self.scores[which], self.fair)
        assert self.forms is not None
        return RankedBoxes.by_forms(boxes, _forms_of(self.forms, which), self.fair)

    def weights_of(self, which: np.ndarray, forwarded: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the number of subscriptions that each forwarded one represents, given that of each of `which`."""
        if self.method is Covering.NONE:
            return weights
        kept = np.isin(which, forwarded, assume_unique=True)
        return redistribute(self.ranked(which), kept, weights, self.score_class[which], self.k)[kept]


def matching_sets(
    advertisements: Iterable[Advertisement],
    subscriptions: Sequence[Subscription],
    topic: str,
    types: Mapping[str, FieldType],
    covering: Covering,
) -> dict[Advertisement, MatchingSet]:
    """Return the matching set of every advertisement of a topic; it does not depend on the publisher's name.

    `subscriptions` are all of the deployment, in the order of their ids.
    """
    numbers = np.array([n for n, s in enumerate(subscriptions) if s.query.topic == topic], dtype=np.int32)
    mine = [subscriptions[number] for number in numbers.tolist()]
    distinct = list(dict.fromkeys(advertisements))
    boxes = [s.query.box for s in mine]
    coded = CodedBoxes.of([*boxes, *(ad.box for ad in distinct)], types)
    measured = constrained(mine)
    shared: dict[object, MatchingSet] = {}
    found = {}
    for at, ad in enumerate(distinct, len(mine)):
        key = ad.broker, ad.box, ad.top_k, ad.rank
        if key not in shared:
            which = np.flatnonzero(coded.overlapping(at, len(mine)))
            clipped = coded.clipped(which, at)
            some = [mine[place] for place in which.tolist()]
            shared[key] = _matching_set(ad, numbers[which], clipped, some, types, measured, covering=covering)
        found[ad] = shared[key]
    return found


def _matching_set(
    advertisement: Advertisement,
    numbers: np.ndarray,
    boxes: CodedBoxes,
    subscriptions: Sequence[Subscription],
    types: Mapping[str, FieldType],
    measured: Sequence[str],
    *,
    covering: Covering,
) -> MatchingSet:
    rank, k = advertisement.rank, advertisement.top_k
    fair = rank.fair is not Fairness.NONE
    none, score_class = None, np.zeros(len(numbers), np.int32)
    if k is None or rank.counts_matches:
        # Brokers need to know only whether there is a match.
        regular = Covering.NONE if covering is Covering.NONE else Covering.REGULAR
        return MatchingSet(advertisement, regular, 1, numbers, boxes, none, none, score_class, True)
    method = Covering.NONE if rank.needs_all_matches or covering is Covering.REGULAR else covering
    given = scores_of(advertisement, subscriptions, types, measured)
    if given is not None:
        score_class = np.unique(given, return_inverse=True)[1].astype(np.int32)
        return MatchingSet(advertisement, method, k, numbers, boxes, given, none, score_class, fair)
    if not isinstance(rank.by, Expression):
        return MatchingSet(advertisement, method, k, numbers, boxes, none, none, score_class, fair)
    clipped = [s.query.box.intersect(advertisement.box) for s in subscriptions]
    found = analyze_scores(
        rank.by,
        [box for box in clipped if box is not None],
        advertisement.box,
        types,
        attribute_values(rank.by, subscriptions),
    )
    return MatchingSet(advertisement, method, k, numbers, boxes, none, found.forms, found.score_class, fair)


def scores_of(
    advertisement: Advertisement,
    subscriptions: Sequence[Subscription],
    types: Mapping[str, FieldType],
    measured: Sequence[str],
) -> np.ndarray | None:
    """Return the scores of subscriptions; None if they depend on the publication or on the other matches.

    `measured` are the fields of the area.
    """
    by = advertisement.rank.by
    match by:
        case None:
            return np.zeros(len(subscriptions))
        case BoxScore.AREA:
            clipped = [s.query.box.intersect(advertisement.box) for s in subscriptions]
            return np.array([0.0 if box is None else area(box, measured, types) for box in clipped])
        case BoxScore.DIVERSE:
            return None
        case _:
            if fields_of(by):
                return None
            return scores(by, {}, attribute_values(by, subscriptions), len(subscriptions))


def constrained(subscriptions: Iterable[Subscription]) -> tuple[str, ...]:
    """Return the fields that some of the subscriptions constrain."""
    return tuple(sorted({name for subscription in subscriptions for name in subscription.query.box.fields}))


def attribute_values(expression: Expression, subscriptions: Sequence[Subscription]) -> dict[str, Values]:
    """Return the attributes in an expression, of all subscriptions."""
    own = [dict(s.attributes) for s in subscriptions]
    found = {}
    for name in sorted(attributes_of(expression)):
        given = [attributes.get(name) for attributes in own]
        valid = np.array([value is not None for value in given], dtype=bool)
        kind = next((type(value) for value in given if value is not None), float)
        if kind is str:
            array = np.array([value if value is not None else "" for value in given], dtype=object)
        else:
            array = np.array([value if value is not None else 0 for value in given], bool if kind is bool else float)
        found[name] = Values(array, valid)
    return found


def _forms_of(forms: ScoreForms, which: np.ndarray) -> ScoreForms:
    arrays = {name: column[which] for name, column in forms._asdict().items() if name != "strict"}
    return ScoreForms(**arrays, strict=forms.strict)
