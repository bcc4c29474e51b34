from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from sparing.deployment.deployment import SECOND, Deployment, Endpoint, Limits
from sparing.deployment.mistakes import DeploymentError
from sparing.model.box import Box
from sparing.model.expression import Attribute, Constant, Field, Operation
from sparing.model.overlay import Link
from sparing.model.policy import Policy
from sparing.model.rank import UNRANKED, BoxScore, Fairness, Rank
from tests.deployment.examples import TORONTO, toronto
from tests.messages import missing, refused


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "toronto.yaml"
    path.write_text(TORONTO)
    return path


def test_a_file_becomes_a_deployment(file):
    deployment = Deployment.read(file)
    base = file.parent
    assert deployment.name == "toronto"
    assert deployment.overlay.brokers == ("c1", "c2", "e1", "e2", "e3")
    assert deployment.overlay.links[-1] == Link("c2", "e3", 5.0)
    assert list(deployment.topics) == ["traffic", "incidents"]
    assert [(a.publisher, a.broker, a.topic) for a in deployment.advertisements] == [
        ("p1", "e1", "traffic"),
        ("p1", "e1", "incidents"),
    ]
    assert deployment.advertisements[0].box.fields == ("road",)
    assert deployment.advertisements[1].box == Box()
    assert deployment.subscribers == {"alice": ("e3",), "bob": ("e2", "e3")}
    assert [s.query.topic for s in deployment.subscriptions] == ["traffic", "incidents"]
    new_year = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()) * SECOND
    assert deployment.subscriptions[1].valid_from == new_year
    assert deployment.subscriptions[1].valid_until is None
    assert deployment.source == Endpoint("json", str(base / "data"))
    assert deployment.sink == Endpoint("parquet", str(base / "out"))
    assert deployment.policy == Policy(decision="subscriber-edge")
    assert deployment.watermark == 30 * SECOND
    assert deployment.bucket == 300 * SECOND
    assert deployment.checkpoint == str(base / "state")


def test_a_mapping_and_a_file_mean_the_same(file):
    assert Deployment.of(toronto(), file.parent) == Deployment.read(file)


def test_what_may_be_left_out():
    short = {"name": "x", "overlay": {"brokers": ["a"]}, "topics": {}}
    deployment = Deployment.of(short)
    assert deployment.policy == Policy()
    assert (deployment.watermark, deployment.bucket) == (10 * SECOND, 60 * SECOND)
    assert (deployment.ahead, deployment.limits) == (600 * SECOND, Limits(row_bytes=1_048_576, windows_per_event=1_000))
    assert (deployment.advertisements, deployment.subscriptions, deployment.source) == ((), (), None)


def test_the_clock_may_be_left_unchecked_and_limits_raised():
    window = "SELECT count(*) FROM traffic GROUP BY window(ts, '1 day', '1 second')"
    what = toronto() | {"subscriptions": [{"id": "s", "subscriber": "bob", "sql": window}]}
    deployment = Deployment.of(what | {"ahead": None, "limits": {"windows_per_event": 86_400}})
    assert (deployment.ahead, deployment.limits) == (None, Limits(windows_per_event=86_400))
    assert Deployment.of(toronto() | {"ahead": "0 seconds"}).ahead == 0


def test_units_of_event_times():
    what = toronto()
    what["topics"]["traffic"]["time"] = {"field": "ts"}
    assert Deployment.of(what) == Deployment.of(toronto())
    for topic in what["topics"].values():
        topic["time"] = {"field": "ts", "unit": "ms"}
    assert {topic.unit for topic in Deployment.of(what).topics.values()} == {"ms"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({}, Policy(decision="adock", patience=None)),
        ({"decision": "static"}, Policy(decision="static")),
        ({"decision": "patience"}, Policy(decision="patience", patience=None)),
        ({"decision": "patience", "patience": "1500 milliseconds"}, Policy(decision="patience", patience=1_500_000)),
    ],
)
def test_link_policies(written, meant):
    assert Deployment.of(toronto() | {"policy": written}).policy == meant


def test_covering_and_seed():
    assert (Policy().covering, Policy().seed) == ("ancestor", 0)
    policy = Deployment.of(toronto() | {"policy": {"covering": "none", "seed": 42}}).policy
    assert policy == Policy(covering="none", seed=42)


# What a publisher says, and what it means; subscriptions on incidents have the attribute weight.
RANKS = [
    ({"top_k": 5}, (5, UNRANKED)),
    ({"top_k": 5, "rank": None}, (5, UNRANKED)),
    ({"top_k": 5, "rank": {}}, (5, UNRANKED)),
    ({"top_k": 5, "rank": {"fair": True}}, (5, UNRANKED)),
    ({"top_k": 5, "rank": {"fair": False}}, (5, Rank(None, Fairness.NONE))),
    ({"top_k": 5, "rank": {"fair": "exact"}}, (5, Rank(None, Fairness.EXACT))),
    ({"top_k": 1, "rank": "area"}, (1, Rank(BoxScore.AREA, Fairness.NONE))),
    ({"top_k": 1, "rank": {"by": "area"}}, (1, Rank(BoxScore.AREA, Fairness.NONE))),
    ({"top_k": 1, "rank": {"by": "Diverse", "fair": True}}, (1, Rank(BoxScore.DIVERSE, Fairness.WEIGHTED))),
    ({"top_k": 1, "rank": "severity"}, (1, Rank(Field("severity"), Fairness.NONE))),
    (
        {"top_k": 1, "rank": {"by": "subscription.WEIGHT * 2", "fair": "exact"}},
        (1, Rank(Operation("*", (Attribute("weight"), Constant(2.0))), Fairness.EXACT)),
    ),
    ({}, (None, UNRANKED)),
]


@pytest.mark.parametrize(("written", "meant"), RANKS)
def test_ranks(written, meant):
    description = toronto()
    description["publishers"][1] |= written
    description["subscriptions"][1]["attributes"] = {"weight": 3}
    advertisement = Deployment.of(description).advertisements[1]
    assert (advertisement.top_k, advertisement.rank) == meant


def test_attributes_are_sorted_and_numbers_are_doubles():
    description = toronto()
    given = {"weight": 3, "tier": "gold", "keen": True, "half": 0.5, "none": None, "digits": "007"}
    description["subscriptions"][0]["attributes"] = given
    first, second = Deployment.of(description).subscriptions
    assert first.attributes == (("digits", "007"), ("half", 0.5), ("keen", True), ("tier", "gold"), ("weight", 3.0))
    assert [type(value) for _, value in first.attributes] == [str, float, bool, str, float]
    assert second.attributes == ()


def test_an_attribute_may_be_of_another_kind_on_another_topic():
    description = toronto()
    description["subscriptions"][0]["attributes"] = {"weight": 3}
    description["subscriptions"][1]["attributes"] = {"weight": "heavy"}
    assert Deployment.of(description).subscriptions[1].attributes == (("weight", "heavy"),)


def test_a_score_may_name_any_attribute_while_nobody_is_subscribed():
    description = toronto() | {"subscriptions": []}
    description["publishers"][0] |= {"top_k": 3, "rank": "subscription.weight"}
    assert Deployment.of(description).advertisements[0].rank.by == Attribute("weight")


def test_a_score_is_not_blamed_for_the_mistake_of_a_subscription():
    description = toronto()
    description["publishers"][0] |= {"top_k": 3, "rank": "subscription.weight"}
    description["subscriptions"][0] |= {"attributes": {"weight": 3}, "sql": "SELECT * FROM traffic WHERE sped < 20"}
    with pytest.raises(DeploymentError) as caught:
        Deployment.of(description)
    assert [mistake.place.label for mistake in caught.value.mistakes] == ["subscriptions[0].sql"]


def test_each_score_is_parsed_once():
    description = toronto()
    description["publishers"] = [
        {"id": name, "at": "e1", "topic": "incidents", "top_k": k, "rank": "severity * 2"}
        for name, k in (("p", 1), ("q", 2))
    ]
    one, other = Deployment.of(description).advertisements
    assert one.rank is other.rank


@pytest.mark.parametrize("emptied", ["publishers", "subscriptions"])
def test_nobody_publishing_and_nobody_asking_are_fine(emptied):
    deployment = Deployment.of(toronto() | {emptied: []})
    assert not (deployment.advertisements if emptied == "publishers" else deployment.subscriptions)


@pytest.mark.parametrize(
    ("written", "hour"),
    [
        ("2026-01-01T12:00:00Z", 12),
        ("2026-01-01T12:00:00", 12),
        ("2026-01-01 12:00:00 +02:00", 10),
        ("2026-01-01T12:00:00-05:00", 17),
        ("2026-01-01", 0),
        (datetime(2026, 1, 1, 12), 12),
        (date(2026, 1, 1), 0),
    ],
)
def test_times_without_a_zone_are_in_utc(written, hour):
    description = toronto()
    description["subscriptions"][0]["from"] = written
    begin = Deployment.of(description).subscriptions[0].valid_from
    assert begin == int(datetime(2026, 1, 1, hour, tzinfo=UTC).timestamp()) * SECOND


def test_names_stay_as_they_are_written(tmp_path):
    path = tmp_path / "names.yaml"
    path.write_text("{name: 2026-01-01, overlay: {brokers: [no, on, 007, 1:30, 42, y]}, topics: {}}")
    deployment = Deployment.read(path)
    assert deployment.name == "2026-01-01"
    assert deployment.overlay.brokers == ("no", "on", "007", "1:30", "42", "y")


def test_anchors_and_merge_keys_work(tmp_path):
    path = tmp_path / "anchors.yaml"
    defaults = "&all {at: e1, topic: incidents}"
    path.write_text(TORONTO.replace("{id: p1, at: e1, topic: incidents}", f"{{id: p2, <<: {defaults}, at: c1}}"))
    advertisement = Deployment.read(path).advertisements[1]
    assert (advertisement.publisher, advertisement.broker, advertisement.topic) == ("p2", "c1", "incidents")


def test_a_cycle_and_a_lonely_broker_are_fine():
    description = toronto()
    description["overlay"]["links"].append(["e1", "e2"])
    description["overlay"]["brokers"].append("lonely")
    assert Deployment.of(description).overlay.neighbours["lonely"] == {}


def test_one_candidate_that_reaches_the_publisher_is_enough():
    description = toronto()
    description["overlay"]["brokers"].append("lonely")
    description["subscribers"][1]["at"] = ["lonely", "e2"]
    assert Deployment.of(description).subscribers["bob"] == ("lonely", "e2")


def test_parts_that_share_nothing_need_no_path():
    description = toronto()
    description["overlay"]["brokers"].append("lonely")
    description["subscribers"][0]["at"] = "lonely"
    description["subscriptions"][0]["sql"] = "SELECT * FROM traffic WHERE road = 'QEW'"
    assert Deployment.of(description).subscriptions


@pytest.mark.parametrize(
    ("written", "role", "meant"),
    [
        ({"format": "rate", "rowsPerSecond": 5}, "source", Endpoint("rate", None, {"rowsPerSecond": "5"})),
        (
            {"format": "CSV", "path": "s3a://b/in", "header": True},
            "source",
            Endpoint("csv", "s3a://b/in", {"header": "true"}),
        ),
        (
            {"format": "kafka", "servers": ["h1:9092", "h2:9092"], "topic": "cars", "startingOffsets": "earliest"},
            "source",
            Endpoint(
                "kafka",
                None,
                {"startingOffsets": "earliest", "kafka.bootstrap.servers": "h1:9092,h2:9092", "subscribe": "cars"},
            ),
        ),
        (
            {"format": "kafka", "servers": "h1:9092", "topic": "out"},
            "sink",
            Endpoint("kafka", None, {"kafka.bootstrap.servers": "h1:9092", "topic": "out"}),
        ),
        ({"format": "delta", "path": "file:///d"}, "sink", Endpoint("delta", "file:///d")),
        ({"format": "pulsar", "topic": "t"}, "source", Endpoint("pulsar", None, {"topic": "t"})),
    ],
)
def test_endpoints(written, role, meant):
    assert getattr(Deployment.of(toronto() | {role: written}), role) == meant


@pytest.mark.parametrize(
    ("content", "places", "parts"),
    [
        (None, [""], ""),
        (b"", [""], "docs/deployment.md"),
        (b"# nothing\n", [":1"], "name overlay topics"),
        (b"- a\n", [":1"], "name overlay topics [a]"),
        (b"\xff\xfe\x00", [""], "UTF-8"),
        (b"a: 1\nb: [\n", [":3"], "YAML"),
        (b"a: 1\n---\nb: 2\n", [":2"], "YAML document"),
        (b"a: 1\nb: \x01\n", [":2"], "\\x01 YAML"),
        (b"name: a\noverlay:\n\tbrokers: [a]\n", [":3"], "YAML tab spaces"),
        (b"[" * 100_000, [":1"], "YAML"),
        (b"a: 1\nb:\n  c: 1\n  c: 2\na: 3\n", [":4", ":5"], "c 3 a 1"),
        (b"a: !wrong 1\n", [":1"], "!wrong"),
        (b"a: !!int x\n", [":1"], "x int"),
        (b"a: &a\n  - *a\n", [":1"], "alias"),
        (b"? [a]\n: 1\n", [":1"], "key"),
    ],
)
def test_texts_that_are_no_deployment(tmp_path, content, places, parts):
    path = tmp_path / "wrong.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DeploymentError) as caught:
        Deployment.read(path)
    lines = str(caught.value).splitlines()
    assert [line.startswith(f"{path}{place}: ") for line, place in zip(lines, places, strict=True)] == [True] * len(
        places
    )
    assert missing(str(caught.value), parts) == []


def test_a_folder_is_not_a_file(tmp_path):
    with refused(f"{tmp_path} folder"):
        Deployment.read(tmp_path)


def test_aliases_of_aliases_take_no_time(tmp_path):
    path = tmp_path / "laughs.yaml"
    path.write_text("a0: &a0 [ha]\n" + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(60)))
    with refused("a0"):
        Deployment.read(path)
