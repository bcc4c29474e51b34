"""An index that was changed along with the plan finds what a new one finds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.flow.arrival import topic_index
from sparing.flow.arrival.topic_index import TopicIndex
from tests.flow import strategies
from tests.tries import tries


def _pairs(index, batch):
    found = index.match(batch.columns, len(batch), 1 << 20)
    return sorted(pair for part in found for pair in zip(part.rows.tolist(), part.subscriptions.tolist(), strict=True))


@given(st.data())
@settings(max_examples=tries(60), deadline=None)
def test_an_index_goes_along_with_the_plan(data):
    first, second = data.draw(strategies.plans()), data.draw(strategies.plans())
    publications = [p for p in data.draw(strategies.published(first)) if p.topic == "t"]
    batch = strategies.batch(first, "t", publications)
    limit = topic_index.MOST_CHANGED
    topic_index.MOST_CHANGED = data.draw(st.sampled_from([limit, 1000]))  # the latter: always changed, never made anew
    try:
        index = TopicIndex(first, "t")
        for plan in (second, first, first):
            index = TopicIndex(plan, "t", index)
            assert _pairs(index, batch) == _pairs(TopicIndex(plan, "t"), batch)
    finally:
        topic_index.MOST_CHANGED = limit
