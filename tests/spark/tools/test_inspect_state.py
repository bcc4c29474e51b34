"""Descriptions of packed states. No Spark session is needed; `test_inspect` tests whole checkpoints."""

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


def test_state_of_removed_subscriptions_is_shown_by_id():
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
    # The deployment has only one of the two subscriptions left; the state of both is shown.
    after = key_state(GROUP, packed, CheckpointContext(BROKERS, worker_plan([DIGEST], PUBLISHER_EDGE)))
    assert [(w.subscription, w.start, w.digest, w.ahead) for w in after.windows] == [
        ("r", None, None, 0),
        ("s", 0, True, 1),
    ]
    assert after.ahead == {"r": 1}
    assert [window.at for window in after.windows] == [("c",), ("c",)]


def test_forwarding_brokers_are_shown_by_name():
    found = worker_plan([DIGEST], BAT)
    state, _ = advance(found, None, [Publication("p", 3, "a", x=1)], 5, BEGINNING)
    assert state.modes is not None
    modes = replace(state.modes, forwards=np.array([False, True, True]))
    packed = store_state(found, "the plan", replace(state, modes=modes))
    assert key_state(GROUP, packed, CheckpointContext(BROKERS)).forwards == ("b", "c")


def test_the_name_of_a_topic_may_contain_a_slash():
    found = worker_plan([DIGEST], PUBLISHER_EDGE)
    state, _ = advance(found, None, [Publication("p", 3, "a", x=1)], 5, BEGINNING)
    packed = store_state(found, "the plan", state)
    assert key_state(group_name("rail/north", "s"), packed, CheckpointContext(BROKERS)).topic == "rail/north"
