"""Every mistake is one message at its line: an edit of a right file, and the words that the message must have."""

from pathlib import Path

import pytest

from sparing.deployment.deployment import Deployment
from sparing.deployment.mistakes import DeploymentError
from sparing.deployment.planning import plan_of
from sparing.model.errors import SparingError
from tests.deployment.examples import TORONTO, toronto
from tests.messages import missing

LONG = "36526 days"
SHAPE = [
    ("name: toronto\n", "nam: toronto\n", 1, "nam deployment name"),
    ("name: toronto\n", "name: [toronto]\n", 1, "name deployment [toronto]"),
    ("name: toronto\n", "name: 1.5\n", 1, "name deployment 1.5"),
    ("name: toronto\n", "name: ''\n", 1, "name deployment ''"),
    ("[c1, c2, e1, e2, e3]", "[]", 3, "brokers overlay []"),
    ("  brokers: [c1, c2, e1, e2, e3]\n", "", 2, "overlay brokers"),
    ("[c1, c2, e1,", "[c1, c2, true,", 3, "brokers[2] overlay true"),
    ("brokers: [", "brokerz: [", 3, "brokerz overlay brokers"),
    ("[c1, e1]", "[c1]", 4, "links[1] overlay delay [c1]"),
    ("[c1, e1]", "[c1, e1, 5]", 4, "links[1][2] overlay delay 5"),
    ("delay: 5", "dely: 5", 4, "dely link delay"),
    ("delay: 5", "delay: 0", 4, "delay link 0"),
    ("delay: 5", "delay: .inf", 4, "delay link inf"),
    ("delay: 5", "delay: '5'", 4, "delay link 5"),
    ("traffic: {time: ts, ", "traffic: {", 6, "topic time"),
    ("{time: ts, fields: {road", "{time: ts, merge: x, fields: {road", 6, "merge topic key within"),
    ("road: string", "road: [string]", 6, "fields.road topic [string]"),
    ("lane: int", "lane: decimal(4,2)", 6, "fields.2) topic null decimal(10,2)"),
    ("at: e1, topic: traffic", "at: [e1, e2], topic: traffic", 9, "at publisher [e1 e2]"),
    *(
        (
            "topic: traffic, where",
            f"topic: traffic, top_k: {wrong}, where",
            9,
            f"top_k publisher 1 {shown}",
        )
        for wrong, shown in [("0", "0"), ("2.5", "2.5"), ("true", "true"), ("'5'", "'5'"), ("[5]", "")]
    ),
    ("topic: traffic, where", "topic: traffic, topk: 5, where", 9, "topk publisher top_k"),
    ("topic: traffic, where", "topic: traffic, top_k: 5, rank: 7, where", 9, "rank publisher 7"),
    ("topic: traffic, where", "topic: traffic, top_k: 5, rank: {by: [area]}, where", 9, "by rank [area]"),
    ("topic: traffic, where", "topic: traffic, top_k: 5, rank: {by: area, fare: true}, where", 9, "fare rank fair"),
    ("topic: traffic, where", "topic: traffic, top_k: 5, rank: {fair: exactly}, where", 9, "fair rank exactly"),
    ("until: null", "attributes: [5]", 16, "attributes subscription"),
    *(
        (
            "until: null",
            f"attributes: {{weight: {wrong}}}",
            16,
            f"attributes.weight subscription {shown}",
        )
        for wrong, shown in [
            ("[5]", ""),
            (".nan", "nan"),
            ("-.inf", "-inf"),
            (f"1{'0' * 400}", ""),
        ]
    ),
    ('where: "', 'wehre: "', 9, "wehre publisher where"),
    ("at: [e2, e3]", "at: []", 13, "at subscriber []"),
    ("at: [e2, e3]", "at: null", 13, "at subscriber null"),
    ("2026-01-01T00:00:00Z", "yesterday", 16, "from subscription 2026-01-31T12:00:00Z yesterday"),
    ("2026-01-01T00:00:00Z", "2026-13-01", 16, "from subscription 2026-01-31T12:00:00Z 2026-13-01"),
    *(
        (
            "2026-01-01T00:00:00Z",
            f"{quote}{text}{quote}",  # a time that has no place in UTC
            16,
            f"from subscription 2026-01-31T12:00:00Z {text}",
        )
        for text in ("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00")
        for quote in ("", '"')
    ),
    ("subscriber: bob, ", "", 16, "subscription subscriber"),
    ("{format: json, path: data/}", "{path: data/}", 17, "source format"),
    ("path: data/", "path: data/, header: [a]", 17, "header source [a]"),
    ("trees: do", "trees: dss", 19, "dss trees ds"),
    ("trees: do", "folding: meffa", 19, "meffa folding mefa"),
    ("trees: do", "folding: mefa, theta: a lot", 19, "theta policy 0"),
    ("trees: do", "folding: mefa, theta: 2.5", 19, "theta policy 0 2.5"),
    ("trees: do", "folding: mefa, rate: 0", 19, "rate policy 0"),
    ("trees: do", "trees: ds, gamma: -1", 19, "gamma policy 0 -1"),
    ("subscriber-edge", "subscriber-ege", 19, "subscriber-ege decision subscriber-edge"),
    (
        "decision: subscriber-edge",
        "decision: oracle",
        19,
        "oracle decision adock patience wad wad-live bat static publisher-edge subscriber-edge",
    ),
    ("decision: subscriber-edge", "decision: patience, patience: 2", 19, "patience policy 10 seconds 2"),
    ("tree: shared", "tree: 5", 19, "tree policy shared per-source 5"),
    ("tree: shared", "tree: shared, tides: x", 19, "tides policy trees gamma tree matchmaker"),
    ("tree: shared", "tree: shared, events: x", 19, "x events caeva agele siena"),
    *(
        (
            "tree: shared",
            f"tree: shared, placement: {wrong}",
            19,
            f"placement policy adaptive replay 0 {shown}",
        )
        for wrong, shown in [("-1", "-1"), ("literal", "'literal'"), ("true", "true"), ("1.5", "1.5")]
    ),
    ("tree: shared", "tree: shared, active_aggregators: 0", 19, "active_aggregators policy 1 0"),
    ("tree: shared", "tree: shared, lanes: 4", 19, "lanes policy partitions rename"),
    ("tree: shared", "tree: shared, partitions: 1025", 19, "partitions policy 1 1024 1025"),
    ("{time: ts, fields: {id", "{time: ts, merge: {key: id}, fields: {id", 7, "merge within"),
    ("{time: ts, fields: {id", "{time: ts, merge: {key: [], within: 1 minute}, fields: {id", 7, "key merge []"),
    (
        "{time: ts, fields: {id",
        "{time: ts, merge: {key: id, within: 1 minute, compare: names}, fields: {id",
        7,
        "names compare name",
    ),
    ("watermark: 30 seconds", "outages: [{broker: c1}]", 20, "outage from"),
    ("watermark: 30 seconds", "outages: [{broker: c1, from: noon}]", 20, "from outage 2026-01-31T12:00:00Z noon"),
    ("tree: shared", "tree: shared, covering: ancestors", 19, "ancestors covering ancestor"),
    (
        "tree: shared",
        "tree: shared, matchmaker: cheapest",
        19,
        "cheapest matchmaker min-cost publish-everywhere subscribe-everywhere",
    ),
    ("delay: 5", "weight: 0", 4, "weight link 1 1000000 0"),
    ("delay: 5", "weight: 1.5", 4, "weight link 1 1000000 1.5"),
    ("tree: shared", "tree: shared, seed: -1", 19, "seed policy 0 -1"),
    ("30 seconds", "30", 20, "watermark deployment 10 seconds 30"),
    ("{bucket: 5 minutes}", "5 minutes", 21, "bill deployment 5 minutes"),
]

MERGED = "{time: ts, fields: {id"  # what stands before a topic's merge is put in


def merged(merge: str) -> str:
    return MERGED.replace("time: ts", f"time: ts, merge: {merge}")


MEANING = [
    (MERGED, merged("{key: idd, within: 1 minute}"), 7, "incidents idd id"),
    (MERGED, merged("{key: [id, ts], within: 1 minute}"), 7, "ts incidents"),
    (MERGED, merged("{key: [id, severity, id], within: 1 minute}"), 7, "incidents"),
    (MERGED, merged("{key: id, within: 0 seconds}"), 7, "0 seconds within"),
    (MERGED, merged("{key: id, within: 1 minute, cycle: 0 minutes}"), 7, "0 minutes cycle"),
    ('speed < 20"}', 'speed < 20", urgent: speed < 5}', 15, "s1 urgent EVERY"),
    (
        'speed < 20"}',
        "speed < 20 EVERY '1 minute'\", urgent: sped < 5}",
        15,
        ("s1 traffic sped speed < 5 ^^^^"),
    ),
    *(
        (
            "decision: subscriber-edge",
            f"decision: subscriber-edge, events: {events}, {key}: 1",
            19,
            f"events {events} {key} caeva",
        )
        for events in ("agele", "siena")
        for key in ("placement", "active_aggregators")
    ),
    ("watermark: 30 seconds", "outages: [{broker: c22, from: 2026-01-01}]", 20, "c22 broker c2"),
    ("watermark: 30 seconds", "outages: [{broker: c2, from: 2026-01-02, until: 2026-01-01}]", 20, "c2 until from"),
    ("trees: do", "theta: 3", 19, "theta folding mefa"),
    ("trees: do", "gamma: 3", 19, "gamma trees ds"),
    ("topic: traffic, where", "topic: traffic, rank: area, where", 9, "p1 rank top_k"),
    ("topic: traffic, where", "topic: traffic, top_k: 5, rank: sped * 2, where", 9, "p1 traffic sped speed * 2 ^^^^"),
    (
        "topic: traffic, where",
        "topic: traffic, top_k: 5, rank: {by: subscription.weight}, where",
        9,
        "p1 traffic weight subscription.weight ^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "until: null}",
        "attributes: {w: a}}\n  - {id: s3, subscriber: bob, sql: SELECT * FROM incidents, attributes: {w: 5}}",
        17,
        "w s3 s2",
    ),
    (
        "until: null}",
        "attributes: {w: true}}\n  - {id: s3, subscriber: bob, sql: SELECT * FROM incidents, attributes: {W: true}}",
        17,
        "W s3 w s2",
    ),
    ("e2, e3]\n  links", "e2, e3, c1]\n  links", 3, "c1 {path}:3"),
    ("[c1, e1]", "[c1, e11]", 4, "c1 e11 broker e1"),
    ("[c1, e1]", "[c1, c1], [c1, e1]", 4, "c1 - c1"),
    ("[c1, e1]", "[c2, c1], [c1, e1]", 4, "c2 c1"),
    ("{time: ts, fields: {road", "{time: tz, fields: {road", 6, "traffic tz road lane speed ts"),
    ("{time: ts, fields: {road", "{time: lane, fields: {road", 6, "lane traffic int"),
    ("lane: int", "lane: 'decimal(40,2)'", 6, "lane traffic decimal(40,2) 1 18"),
    ("lane: int", "lane: int, Lane: int", 6, "Lane traffic lane"),
    ("severity: int", "SPEED: int", 7, "SPEED incidents speed traffic"),
    ("severity: int", "lane: long", 7, "lane incidents bigint int traffic"),
    ("severity: int", "Topic: int", 7, "Topic incidents"),
    ("severity: int", "publisher: int", 7, "publisher incidents"),
    ("severity: int", "a b: int", 7, "a b _"),
    ("  incidents: {time", '  "\\ttraffic": {time: ts, fields: {ts: timestamp}}\n  incidents: {time', 7, "\\ttraffic"),
    (
        "  incidents: {time",
        "  Traffic: {time: ts, fields: {ts: timestamp}}\n  incidents: {time",
        7,
        "Traffic traffic SQL",
    ),
    ("at: e1, topic: traffic", "at: e9, topic: traffic", 9, "p1 broker e9 c1 c2 e1 e2 e3"),
    ("topic: traffic,", "topic: trafic,", 9, "p1 topic trafic traffic"),
    ("at: e1, topic: incidents", "at: e2, topic: traffic", 10, "p1 traffic {path}:9"),
    ('where: "road', 'where: "roads', 9, "p1 traffic roads road = 401 ^^^^^"),
    ("  - {id: bob", "  - {id: alice, at: e1}\n  - {id: bob", 13, "alice {path}:12"),
    ("at: [e2, e3]", "at: [e2, e33]", 13, "bob broker e33 e3"),
    ("at: [e2, e3]", "at: [e2, e2]", 13, "bob"),
    ("id: s2", "id: s1", 16, "s1 {path}:15"),
    ("subscriber: alice", "subscriber: alise", 15, "s1 subscriber alise alice"),
    ("until: null", "until: 2026-01-01", 16, "s2 until from"),
    ("WHERE speed", "WHERE sped", 15, "s1 traffic sped speed SELECT * FROM WHERE < 20 ^^^^"),
    ("{format: json, path: data/}", "{format: json}", 17, "source path json"),
    ("{format: json, path: data/}", "{format: kafka}", 17, "source servers topic kafka"),
    ("{format: json, path: data/}", "{format: kafka, servers: h, topic: t, path: x}", 17, "source kafka path"),
    (
        "{format: json, path: data/}",
        "{format: kafka, servers: h, topic: t, subscribe: x}",
        17,
        "subscribe topic source",
    ),
    *(
        (
            "format: parquet",
            f"format: {name}",
            18,
            f"{name} sink VARIANT json parquet kafka",
        )
        for name in ("csv", "CSV", "orc", "text")
    ),
    ("format: parquet", "format: rate", 18, "rate sink json parquet kafka"),
    ("30 seconds", "30 secnds", 20, "secnds seconds 30 ^^^^^^"),
    ("30 seconds", "-1 seconds", 20, "-1 seconds watermark"),
    ("5 minutes", "0 minutes", 21, "0 minutes bucket"),
    *(
        (
            wrong[0],
            wrong[1],
            wrong[2],
            f"{LONG} {wrong[3]} 36525",
        )
        for wrong in [("30 seconds", LONG, 20, "watermark"), ("5 minutes", LONG, 21, "bucket")]
    ),
    ("name: toronto\n", "name: toronto\nahead: -1 second\n", 2, "-1 second ahead"),
    ("name: toronto\n", "name: toronto\nahead: 5\n", 2, "ahead deployment 10 minutes 5"),
    ("name: toronto\n", "name: toronto\nlimits: {row_bytes: 10}\n", 2, "row_bytes limits 1000 10"),
    ("name: toronto\n", "name: toronto\nlimits: {windows_per_event: 1.5}\n", 2, "windows_per_event limits 1 1.5"),
    ("name: toronto\n", "name: toronto\nlimits: {row_byte: 10000}\n", 2, "row_byte limits row_bytes"),
    ("traffic: {time: ts, ", "traffic: {time: {field: tz}, ", 6, "traffic tz road lane speed ts"),
    ("traffic: {time: ts, ", "traffic: {time: {field: ts, unit: m}, ", 6, "m unit ms"),
    ("traffic: {time: ts, ", "traffic: {time: 5, ", 6, "time topic field 5"),
    ("traffic: {time: ts, ", "traffic: {time: {field: ts, unit: ms}, ", 6, "ts ms traffic incidents"),
    (
        "SELECT * FROM traffic WHERE speed < 20",
        "SELECT count(*) FROM traffic GROUP BY window(ts, '1 day', '1 microsecond')",
        15,
        "s1 86,400,000,000 limits.windows_per_event 1,000",
    ),
    (
        "SELECT * FROM traffic WHERE speed < 20",
        "SELECT count(*) FROM traffic GROUP BY window(ts, '1001 seconds', '1 second')",
        15,
        "s1 1,001 limits.windows_per_event 1,000",
    ),
    ("decision: subscriber-edge", "decision: wad, patience: 2 seconds", 19, "wad patience decision"),
    ("decision: subscriber-edge", "decision: patience, patience: 0 seconds", 19, "0 seconds patience"),
    ("[c2, e3, {delay: 5}]", "[e2, c1]", 15, "s1 p1 e1 e3 alice"),
]


@pytest.mark.parametrize(("right", "wrong", "line", "parts"), SHAPE + MEANING)
def test_a_mistake_is_told_in_one_message_at_its_line(tmp_path: Path, right, wrong, line, parts):
    assert right in TORONTO
    path = tmp_path / "toronto.yaml"
    path.write_text(TORONTO.replace(right, wrong, 1))
    with pytest.raises(DeploymentError) as caught:
        Deployment.read(path)
    (mistake,) = caught.value.mistakes
    place, message = mistake.message.split(": ", 1)
    assert place == f"{path}:{line}"
    assert missing(message, parts.replace("{path}", str(path))) == []


def on_merged_topic(**changes) -> dict:
    """The right description with a merged topic, and something else changed."""
    description = toronto() | changes
    description["topics"]["incidents"]["merge"] = {"key": "id", "within": "1 minute", "cycle": "10 seconds"}
    return description


def test_a_cycle_is_a_multiple_of_the_topics():
    wish = {"id": "s2", "subscriber": "bob", "sql": "SELECT * FROM incidents EVERY '25 seconds'"}
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(on_merged_topic(subscriptions=[wish]))
    assert missing(str(caught.value), "subscriptions[0].sql: s2 10 seconds incidents") == []
    for cycle in ("0 seconds", "10 seconds", "1 minute"):
        sql = f"SELECT * FROM incidents EVERY '{cycle}'"
        assert Deployment.of(on_merged_topic(subscriptions=[wish | {"sql": sql}])).subscriptions


def test_the_k_best_are_not_for_merged_topics():
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(on_merged_topic(publishers=[{"id": "p1", "at": "e1", "topic": "incidents", "top_k": 2}]))
    assert missing(str(caught.value), "publishers[0].top_k: p1 top_k incidents") == []


def test_not_every_aggregator_may_be_down_at_once():
    """Who is on the tree of a topic, and so can merge its events, is known when there is a plan."""
    days = {"e1": 1, "c1": 2, "c2": 3, "e3": 4, "e2": 5}
    outages = [{"broker": broker, "from": f"2026-01-0{day}"} for broker, day in days.items()]
    description = on_merged_topic(outages=outages)
    description["subscribers"] = [{"id": "alice", "at": "e3"}, {"id": "bob", "at": "e3"}]
    with pytest.raises(SparingError) as caught:
        plan_of(Deployment.of(description))
    assert missing(str(caught.value), "outage e3 incidents c1 c2 e1") == []
    assert missing(str(caught.value), "e2") == ["e2"]
    outages[0]["until"] = "2026-01-04"  # e1 is back by then
    assert plan_of(Deployment.of(description)).outages


def test_candidates_in_two_parts_cannot_serve_publishers_in_both():
    description = toronto()
    description["overlay"]["links"].pop()  # e3 is on its own now
    description["subscribers"] = [{"id": "bob", "at": ["e2", "e3"]}]
    description["subscriptions"] = [{"id": "s", "subscriber": "bob", "sql": "SELECT * FROM incidents"}]
    description["publishers"].append({"id": "p2", "at": "e3", "topic": "incidents"})
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(description)
    assert missing(str(caught.value), "subscriptions[0]: bob p1 e1 p2 e3 s e2 link") == []


def test_mistakes_come_in_the_order_of_lines_and_only_the_first_are_shown(tmp_path):
    path = tmp_path / "toronto.yaml"
    wrong = "".join(f'  - {{id: x{n}, subscriber: nobody{n}, sql: "SELECT * FROM traffic"}}\n' for n in range(30))
    text = TORONTO.replace("source:", wrong + "source:").replace("[c1, e1]", "[c1, x]").replace("5 minutes", "5")
    path.write_text(text.replace("bucket: 5", "bucket: 0 seconds"))
    with pytest.raises(DeploymentError) as caught:
        Deployment.read(path)
    lines = str(caught.value).splitlines()
    assert len(caught.value.mistakes) == 32
    assert len(lines) == 21
    assert lines[0].startswith(f"{path}:4: ")
    assert [line.split(":")[1] for line in lines[1:20]] == [str(17 + n) for n in range(19)]
    assert missing(lines[20], "12") == []


def test_without_a_file_the_place_is_a_path_of_keys():
    description = toronto()
    description["subscribers"][1]["at"] = ["e2", "e33"]
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(description)
    assert str(caught.value).startswith("subscribers[1].at: ")
    assert missing(str(caught.value), "bob e33 e3") == []


def test_a_topic_with_a_mistake_is_the_only_one_told_about(tmp_path):
    description = toronto()
    description["topics"]["traffic"]["fields"]["speed"] = "dubble"
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(description)
    assert [mistake.place.label for mistake in caught.value.mistakes] == ["topics.traffic.fields.speed"]
