"""Digests: all events of a cycle in one notification."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.deliver.digest import PAYLOAD, Collect, digest
from sparing.flow.deliver.payload import json_object
from sparing.model.box import Box
from sparing.model.subscription import Query
from sparing.model.window import TimeWindow

events = st.lists(st.dictionaries(st.sampled_from("xyz"), st.integers() | st.text(max_size=3)), max_size=6)


@given(events, st.integers(0, 6), st.sampled_from([None, (("a", "x"), ("z", "z"))]))
def test_a_digest_lists_events_in_order_however_it_was_put_together(found, cut, columns):
    payloads = np.array([json_object(event.items()) for event in found], dtype=object)
    collect = Collect(columns)
    state = collect.merge([collect.lift(payloads[:cut], 0), collect.lift(payloads[cut:], 0)])
    assert state == collect.lift(payloads, len(payloads))
    names = columns or [(name, name) for name in "xyz"]
    expected = [{name: event[field] for name, field in names if field in event} for event in found]
    assert json.loads(collect.finish(state)) == expected


def test_a_cycle_is_a_tumbling_window_that_needs_raw_publications():
    aggregation = digest(Query("t", Box(), (("a", "x"),), every=30))
    assert aggregation.window == TimeWindow(30, 30)
    assert not aggregation.decomposable
    assert [(o.name, o.function, o.field) for o in aggregation.outputs] == [("events", Collect((("a", "x"),)), PAYLOAD)]
