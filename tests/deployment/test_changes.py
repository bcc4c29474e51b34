"""What differs between two versions of a deployment is named as the file names it."""

from __future__ import annotations

from copy import deepcopy

import pytest

from sparing.deployment.changes import followed, others
from sparing.deployment.deployment import Deployment
from tests.messages import missing

BASE = {
    "name": "cars",
    "overlay": {"brokers": ["a", "b"], "links": [["a", "b"]]},
    "topics": {"traffic": {"time": "ts", "fields": {"lane": "int", "ts": "timestamp"}}},
    "publishers": [{"id": "p", "at": "a", "topic": "traffic"}],
    "subscribers": [{"id": "u", "at": ["a", "b"]}],
    "subscriptions": [{"id": "s", "subscriber": "u", "sql": "SELECT * FROM traffic"}],
    "source": {"format": "json", "path": "/data", "maxFilesPerTrigger": 1},
    "sink": {"format": "json", "path": "/out"},
    "watermark": "5 seconds",
}


def _changed(path: str, value: object) -> Deployment:
    what = deepcopy(BASE)
    *above, last = path.split(".")
    inner = what
    for key in above:
        inner = inner.setdefault(key, {})
    inner[last] = value
    return Deployment.of(what)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("watermark", "90 seconds", "watermark 5 seconds 1 minute 30"),
        ("policy.decision", "wad", "policy.decision adock wad"),
        ("bill.bucket", "1 hour", "bill.bucket 1 minute hour"),
        ("source.path", "/other", "source.path /data /other"),
        ("source.maxFilesPerTrigger", 2, "source.maxFilesPerTrigger 1 2"),
        ("checkpoint", "/checkpoint", "checkpoint /checkpoint"),
        ("topics.traffic.fields.lane", "bigint", "topics.traffic.fields.lane int bigint"),
        ("topics.other", BASE["topics"]["traffic"], "topics.other"),
        ("name", "buses", "name cars buses"),
    ],
)
def test_keys_are_named_with_both_values(key, value, told):
    old, new = Deployment.of(BASE), _changed(key, value)
    assert missing(others(old, new), told) == []
    assert not followed(old, new)
    assert not others(old, old)


def test_secrets_are_not_shown():
    old, new = (_changed("sink", BASE["sink"] | {"kafka.sasl.jaas.config": word}) for word in ("before", "after"))
    assert missing(others(old, new), "sink.kafka.sasl.jaas.config before after") == ["before", "after"]


def test_many_changes_are_cut_short():
    policy = {
        "decision": "wad",
        "seed": 7,
        "covering": "none",
        "tree": "per-source",
        "matchmaker": "publish-everywhere",
    }
    assert others(Deployment.of(BASE), _changed("policy", policy)).split("; ")[-1].startswith("2 ")


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("subscriptions", [], "0 subscriptions 1 gone"),
        ("subscribers", [{"id": "u", "at": "b"}], "subscribers"),
        ("overlay.links", [["a", "b", {"delay": 5}]], "1 link changed"),
        ("publishers", [{"id": "q", "at": "a", "topic": "traffic"}], "1 publisher new gone"),
    ],
)
def test_what_is_followed_is_counted(key, value, told):
    old, new = Deployment.of(BASE), _changed(key, value)
    assert missing(followed(old, new), told) == []
    assert not others(old, new)
