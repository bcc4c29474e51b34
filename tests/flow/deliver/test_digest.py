"""Digests: all events of a cycle in one notification."""

from sparing.flow.deliver.digest import digest
from sparing.model.box import Box
from sparing.model.subscription import Aggregation, Query
from sparing.model.topic import Topic
from sparing.model.types import INT, TIMESTAMP
from sparing.model.window import TimeWindow

TOPIC = Topic("t", "ts", {"x": INT, "ts": TIMESTAMP})


def test_a_cycle_is_a_tumbling_window_that_needs_raw_publications():
    found = digest(Query("t", Box(), (("a", "x"),), every=30), TOPIC)
    assert found == Aggregation((), TimeWindow(30, 30), (("a", "x"),))
    assert not found.decomposable
    assert found.fields == {"x"}


def test_a_digest_without_a_selection_has_all_fields():
    assert digest(Query("t", Box(), every=30), TOPIC).events == (("x", "x"), ("ts", "ts"))
