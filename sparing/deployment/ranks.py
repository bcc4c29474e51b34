"""Ranks: from what a publisher says about its best subscriptions to the model."""

from __future__ import annotations

from collections.abc import Mapping

from sparing.deployment.schema import RankEntry
from sparing.language.errors import LanguageError
from sparing.language.scores import parse_score
from sparing.model.expression import Expression
from sparing.model.rank import BoxScore, Fairness, Rank
from sparing.model.topic import Topic

_BOX_SCORES = {measure.value: measure for measure in BoxScore}
_FAIR = {False: Fairness.NONE, True: Fairness.WEIGHTED, "exact": Fairness.EXACT}


def rank_of(entry: RankEntry, topic: Topic, attributes: Mapping[str, str] | None) -> Rank | LanguageError:
    """The rank; `attributes` are the kinds of those that subscriptions on the topic have, None if there are none."""
    fair = entry.by is None if entry.fair is None else entry.fair
    by: BoxScore | Expression | None = None
    if entry.by is not None:
        by = _BOX_SCORES.get(entry.by.strip().lower())
        if by is None:
            try:
                by = parse_score(entry.by, topic, attributes)
            except LanguageError as error:
                return error
    return Rank(by, _FAIR[fair])
