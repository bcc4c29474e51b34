"""The deployment that the tests start from, as text and as a mapping."""

from __future__ import annotations

from typing import Any

TORONTO = """\
name: toronto
overlay:
  brokers: [c1, c2, e1, e2, e3]
  links: [[c1, c2], [c1, e1], [c2, e2], [c2, e3, {delay: 5}]]
topics:
  traffic: {time: ts, fields: {road: string, lane: int, speed: double, ts: timestamp}}
  incidents: {time: ts, fields: {id: string, severity: int, ts: timestamp}}
publishers:
  - {id: p1, at: e1, topic: traffic, where: "road = '401'"}
  - {id: p1, at: e1, topic: incidents}
subscribers:
  - {id: alice, at: e3}
  - {id: bob, at: [e2, e3]}
subscriptions:
  - {id: s1, subscriber: alice, sql: "SELECT * FROM traffic WHERE speed < 20"}
  - {id: s2, subscriber: bob, sql: "SELECT * FROM incidents", from: 2026-01-01T00:00:00Z, until: null}
source: {format: json, path: data/}
sink: {format: parquet, path: out/}
policy: {trees: do, tree: shared, decision: subscriber-edge}
watermark: 30 seconds
bill: {bucket: 5 minutes}
checkpoint: state
"""


def toronto() -> dict[str, Any]:
    """The same as a mapping, new each time."""
    return {
        "name": "toronto",
        "overlay": {
            "brokers": ["c1", "c2", "e1", "e2", "e3"],
            "links": [["c1", "c2"], ["c1", "e1"], ["c2", "e2"], ["c2", "e3", {"delay": 5}]],
        },
        "topics": {
            "traffic": {
                "time": "ts",
                "fields": {"road": "string", "lane": "int", "speed": "double", "ts": "timestamp"},
            },
            "incidents": {"time": "ts", "fields": {"id": "string", "severity": "int", "ts": "timestamp"}},
        },
        "publishers": [
            {"id": "p1", "at": "e1", "topic": "traffic", "where": "road = '401'"},
            {"id": "p1", "at": "e1", "topic": "incidents"},
        ],
        "subscribers": [{"id": "alice", "at": "e3"}, {"id": "bob", "at": ["e2", "e3"]}],
        "subscriptions": [
            {"id": "s1", "subscriber": "alice", "sql": "SELECT * FROM traffic WHERE speed < 20"},
            {
                "id": "s2",
                "subscriber": "bob",
                "sql": "SELECT * FROM incidents",
                "from": "2026-01-01T00:00:00Z",
                "until": None,
            },
        ],
        "source": {"format": "json", "path": "data/"},
        "sink": {"format": "parquet", "path": "out/"},
        "policy": {"trees": "do", "tree": "shared", "decision": "subscriber-edge"},
        "watermark": "30 seconds",
        "bill": {"bucket": "5 minutes"},
        "checkpoint": "state",
    }
