"""Every mistake is one sentence at its line: an edit of a right file, and what is said about it."""

from pathlib import Path

import pytest

from sparing.deployment.deployment import Deployment
from sparing.deployment.mistakes import DeploymentError
from sparing.deployment.planning import plan_of
from sparing.model.errors import SparingError
from tests.deployment.examples import TORONTO, toronto

LONG = "36526 days"
KEYS = "the keys are trees, gamma, tree, matchmaker, decision, patience, covering, folding, ... (17 in all)."
SHAPE = [
    ("name: toronto\n", "nam: toronto\n", 1, "'nam' is not a key of a deployment: did you mean 'name'?"),
    ("name: toronto\n", "name: [toronto]\n", 1, "'name' of a deployment must be text, not [toronto]."),
    ("name: toronto\n", "name: 1.5\n", 1, "'name' of a deployment must be text, not 1.5: put it in quotes."),
    ("name: toronto\n", "name: ''\n", 1, "'name' of a deployment must be text, not ''."),
    ("[c1, c2, e1, e2, e3]", "[]", 3, "'brokers' of the overlay must be a list with at least one broker, not []."),
    ("  brokers: [c1, c2, e1, e2, e3]\n", "", 2, "The overlay needs the key 'brokers'."),
    ("[c1, c2, e1,", "[c1, c2, true,", 3, "'brokers[2]' of the overlay must be text, not true: put it in quotes."),
    ("brokers: [", "brokerz: [", 3, "'brokerz' is not a key of the overlay: did you mean 'brokers'?"),
    (
        "[c1, e1]",
        "[c1]",
        4,
        "'links[1]' of the overlay must be [broker, broker] or [broker, broker, {delay: number}], not [c1].",
    ),
    ("[c1, e1]", "[c1, e1, 5]", 4, "'links[1][2]' of the overlay must be a mapping such as {delay: 5}, not 5."),
    ("delay: 5", "dely: 5", 4, "'dely' is not a key of a link: did you mean 'delay'?"),
    ("delay: 5", "delay: 0", 4, "'delay' of a link must be a number above zero, not 0."),
    ("delay: 5", "delay: .inf", 4, "'delay' of a link must be a number above zero, not inf."),
    ("delay: 5", "delay: '5'", 4, "'delay' of a link must be a number above zero, not '5'."),
    ("traffic: {time: ts, ", "traffic: {", 6, "A topic needs the key 'time'."),
    (
        "{time: ts, fields: {road",
        "{time: ts, merge: x, fields: {road",
        6,
        "'merge' of a topic must be a mapping with the keys key and within, not 'x'.",
    ),
    ("road: string", "road: [string]", 6, "'fields.road' of a topic must be text, not [string]."),
    (
        "lane: int",
        "lane: decimal(4,2)",
        6,
        "'fields.2)' of a topic must be text, not null: put a type with a comma, 'decimal(10,2)', in quotes.",
    ),
    ("at: e1, topic: traffic", "at: [e1, e2], topic: traffic", 9, "'at' of a publisher must be text, not [e1, e2]."),
    *(
        (
            "topic: traffic, where",
            f"topic: traffic, top_k: {wrong}, where",
            9,
            f"'top_k' of a publisher must be a whole number, 1 or more, not {shown}.",
        )
        for wrong, shown in [("0", "0"), ("2.5", "2.5"), ("true", "true"), ("'5'", "'5'"), ("[5]", "a list")]
    ),
    (
        "topic: traffic, where",
        "topic: traffic, topk: 5, where",
        9,
        "'topk' is not a key of a publisher: did you mean 'top_k'?",
    ),
    (
        "topic: traffic, where",
        "topic: traffic, top_k: 5, rank: 7, where",
        9,
        "'rank' of a publisher must be text such as area, or a mapping with the keys by and fair, not 7.",
    ),
    (
        "topic: traffic, where",
        "topic: traffic, top_k: 5, rank: {by: [area]}, where",
        9,
        "'by' of a rank must be text, not [area].",
    ),
    (
        "topic: traffic, where",
        "topic: traffic, top_k: 5, rank: {by: area, fare: true}, where",
        9,
        "'fare' is not a key of a rank: did you mean 'fair'?",
    ),
    (
        "topic: traffic, where",
        "topic: traffic, top_k: 5, rank: {fair: exactly}, where",
        9,
        "'fair' of a rank must be true, false or exact, not 'exactly'.",
    ),
    (
        "until: null",
        "attributes: [5]",
        16,
        "'attributes' of a subscription must be a mapping of names to numbers, text or booleans, not a list.",
    ),
    *(
        (
            "until: null",
            f"attributes: {{weight: {wrong}}}",
            16,
            f"'attributes.weight' of a subscription must be a number, text or a boolean, not {shown}.",
        )
        for wrong, shown in [
            ("[5]", "a list"),
            (".nan", "nan"),
            ("-.inf", "-inf"),
            (f"1{'0' * 400}", "so large a number"),
        ]
    ),
    ('where: "', 'wehre: "', 9, "'wehre' is not a key of a publisher: did you mean 'where'?"),
    ("at: [e2, e3]", "at: []", 13, "'at' of a subscriber must be the name of a broker or a list of them, not []."),
    ("at: [e2, e3]", "at: null", 13, "'at' of a subscriber must be the name of a broker or a list of them, not null."),
    (
        "2026-01-01T00:00:00Z",
        "yesterday",
        16,
        "'from' of a subscription must be a timestamp such as 2026-01-31T12:00:00Z, or null, not 'yesterday'.",
    ),
    (
        "2026-01-01T00:00:00Z",
        "2026-13-01",
        16,
        "'from' of a subscription must be a timestamp such as 2026-01-31T12:00:00Z, or null, not '2026-13-01'.",
    ),
    *(
        (
            "2026-01-01T00:00:00Z",
            f"{quote}{text}{quote}",  # a time that has no place in UTC
            16,
            f"'from' of a subscription must be a timestamp such as 2026-01-31T12:00:00Z, or null, not '{text}'.",
        )
        for text in ("9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00")
        for quote in ("", '"')
    ),
    ("subscriber: bob, ", "", 16, "A subscription needs the key 'subscriber'."),
    ("{format: json, path: data/}", "{path: data/}", 17, "The source needs the key 'format'."),
    ("path: data/", "path: data/, header: [a]", 17, "'header' of the source must be text or a number, not [a]."),
    ("trees: do", "trees: dss", 19, "'dss' is not a value of 'trees': did you mean 'ds'?"),
    ("trees: do", "folding: meffa", 19, "'meffa' is not a value of 'folding': did you mean 'mefa'?"),
    (
        "trees: do",
        "folding: mefa, theta: a lot",
        19,
        "'theta' of the policy must be auto, or a whole number, 0 or more, not 'a lot'.",
    ),
    (
        "trees: do",
        "folding: mefa, theta: 2.5",
        19,
        "'theta' of the policy must be auto, or a whole number, 0 or more, not 2.5.",
    ),
    ("trees: do", "folding: mefa, rate: 0", 19, "'rate' of the policy must be a number above 0, not 0."),
    ("trees: do", "trees: ds, gamma: -1", 19, "'gamma' of the policy must be a number, 0 or more, not -1."),
    (
        "subscriber-edge",
        "subscriber-ege",
        19,
        "'subscriber-ege' is not a value of 'decision': did you mean 'subscriber-edge'?",
    ),
    (
        "decision: subscriber-edge",
        "decision: oracle",
        19,
        (
            "'oracle' is not a value of 'decision': use adock, patience, wad, wad-live, bat, static, publisher-edge or "
            "subscriber-edge."
        ),
    ),
    (
        "decision: subscriber-edge",
        "decision: patience, patience: 2",
        19,
        "'patience' of the policy must be a duration such as '10 seconds', not 2.",
    ),
    ("tree: shared", "tree: 5", 19, "'tree' of the policy must be shared or per-source, not 5."),
    ("tree: shared", "tree: shared, tides: x", 19, f"'tides' is not a key of the policy: {KEYS}"),
    (
        "tree: shared",
        "tree: shared, events: x",
        19,
        "'x' is not a value of 'events': use caeva, agele or siena.",
    ),
    *(
        (
            "tree: shared",
            f"tree: shared, placement: {wrong}",
            19,
            f"'placement' of the policy must be adaptive, replay, or a whole number, 0 or more, not {shown}.",
        )
        for wrong, shown in [("-1", "-1"), ("literal", "'literal'"), ("true", "true"), ("1.5", "1.5")]
    ),
    (
        "tree: shared",
        "tree: shared, active_aggregators: 0",
        19,
        "'active_aggregators' of the policy must be a whole number, 1 or more, not 0.",
    ),
    (
        "tree: shared",
        "tree: shared, lanes: 1025",
        19,
        "'lanes' of the policy must be a whole number from 1 to 1024, not 1025.",
    ),
    (
        "{time: ts, fields: {id",
        "{time: ts, merge: {key: id}, fields: {id",
        7,
        "A merge needs the key 'within'.",
    ),
    (
        "{time: ts, fields: {id",
        "{time: ts, merge: {key: [], within: 1 minute}, fields: {id",
        7,
        "'key' of a merge must be the name of a field or a list of them, not [].",
    ),
    (
        "{time: ts, fields: {id",
        "{time: ts, merge: {key: id, within: 1 minute, compare: names}, fields: {id",
        7,
        "'names' is not a value of 'compare': did you mean 'name'?",
    ),
    ("watermark: 30 seconds", "outages: [{broker: c1}]", 20, "An outage needs the key 'from'."),
    (
        "watermark: 30 seconds",
        "outages: [{broker: c1, from: noon}]",
        20,
        "'from' of an outage must be a timestamp such as 2026-01-31T12:00:00Z, not 'noon'.",
    ),
    (
        "tree: shared",
        "tree: shared, covering: ancestors",
        19,
        "'ancestors' is not a value of 'covering': did you mean 'ancestor'?",
    ),
    (
        "tree: shared",
        "tree: shared, matchmaker: cheapest",
        19,
        "'cheapest' is not a value of 'matchmaker': use min-cost, publish-everywhere or subscribe-everywhere.",
    ),
    ("delay: 5", "weight: 0", 4, "'weight' of a link must be a whole number from 1 to 1000000, not 0."),
    ("delay: 5", "weight: 1.5", 4, "'weight' of a link must be a whole number from 1 to 1000000, not 1.5."),
    ("tree: shared", "tree: shared, seed: -1", 19, "'seed' of the policy must be a whole number, 0 or more, not -1."),
    ("30 seconds", "30", 20, "'watermark' of a deployment must be a duration such as '10 seconds', not 30."),
    ("{bucket: 5 minutes}", "5 minutes", 21, "'bill' of a deployment must be a mapping, not '5 minutes'."),
]

MERGED = "{time: ts, fields: {id"  # what stands before a topic's merge is put in


def merged(merge: str) -> str:
    return MERGED.replace("time: ts", f"time: ts, merge: {merge}")


MEANING = [
    (
        MERGED,
        merged("{key: idd, within: 1 minute}"),
        7,
        "Topic incidents has no field 'idd', the key of its events: did you mean 'id'?",
    ),
    (
        MERGED,
        merged("{key: [id, ts], within: 1 minute}"),
        7,
        "Field 'ts' is the event time of topic incidents: it cannot be a key.",
    ),
    (
        MERGED,
        merged("{key: [id, severity, id], within: 1 minute}"),
        7,
        "The key of topic incidents names a field twice: keep one of them.",
    ),
    (
        MERGED,
        merged("{key: id, within: 0 seconds}"),
        7,
        "'0 seconds' is too short for within: give a duration above zero.",
    ),
    (
        MERGED,
        merged("{key: id, within: 1 minute, cycle: 0 minutes}"),
        7,
        "'0 minutes' is too short for cycle: give a duration above zero.",
    ),
    (
        'speed < 20"}',
        'speed < 20", urgent: speed < 5}',
        15,
        "Subscription s1 has no cycle to wait for: leave urgent out, or add EVERY to its sql.",
    ),
    (
        'speed < 20"}',
        "speed < 20 EVERY '1 minute'\", urgent: sped < 5}",
        15,
        ("Subscription s1: Topic traffic has no field sped; did you mean speed?\n    sped < 5\n    ^^^^"),
    ),
    *(
        (
            "decision: subscriber-edge",
            f"decision: subscriber-edge, events: {events}, {key}: 1",
            19,
            f"With events: {events} {who}: leave {key} out, or say events: caeva.",
        )
        for events, who in (("agele", "the center merges, nobody else"), ("siena", "nobody merges"))
        for key in ("placement", "active_aggregators")
    ),
    (
        "watermark: 30 seconds",
        "outages: [{broker: c22, from: 2026-01-01}]",
        20,
        "The outage of c22 names the broker 'c22', which does not exist: did you mean 'c2'?",
    ),
    (
        "watermark: 30 seconds",
        "outages: [{broker: c2, from: 2026-01-02, until: 2026-01-01}]",
        20,
        "The outage of c2 is over before it begins: 'until' must be later than 'from'.",
    ),
    ("trees: do", "theta: 3", 19, "Nothing is folded: leave theta out, or say folding: mefa."),
    ("trees: do", "gamma: 3", 19, "Distance alone decides: leave gamma out, or say trees: ds."),
    (
        "topic: traffic, where",
        "topic: traffic, rank: area, where",
        9,
        "Publisher p1 has a rank, but no top_k: say how many of the best each publication goes to.",
    ),
    (
        "topic: traffic, where",
        "topic: traffic, top_k: 5, rank: sped * 2, where",
        9,
        "Publisher p1: Topic traffic has no field sped; did you mean speed?\n    sped * 2\n    ^^^^",
    ),
    (
        "topic: traffic, where",
        "topic: traffic, top_k: 5, rank: {by: subscription.weight}, where",
        9,
        (
            "Publisher p1: No subscription on topic traffic has an attribute weight; there are none.\n"
            "    subscription.weight\n    ^^^^^^^^^^^^^^^^^^^"
        ),
    ),
    (
        "until: null}",
        "attributes: {w: a}}\n  - {id: s3, subscriber: bob, sql: SELECT * FROM incidents, attributes: {w: 5}}",
        17,
        "Attribute 'w' of subscription s3 is a number, but text in subscription s2: give it one kind.",
    ),
    (
        "until: null}",
        "attributes: {w: true}}\n  - {id: s3, subscriber: bob, sql: SELECT * FROM incidents, attributes: {W: true}}",
        17,
        "Attribute 'W' of subscription s3 differs only by case from 'w' of subscription s2: use one spelling.",
    ),
    ("e2, e3]\n  links", "e2, e3, c1]\n  links", 3, "Broker c1 is given twice (first at {path}:3): names must differ."),
    ("[c1, e1]", "[c1, e11]", 4, "Link c1 - e11 names the broker 'e11', which does not exist: did you mean 'e1'?"),
    ("[c1, e1]", "[c1, c1], [c1, e1]", 4, "Link c1 - c1 joins a broker to itself: remove it."),
    ("[c1, e1]", "[c2, c1], [c1, e1]", 4, "Link c2 - c1 is given twice: keep one of them."),
    (
        "{time: ts, fields: {road",
        "{time: tz, fields: {road",
        6,
        "Topic traffic has no field 'tz', its event time: use road, lane, speed or ts.",
    ),
    (
        "{time: ts, fields: {road",
        "{time: lane, fields: {road",
        6,
        "Field 'lane' of topic traffic is int: an event time must be a timestamp.",
    ),
    (
        "lane: int",
        "lane: 'decimal(40,2)'",
        6,
        (
            "Field 'lane' of topic traffic: decimal(40,2) is not a decimal that "
            "Sparing can hold: give 1 to 18 digits, and no more decimals than digits."
        ),
    ),
    (
        "lane: int",
        "lane: int, Lane: int",
        6,
        "Field 'Lane' of topic traffic differs only by case from 'lane' of topic traffic: use one spelling.",
    ),
    (
        "severity: int",
        "SPEED: int",
        7,
        "Field 'SPEED' of topic incidents differs only by case from 'speed' of topic traffic: use one spelling.",
    ),
    (
        "severity: int",
        "lane: long",
        7,
        "Field 'lane' of topic incidents is bigint, but int in topic traffic: give it one type, or rename one.",
    ),
    (
        "severity: int",
        "Topic: int",
        7,
        "Field 'Topic' of topic incidents is named like a column that Sparing keeps for itself: rename it.",
    ),
    (
        "severity: int",
        "publisher: int",
        7,
        "Field 'publisher' of topic incidents is named like a column that Sparing keeps for itself: rename it.",
    ),
    ("severity: int", "a b: int", 7, "'a b' is not a field name: use letters, digits and _, and no digit first."),
    (
        "  incidents: {time",
        '  "\\ttraffic": {time: ts, fields: {ts: timestamp}}\n  incidents: {time',
        7,
        "Topic '\\ttraffic' has a control character in its name: leave out tabs, line ends and the like.",
    ),
    (
        "  incidents: {time",
        "  Traffic: {time: ts, fields: {ts: timestamp}}\n  incidents: {time",
        7,
        "Topic Traffic differs only by case from topic traffic: SQL takes them for one, so rename one.",
    ),
    (
        "at: e1, topic: traffic",
        "at: e9, topic: traffic",
        9,
        "Publisher p1 names the broker 'e9', which does not exist: use c1, c2, e1, e2 or e3.",
    ),
    (
        "topic: traffic,",
        "topic: trafic,",
        9,
        "Publisher p1 names the topic 'trafic', which does not exist: did you mean 'traffic'?",
    ),
    (
        "at: e1, topic: incidents",
        "at: e2, topic: traffic",
        10,
        "Publisher p1 is given twice for topic traffic (first at {path}:9): keep one of them.",
    ),
    (
        'where: "road',
        'where: "roads',
        9,
        "Publisher p1: Topic traffic has no field roads; did you mean road?\n    roads = '401'\n    ^^^^^",
    ),
    (
        "  - {id: bob",
        "  - {id: alice, at: e1}\n  - {id: bob",
        13,
        "Subscriber alice is given twice (first at {path}:12): names must differ.",
    ),
    (
        "at: [e2, e3]",
        "at: [e2, e33]",
        13,
        "Subscriber bob names the broker 'e33', which does not exist: did you mean 'e3'?",
    ),
    ("at: [e2, e3]", "at: [e2, e2]", 13, "Subscriber bob names a broker twice: keep one of them."),
    ("id: s2", "id: s1", 16, "Subscription s1 is given twice (first at {path}:15): names must differ."),
    (
        "subscriber: alice",
        "subscriber: alise",
        15,
        "Subscription s1 names the subscriber 'alise', which does not exist: did you mean 'alice'?",
    ),
    ("until: null", "until: 2026-01-01", 16, "Subscription s2 is never in force: 'until' must be later than 'from'."),
    (
        "WHERE speed",
        "WHERE sped",
        15,
        (
            "Subscription s1: Topic traffic has no field sped; did you mean speed?\n"
            "    SELECT * FROM traffic WHERE sped < 20\n                                ^^^^"
        ),
    ),
    (
        "{format: json, path: data/}",
        "{format: json}",
        17,
        "The source needs the key 'path', because its format is json.",
    ),
    (
        "{format: json, path: data/}",
        "{format: kafka}",
        17,
        "The source needs the keys 'servers' and 'topic', because its format is kafka.",
    ),
    (
        "{format: json, path: data/}",
        "{format: kafka, servers: h, topic: t, path: x}",
        17,
        "The source is kafka, which has no path: remove it.",
    ),
    (
        "{format: json, path: data/}",
        "{format: kafka, servers: h, topic: t, subscribe: x}",
        17,
        "'subscribe' is what the key 'topic' of the source sets: remove it.",
    ),
    *(
        (
            "format: parquet",
            f"format: {name}",
            18,
            (
                f"'{name}' cannot be the format of the sink, for it cannot hold the "
                "payload, which is a VARIANT: use json, parquet or kafka."
            ),
        )
        for name in ("csv", "CSV", "orc", "text")
    ),
    (
        "format: parquet",
        "format: rate",
        18,
        "'rate' cannot be the format of the sink, for it is a source only: use json, parquet or kafka.",
    ),
    (
        "30 seconds",
        "30 secnds",
        20,
        "There is no unit of time secnds; did you mean seconds?\n    30 secnds\n       ^^^^^^",
    ),
    ("30 seconds", "-1 seconds", 20, "'-1 seconds' is too short for watermark: give a duration that is not negative."),
    ("5 minutes", "0 minutes", 21, "'0 minutes' is too short for bucket: give a duration above zero."),
    *(
        (
            wrong[0],
            wrong[1],
            wrong[2],
            f"'{LONG}' is too long for {wrong[3]}: give a duration of at most 36525 days, 100 years.",
        )
        for wrong in [("30 seconds", LONG, 20, "watermark"), ("5 minutes", LONG, 21, "bucket")]
    ),
    (
        "name: toronto\n",
        "name: toronto\nahead: -1 second\n",
        2,
        "'-1 second' is too short for ahead: give a duration that is not negative.",
    ),
    (
        "name: toronto\n",
        "name: toronto\nahead: 5\n",
        2,
        "'ahead' of a deployment must be a duration such as '10 minutes', or null, not 5.",
    ),
    (
        "name: toronto\n",
        "name: toronto\nlimits: {row_bytes: 10}\n",
        2,
        "'row_bytes' of the limits must be a whole number, 1000 or more, not 10.",
    ),
    (
        "name: toronto\n",
        "name: toronto\nlimits: {windows_per_event: 1.5}\n",
        2,
        "'windows_per_event' of the limits must be a whole number, 1 or more, not 1.5.",
    ),
    (
        "name: toronto\n",
        "name: toronto\nlimits: {row_byte: 10000}\n",
        2,
        "'row_byte' is not a key of the limits: did you mean 'row_bytes'?",
    ),
    (
        "traffic: {time: ts, ",
        "traffic: {time: {field: tz}, ",
        6,
        "Topic traffic has no field 'tz', its event time: use road, lane, speed or ts.",
    ),
    (
        "traffic: {time: ts, ",
        "traffic: {time: {field: ts, unit: m}, ",
        6,
        "'m' is not a value of 'unit': did you mean 'ms'?",
    ),
    (
        "traffic: {time: ts, ",
        "traffic: {time: 5, ",
        6,
        "'time' of a topic must be the name of a field, or a mapping with the key 'field', not 5.",
    ),
    (
        "traffic: {time: ts, ",
        "traffic: {time: {field: ts, unit: ms}, ",
        6,
        (
            "Field 'ts' is counted in ms in topic traffic, but not in topic incidents: "
            "give it the same unit there, or rename one."
        ),
    ),
    (
        "SELECT * FROM traffic WHERE speed < 20",
        "SELECT count(*) FROM traffic GROUP BY window(ts, '1 day', '1 microsecond')",
        15,
        (
            "Subscription s1 has an event count for 86,400,000,000 windows: choose a longer slide, or raise "
            "limits.windows_per_event (now 1,000)."
        ),
    ),
    (
        "SELECT * FROM traffic WHERE speed < 20",
        "SELECT count(*) FROM traffic GROUP BY window(ts, '1001 seconds', '1 second')",
        15,
        (
            "Subscription s1 has an event count for 1,001 windows: choose a longer slide, or raise "
            "limits.windows_per_event (now 1,000)."
        ),
    ),
    (
        "decision: subscriber-edge",
        "decision: wad, patience: 2 seconds",
        19,
        "The decision is wad, which never waits: leave patience out, or say decision: patience.",
    ),
    (
        "decision: subscriber-edge",
        "decision: patience, patience: 0 seconds",
        19,
        "'0 seconds' is too short for patience: give a duration above zero.",
    ),
    (
        "[c2, e3, {delay: 5}]",
        "[e2, c1]",
        15,
        (
            "Subscription s1 wants what publisher p1 publishes, but no links lead "
            "from broker e1 to e3, where subscriber alice attaches: add a link."
        ),
    ),
]


@pytest.mark.parametrize(("right", "wrong", "line", "sentence"), SHAPE + MEANING)
def test_a_mistake_is_told_in_one_sentence_at_its_line(tmp_path: Path, right, wrong, line, sentence):
    assert right in TORONTO
    path = tmp_path / "toronto.yaml"
    path.write_text(TORONTO.replace(right, wrong, 1))
    with pytest.raises(DeploymentError) as caught:
        Deployment.read(path)
    told = [mistake.message for mistake in caught.value.mistakes]
    expected = f"{path}:{line}: {sentence.replace('{path}', str(path))}"
    assert told == [expected]


def on_merged_topic(**changes) -> dict:
    """The right description with a merged topic, and something else changed."""
    description = toronto() | changes
    description["topics"]["incidents"]["merge"] = {"key": "id", "within": "1 minute", "cycle": "10 seconds"}
    return description


def test_a_cycle_is_a_multiple_of_the_topics():
    wish = {"id": "s2", "subscriber": "bob", "sql": "SELECT * FROM incidents EVERY '25 seconds'"}
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(on_merged_topic(subscriptions=[wish]))
    assert str(caught.value) == (
        "subscriptions[0].sql: Subscription s2 has a cycle that is no multiple of 10 seconds, the cycle of incidents."
    )
    for cycle in ("0 seconds", "10 seconds", "1 minute"):
        sql = f"SELECT * FROM incidents EVERY '{cycle}'"
        assert Deployment.of(on_merged_topic(subscriptions=[wish | {"sql": sql}])).subscriptions


def test_the_k_best_are_not_for_merged_topics():
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(on_merged_topic(publishers=[{"id": "p1", "at": "e1", "topic": "incidents", "top_k": 2}]))
    assert str(caught.value) == (
        "publishers[0].top_k: Publisher p1 asks for top_k, but incidents is merged: an event goes to everybody whom it "
        "concerns."
    )


def test_not_every_aggregator_may_be_down_at_once():
    """Who is on the tree of a topic, and so can merge its events, is known when there is a plan."""
    days = {"e1": 1, "c1": 2, "c2": 3, "e3": 4, "e2": 5}
    outages = [{"broker": broker, "from": f"2026-01-0{day}"} for broker, day in days.items()]
    description = on_merged_topic(outages=outages)
    description["subscribers"] = [{"id": "alice", "at": "e3"}, {"id": "bob", "at": "e3"}]
    with pytest.raises(SparingError) as caught:
        plan_of(Deployment.of(description))
    assert str(caught.value) == (
        "When the outage of e3 begins, no broker that could merge events of incidents is left (c1, c2, e1, e3): leave "
        "one of them up."
    )
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
    assert str(caught.value) == (
        "subscriptions[0]: Subscriber bob wants what the publishers p1 at broker e1 and p2 at broker e3 publish "
        "(subscription s), but none of its brokers e2 and e3 is linked to both: add a link."
    )


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
    assert lines[0].startswith(f"{path}:4: Link c1 - x")
    assert [line.split(":")[1] for line in lines[1:20]] == [str(17 + n) for n in range(19)]
    assert lines[20] == "... and 12 more."


def test_without_a_file_the_place_is_a_path_of_keys():
    description = toronto()
    description["subscribers"][1]["at"] = ["e2", "e33"]
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(description)
    assert str(caught.value).startswith("subscribers[1].at: Subscriber bob names the broker 'e33'")


def test_a_topic_with_a_mistake_is_the_only_one_told_about(tmp_path):
    description = toronto()
    description["topics"]["traffic"]["fields"]["speed"] = "dubble"
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(description)
    assert [mistake.place.label for mistake in caught.value.mistakes] == ["topics.traffic.fields.speed"]
