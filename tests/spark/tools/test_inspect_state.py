"""Packed states in words. No Spark session is needed for that; what a whole checkpoint holds is in test_inspect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sparing.flow.interests import group_name
from sparing.model.box import Box
from sparing.model.subscription import Query, Subscription
from sparing.model.types import BEGINNING
from sparing.spark.pipeline.states import store_state
from sparing.spark.tools.inspect_state import CheckpointContext, key_state
from tests.flow.links.known import BAT, PUBLISHER_EDGE
from tests.judges.overlay import Publication
from tests.spark.pipeline.test_states import GROUP, advance, worker_plan

BROKERS = ("a", "b", "c")
DIGEST = Subscription("s", "C", Query("t", Box(), every=10))


def test_subscriptions_go_by_the_ids_that_they_had():
    found = worker_plan([replace(DIGEST, id="r"), DIGEST], PUBLISHER_EDGE)
    state, _ = advance(found, None, [Publication("p", 3, "a", x=1), Publication("q", 7, "a", x=1)], 5, BEGINNING)
    packed = store_state(found, "the plan", state)
    without = key_state(GROUP, packed, CheckpointContext(BROKERS))
    assert (without.plan, without.packed_bytes, without.topic) == ("the plan", len(packed), "t")
    assert (without.publications, without.not_yet) == (2, 1)
    assert [(w.subscription, w.start, w.end, w.publications, w.ahead) for w in without.windows] == [
        ("r", None, 10, 1, 0),
        ("s", None, 10, 1, 0),
    ]
    assert without.ahead == {"r": 1, "s": 1}
    # Of two subscriptions, the deployment has one left: all the same, nothing that waits is kept quiet about.
    after = key_state(GROUP, packed, CheckpointContext(BROKERS, {"r": "b"}, worker_plan([DIGEST], PUBLISHER_EDGE)))
    assert [(w.subscription, w.start, w.digest, w.ahead) for w in after.windows] == [
        ("r", None, None, 0),
        ("s", 0, True, 1),
    ]
    assert after.ahead == {"r": 1}
    assert [window.at for window in after.windows] == [("b",), ("its subscriber's broker",)]


def test_brokers_with_modes_are_named():
    found = worker_plan([DIGEST], BAT)
    state, _ = advance(found, None, [Publication("p", 3, "a", x=1)], 5, BEGINNING)
    assert state.modes is not None
    modes = replace(state.modes, forwards=np.array([False, True, True]))
    packed = store_state(found, "the plan", replace(state, modes=modes))
    assert key_state(GROUP, packed, CheckpointContext(BROKERS)).forwards == ("b", "c")


def test_a_topic_may_have_a_slash_in_its_name():
    found = worker_plan([DIGEST], PUBLISHER_EDGE)
    state, _ = advance(found, None, [Publication("p", 3, "a", x=1)], 5, BEGINNING)
    packed = store_state(found, "the plan", state)
    assert key_state(group_name("rail/north", "s"), packed, CheckpointContext(BROKERS)).topic == "rail/north"
