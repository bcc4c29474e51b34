"""A contest: the subscriptions that an advertisement can match, and the covering that applies to them.

Contests differ by advertisement because k and rank do. Boxes are intersected with the advertised box: nothing outside
it can be published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.bounds import forms
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.rank_cover import rank_cover
from sparing.control.covering.ranked_boxes import CertainScores, RankedBoxes
from sparing.control.covering.regular_cover import regular_cover
from sparing.control.covering.weights import handed_on
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
class Contest:
    """Subscriptions, by number, with their boxes in the same order.

    `scores` are there unless they depend on the publication; then `certain` says what can be told of them. Those with
    equal numbers in `alike` score the same in any case.
    """

    advertisement: Advertisement
    method: Covering
    k: int
    numbers: np.ndarray
    boxes: CodedBoxes
    scores: np.ndarray | None
    certain: CertainScores | None
    alike: np.ndarray
    fair: bool

    def forwarded(self, which: np.ndarray) -> np.ndarray:
        """Of some of the subscriptions (by their places, ascending), those that the next broker is told."""
        if self.method is Covering.NONE or not len(which):
            return which
        forwarded: np.ndarray = which[COVERS[self.method](self.standing(which), self.k)]
        return forwarded

    def standing(self, which: np.ndarray) -> RankedBoxes:
        """How some of the subscriptions stand to each other."""
        boxes = self.boxes.take(which)
        if self.method is Covering.REGULAR:
            return RankedBoxes.by_containment(boxes)
        if self.scores is not None:
            return RankedBoxes.by_score(boxes, self.scores[which], self.fair)
        assert self.certain is not None
        return RankedBoxes.by_certainty(boxes, _some(self.certain, which), self.fair)

    def stood_for(self, which: np.ndarray, forwarded: np.ndarray, mass: np.ndarray) -> np.ndarray:
        """How many subscriptions each of those forwarded stands for, given for how many each of `which` does."""
        if self.method is Covering.NONE:
            return mass
        kept = np.isin(which, forwarded, assume_unique=True)
        return handed_on(self.standing(which), kept, mass, self.alike[which], self.k)[kept]


def contests(
    advertisements: Iterable[Advertisement],
    subscriptions: Sequence[Subscription],
    topic: str,
    types: Mapping[str, FieldType],
    covering: Covering,
) -> dict[Advertisement, Contest]:
    """The contest of every advertisement of a topic; those that differ by the publisher's name alone share one.

    `subscriptions` are all of the deployment, in the order of their ids.
    """
    numbers = np.array([n for n, s in enumerate(subscriptions) if s.query.topic == topic], dtype=np.int32)
    mine = [subscriptions[number] for number in numbers.tolist()]
    offered = list(dict.fromkeys(advertisements))
    boxes = [s.query.box for s in mine]
    coded = CodedBoxes.of([*boxes, *(ad.box for ad in offered)], types)
    measured = constrained(mine)
    shared: dict[object, Contest] = {}
    found = {}
    for at, advertisement in enumerate(offered, len(mine)):
        key = advertisement.broker, advertisement.box, advertisement.top_k, advertisement.rank
        if key not in shared:
            which = np.flatnonzero(coded.that_meet(at, len(mine)))
            clipped = coded.clipped(which, at)
            some = [mine[place] for place in which.tolist()]
            shared[key] = _contest(advertisement, numbers[which], clipped, some, types, measured, covering=covering)
        found[advertisement] = shared[key]
    return found


def _contest(
    advertisement: Advertisement,
    numbers: np.ndarray,
    boxes: CodedBoxes,
    subscriptions: Sequence[Subscription],
    types: Mapping[str, FieldType],
    measured: Sequence[str],
    *,
    covering: Covering,
) -> Contest:
    rank, k = advertisement.rank, advertisement.top_k
    fair = rank.fair is not Fairness.NONE
    none, alike = None, np.zeros(len(numbers), np.int32)
    if k is None or rank.counts_matches:
        # Only where there is a match need be known.
        regular = Covering.NONE if covering is Covering.NONE else Covering.REGULAR
        return Contest(advertisement, regular, 1, numbers, boxes, none, none, alike, True)
    method = Covering.NONE if rank.needs_all_matches or covering is Covering.REGULAR else covering
    given = scores_of(advertisement, subscriptions, types, measured)
    if given is not None:
        alike = np.unique(given, return_inverse=True)[1].astype(np.int32)
        return Contest(advertisement, method, k, numbers, boxes, given, none, alike, fair)
    if not isinstance(rank.by, Expression):
        return Contest(advertisement, method, k, numbers, boxes, none, none, alike, fair)
    clipped = [s.query.box.intersect(advertisement.box) for s in subscriptions]
    found = forms(
        rank.by,
        [box for box in clipped if box is not None],
        advertisement.box,
        types,
        attribute_values(rank.by, subscriptions),
    )
    return Contest(advertisement, method, k, numbers, boxes, none, found.certain, found.alike, fair)


def scores_of(
    advertisement: Advertisement,
    subscriptions: Sequence[Subscription],
    types: Mapping[str, FieldType],
    measured: Sequence[str],
) -> np.ndarray | None:
    """The scores of subscriptions, None if they depend on the publication or on who else matches it.

    `measured` are the fields whose extents make up the area.
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
    """The fields that some of the subscriptions constrain."""
    return tuple(sorted({name for subscription in subscriptions for name in subscription.query.box.fields}))


def attribute_values(expression: Expression, subscriptions: Sequence[Subscription]) -> dict[str, Values]:
    """The attributes that an expression uses, of all subscriptions."""
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


def _some(certain: CertainScores, which: np.ndarray) -> CertainScores:
    arrays = {name: column[which] for name, column in certain._asdict().items() if name != "strict"}
    return CertainScores(**arrays, strict=certain.strict)
