"""What differs between two versions of a deployment is named as the file names it."""

from __future__ import annotations

from copy import deepcopy

import pytest

from sparing.deployment.changes import followed, others
from sparing.deployment.deployment import Deployment

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
        ("watermark", "90 seconds", "watermark was 5 seconds and is 1 minute 30 seconds"),
        ("policy.decision", "wad", "policy.decision was adock and is wad"),
        ("bill.bucket", "1 hour", "bill.bucket was 1 minute and is 1 hour"),
        ("source.path", "/other", "source.path was /data and is /other"),
        ("source.maxFilesPerTrigger", 2, "source.maxFilesPerTrigger was 1 and is 2"),
        ("checkpoint", "/checkpoint", "checkpoint was not set and is /checkpoint"),
        ("topics.traffic.fields.lane", "bigint", "topics.traffic.fields.lane was int and is bigint"),
        ("topics.other", BASE["topics"]["traffic"], "topics.other was not set and is set"),
        ("name", "buses", "name was cars and is buses"),
    ],
)
def test_keys_are_named_with_both_values(key, value, told):
    old, new = Deployment.of(BASE), _changed(key, value)
    assert others(old, new) == told
    assert not followed(old, new)
    assert not others(old, old)


def test_secrets_are_not_shown():
    old, new = (_changed("sink", BASE["sink"] | {"kafka.sasl.jaas.config": word}) for word in ("before", "after"))
    assert others(old, new) == "sink.kafka.sasl.jaas.config has changed"


def test_many_changes_are_cut_short():
    policy = {
        "decision": "wad",
        "seed": 7,
        "covering": "none",
        "tree": "per-source",
        "matchmaker": "publish-everywhere",
    }
    assert others(Deployment.of(BASE), _changed("policy", policy)).endswith("; 2 more changes")


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("subscriptions", [], "0 subscriptions (1 gone)"),
        ("subscribers", [{"id": "u", "at": "b"}], "subscribers moved"),
        ("overlay.links", [["a", "b", {"delay": 5}]], "1 link (1 changed)"),
        ("publishers", [{"id": "q", "at": "a", "topic": "traffic"}], "1 publisher (1 new, 1 gone)"),
    ],
)
def test_what_is_followed_is_counted(key, value, told):
    old, new = Deployment.of(BASE), _changed(key, value)
    assert followed(old, new) == told
    assert not others(old, new)
