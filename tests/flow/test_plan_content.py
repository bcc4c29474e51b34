"""What workers are sent of a plan, and its fingerprint, depend on the plan's content alone."""

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import pytest

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.interests import Interests
from sparing.model.content import digest

REPORTS = {"time": "ts", "merge": {"key": ["id"], "within": "1 minute"}, "fields": {"ts": "timestamp", "id": "string"}}
WANTED = {
    "s1": "SELECT * FROM cars WHERE speed > 50",
    "s2": "SELECT * FROM cars WHERE speed > 40 AND road IN ('b', 'a', 'c')",
    "s3": "SELECT avg(speed) FROM cars GROUP BY window(ts, '10 seconds')",
    "s4": "SELECT count(*) FROM cars WHERE speed > 10 GROUP BY window(ts, '1 minute', '10 seconds')",
    "s5": "SELECT * FROM reports EVERY '10 seconds'",
}


def interests(**sql: str) -> Interests:
    """Of everything that a plan can have: top-k, windows, merged events, folds, leaves."""
    wanted = WANTED | sql
    found = Deployment.of(
        {
            "name": "content",
            "overlay": {"brokers": ["a", "b", "c"], "links": [["a", "b"], ["b", "c"]]},
            "topics": {
                "cars": {"time": "ts", "fields": {"ts": "timestamp", "speed": "double", "road": "string"}},
                "reports": REPORTS,
            },
            "publishers": [
                {"id": "p", "at": "a", "topic": "cars", "top_k": 1, "rank": {"fair": True}},
                {"id": "q", "at": "b", "topic": "cars"},
                {"id": "r", "at": "b", "topic": "reports"},
            ],
            "subscribers": [{"id": "alice", "at": ["b", "c"]}, {"id": "bob", "at": "c"}],
            "subscriptions": [
                {"id": id_, "subscriber": "alice" if id_ < "s3" else "bob", "sql": text}
                | ({"until": "2026-01-01T00:00:00Z"} if id_ == "s1" else {})
                for id_, text in wanted.items()
            ],
            "policy": {"folding": "mefa", "theta": 2, "trees": "ds"},
        }
    )
    return Interests.of(plan_of(found), known_groups={"s3": "cars/s3"})


def look_at_everything(value: object) -> list[str]:
    """Work out every cached property."""
    parts = [part for kind in type(value).__mro__ for part in vars(kind).items()]
    names = [name for name, part in parts if isinstance(part, cached_property)]
    for name in names:
        getattr(value, name)
    return names


def test_looking_at_a_plan_leaves_its_fingerprint_and_what_is_sent_as_they_were():
    found = interests()
    before, sent = digest(found), pickle.dumps(found)
    assert {"groups", "held_fields"} <= set(look_at_everything(found))
    assert digest(found) == before
    assert {"matching_sets", "weights", "_tables"} <= set(look_at_everything(found.plan))
    found.plan.table(0, 1)
    assert digest(found) == before
    assert pickle.dumps(found) == sent


def test_what_is_sent_has_the_same_content_and_can_work_out_the_rest():
    found = interests()
    look_at_everything(found.plan)
    copy = pickle.loads(pickle.dumps(found))
    assert digest(copy) == digest(found)
    assert copy.named_groups == found.named_groups
    assert len(copy.plan.matching_sets) == len(found.plan.matching_sets)


@pytest.mark.parametrize("seed", ["1", "2"])
def test_every_process_finds_the_same_fingerprint(seed):
    command = "from tests.flow.test_plan_content import *; print(digest(interests()))"
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    told = subprocess.run(
        [sys.executable, "-c", command],
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == digest(interests())


def test_another_subscription_policy_or_broker_is_another_content():
    found = interests()
    assert digest(interests(s2="SELECT * FROM cars WHERE speed > 41 AND road IN ('b', 'a', 'c')")) != digest(found)
    assert digest(interests(s6="SELECT * FROM cars WHERE speed > 41")) != digest(found)
    assert digest(replace(found, plan=found.plan.with_policy(seed=1))) != digest(found)
    moved = found.plan.broker_of.copy()
    moved[0] = (moved[0] + 1) % 3
    assert digest(replace(found, plan=replace(found.plan, broker_of=moved))) != digest(found)
