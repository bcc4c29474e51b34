"""The example of docs/events.md, and the rules of merged events tried on it."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from typing import Any

import pytest
import yaml

from sparing.cli.console import clock
from sparing.cli.explain_event import print_event
from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.deployment.schema import PolicyEntry
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.events.explain import EventHistory, HistoryRecorder
from sparing.flow.events.merged_topic import MergedOutcome, MergedTopic
from sparing.flow.interests import Interests
from sparing.flow.walk import Deliveries, Walk
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.bill import Bill, MessageKind
from sparing.model.policy import EventMerging
from sparing.model.types import BEGINNING, END_OF_TIME
from tests.docs import walks
from tests.docs.pages import blocks, names, table, tables, text_of
from tests.messages import refused

PAGE = "docs/events.md"
EXAMPLE, OUTAGE = (block.text for block in blocks(PAGE, "yaml"))
REPORTS, PAYLOAD = (block.text for block in blocks(PAGE, "json"))
WITH_KEYS = "".join(line for line in REPORTS.splitlines(keepends=True) if "place" in json.loads(line))


def described(more: dict[str, Any] | None = None, events: str = "caeva") -> dict[str, Any]:
    """The example, with something else in it or another way of merging."""
    what = yaml.safe_load(EXAMPLE) | (more or {})
    assert what["policy"].pop("events") == "caeva"
    return what | {"policy": {"events": events, **(what["policy"] if events == "caeva" else {})}}


def plan(more: dict[str, Any] | None = None, events: str = "caeva") -> Plan:
    return plan_of(Deployment.of(described(more, events)))


def walked(found: Plan, reports: str = WITH_KEYS) -> Deliveries:
    return Walk(found).feed([walks.published(found, reports)])


def watched(found: Plan, key: str = "401 km 3") -> tuple[list[EventHistory], MergedOutcome]:
    """The histories of events with a key, and all that came of the reports."""
    interests = Interests.of(found)
    topic = MergedTopic(interests, "incidents", AtOnce(interests), WindowWalk(interests))
    watch = HistoryRecorder(topic.context, key)
    _, outcome = topic.advance(None, [walks.published(found, WITH_KEYS)], END_OF_TIME, BEGINNING, watch)
    return watch.histories(), outcome


def report(time: str, at: str, **values: object) -> str:
    """A report of the example's main accident by who publishes at a broker, as a line."""
    who = {"n1": "police", "n2": "drivers", "s1": "cameras"}[at]
    row = {"publisher": who, "place": "401 km 3", "ts": f"2026-01-01T{time}Z", **values}
    return json.dumps(row | {"id": f"{time} {at}"}) + "\n"


def wish(sql: str, **more: object) -> dict[str, Any]:
    """One subscription instead of all others."""
    return {"subscriptions": [{"id": "q", "subscriber": "radio", "sql": sql, **more}]}


def heard(reports: str, sql: str, within: str | None = None, events: str = "caeva", **more: object) -> list[tuple]:
    """When the only subscription is told, and what is new: field and value, without the key and the event's time."""
    what = wish(sql, **more)
    if within is not None:
        topic = yaml.safe_load(EXAMPLE)["topics"]["incidents"]
        what["topics"] = {"incidents": topic | {"merge": topic["merge"] | {"within": within}}}
    found = []
    for told in walked(plan(what, events), reports).merged:
        new = [(n["field"], n["value"]) for n in json.loads(told.payload)["new"]]
        found.append((clock(told.time)[11:19], dict(pair for pair in new if pair[0] not in ("place", "ts"))))
    return found


# The example


def test_what_subscribers_are_told() -> None:
    found = plan()
    rows = []
    for told in sorted(walked(found).merged, key=lambda told: (told.time, told.start)):
        payload = json.loads(told.payload)
        event = f"{payload['key']['place']}, {clock(told.start)[11:19]}"
        new = ", ".join(f"{n['field']} = {n['value']}" for n in payload["new"] if n["field"] != "ts")
        rows += [[clock(told.time)[11:19], found.subscriptions[number].id, event, new] for number in told.subscriptions]
        assert told.end - told.start == 100_000_000
    assert rows in [one.rows for one in tables(PAGE)]


def test_the_payload() -> None:
    found = plan()
    first = min(walked(found).merged, key=lambda told: told.time)
    assert [found.subscriptions[number].id for number in first.subscriptions] == ["screen"]
    assert first.payload == PAYLOAD.strip()
    assert set(json.loads(PAYLOAD)) <= set(names(text_of(PAGE)))


@pytest.mark.parametrize("events", list(EventMerging))
def test_what_is_counted(events: EventMerging) -> None:
    found = plan(events=events)
    (window,) = walked(found).notifications
    assert found.subscriptions[window.subscription].id == "count"
    assert f"`{window.payload}`" in text_of(PAGE)
    assert (clock(window.start)[11:16], clock(window.end)[11:16]) == ("08:00", "08:10")


# What the commands print


def moment(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000_000)


def test_why_a_subscription_was_told_or_not(capsys: pytest.CaptureFixture[str]) -> None:
    found = plan()
    number = next(n for n, s in enumerate(found.subscriptions) if s.id == "alarm")
    interests = Interests.of(found)
    topic = MergedTopic(interests, "incidents", AtOnce(interests), WindowWalk(interests))
    watch = HistoryRecorder(topic.context, "401 km 3")
    topic.advance(None, [walks.published(found, WITH_KEYS)], END_OF_TIME, BEGINNING, watch)
    first, second = watch.histories(number)
    last = []
    for history in (first, second):
        print_event(history, "alarm", as_json=False)
        last.append(capsys.readouterr().out.splitlines()[-1])
    assert all("alarm" in line for line in last)
    assert ["1" in last[0], "kind = 'collision'" in last[0]] == [True, False]
    assert ["1" in last[1], "kind = 'collision'" in last[1]] == [False, True]


def test_kinds_that_are_told_about() -> None:
    kinds = {key.kind for events in EventMerging for key in walked(plan(events=events)).bill}
    assert kinds <= {*(MessageKind(kind) for kind in ("publication", "merged", "coordination", "notification"))}
    assert {key.kind.value for key in walked(plan(events="siena")).bill} == {"publication", "notification"}


# The rules


ALL = "SELECT * FROM incidents EVERY '10 seconds'"
AT_ONCE = "SELECT * FROM incidents"


@pytest.mark.parametrize("events", list(EventMerging))
def test_a_report_at_the_last_moment_is_of_the_event_and_one_later_is_not(events: EventMerging) -> None:
    lines = report("08:00:00", "n1", severity=1) + report("08:01:40", "s1", severity=2)
    assert heard(lines, AT_ONCE, events=events) == [("08:00:00", {"severity": 1}), ("08:01:40", {"severity": 2})]
    starts = {told.start for told in walked(plan(wish(AT_ONCE), events), lines).merged}
    assert len(starts) == 1
    later = report("08:00:00", "n1", severity=1) + report("08:01:40.000001", "s1", severity=1)
    assert len({told.start for told in walked(plan(wish(AT_ONCE), events), later).merged}) == 2


def test_the_time_of_an_event_is_when_it_began() -> None:
    lines = report("08:00:00", "n1", severity=1) + report("08:00:20", "s1", severity=2)
    payloads = [json.loads(told.payload) for told in walked(plan(wish(ALL)), lines).merged]
    assert [payload["latest"]["ts"] for payload in payloads] == ["2026-01-01T08:00:00.000000Z"] * 2
    assert [n["field"] for n in payloads[1]["new"]] == ["severity"]


def test_a_value_that_is_repeated_is_not_the_latest_again() -> None:
    lines = "".join(report(f"08:00:0{at}", "n1", severity=value) for at, value in enumerate((1, 2, 1)))
    (told,) = walked(plan(wish(ALL)), lines).merged
    payload = json.loads(told.payload)
    assert payload["latest"]["severity"] == 2
    assert payload["history"] == {"severity": [1, 2]}


def test_without_several_values_there_is_no_history() -> None:
    (told,) = walked(plan(wish(ALL)), report("08:00:00", "n1", severity=1)).merged
    assert "history" not in json.loads(told.payload)


@pytest.mark.parametrize("events", list(EventMerging))
def test_what_is_reported_when_a_cycle_ends_is_told_at_the_end_of_the_next(events: EventMerging) -> None:
    lines = report("08:00:03", "n1", severity=1) + report("08:00:13", "s1", lanes_blocked=2)
    assert heard(lines, ALL, events=events) == [("08:00:13", {"severity": 1}), ("08:00:23", {"lanes_blocked": 2})]


def test_no_cycle_is_at_once() -> None:
    lines = report("08:00:00", "n1", severity=1) + report("08:00:02", "n2", severity=1, lanes_blocked=2)
    expected = [("08:00:00", {"severity": 1}), ("08:00:02", {"lanes_blocked": 2})]
    assert heard(lines, AT_ONCE) == heard(lines, f"{AT_ONCE} EVERY '0 seconds'") == expected


def test_who_selects_fields_is_told_of_these() -> None:
    lines = report("08:00:00", "n1", severity=1) + report("08:00:12", "n2", kind="fire")
    assert heard(lines, "SELECT severity FROM incidents EVERY '10 seconds'") == [("08:00:10", {"severity": 1})]


@pytest.mark.parametrize("events", list(EventMerging))
def test_conditions_hold_for_any_value_and_stick(events: EventMerging) -> None:
    lines = (
        report("08:00:00", "n1", severity=4)
        + report("08:00:02", "s1", severity=1, lanes_blocked=1)
        + report("08:00:12", "n2", lanes_blocked=2)
        + report("08:00:22", "n2", kind="fire")
    )
    both = "SELECT * FROM incidents WHERE severity >= 3 AND lanes_blocked = 2 EVERY '10 seconds'"
    assert heard(lines, both, events=events)[0][0] == "08:00:20"
    assert heard(lines, both, events=events)[1] == ("08:00:30", {"kind": "fire"})
    one = "SELECT * FROM incidents WHERE severity > 1 AND severity < 4 EVERY '10 seconds'"
    assert heard(lines, one, events=events) == []
    missing = "SELECT * FROM incidents WHERE kind IS NULL EVERY '10 seconds'"
    assert [time for time, _ in heard(lines, missing, events=events)] == ["08:00:10", "08:00:20", "08:00:30"]
    late = "SELECT * FROM incidents WHERE kind IS NULL EVERY '30 seconds'"
    assert heard(lines, late, events=events) == []


def test_an_event_that_can_concern_nobody_does_not_travel() -> None:
    lines = report("08:00:00", "n1", severity=4)
    assert walked(plan(wish("SELECT * FROM incidents WHERE place = 'QEW'")), lines).bill == Bill()


def test_a_subscription_takes_part_in_events_that_begin_while_it_is_in_force() -> None:
    lines = report("08:00:00", "n1", severity=1) + report("08:00:25", "s1", severity=2)
    assert len(heard(lines, ALL, until="2026-01-01T08:00:05Z")) == 2
    assert heard(lines, ALL, **{"from": "2026-01-01T08:00:05Z"}) == []


@pytest.mark.parametrize("events", list(EventMerging))
def test_what_is_urgent(events: EventMerging) -> None:
    lines = (
        report("08:00:01", "s1", severity=5)
        + report("08:00:07", "n1", kind="collision")
        + report("08:00:11", "s1", lanes_blocked=1)
    )
    sql = "SELECT * FROM incidents WHERE kind = 'collision' EVERY '1 minute'"
    assert [time for time, _ in heard(lines, sql, events=events, urgent="severity >= 4")] == ["08:00:07", "08:00:11"]
    assert [time for time, _ in heard(lines, sql, events=events, urgent="severity >= 6")] == ["08:01:01"]


def test_what_is_urgent_on_an_ordinary_topic() -> None:
    topic = {name: value for name, value in yaml.safe_load(EXAMPLE)["topics"]["incidents"].items() if name != "merge"}
    found = plan(wish(f"{AT_ONCE} EVERY '1 minute'", urgent="severity >= 4") | {"topics": {"incidents": topic}})
    lines = report("08:00:01", "n1", severity=1) + report("08:00:02", "n1", severity=4)
    delivered = walked(found, lines)
    assert delivered.plain == [(0, "08:00:02 n1")]
    assert [len(json.loads(n.payload)["events"]) for n in delivered.notifications] == [1]


@pytest.mark.parametrize("events", list(EventMerging))
def test_windows_count_an_event_when_it_closes_by_its_latest_values(events: EventMerging) -> None:
    sql = "SELECT count(*), max(severity) FROM incidents WHERE severity < 3 GROUP BY window(ts, '1 minute')"
    lines = report("08:00:00", "n1", severity=5) + report("08:00:09", "s1", severity=2)
    (window,) = walked(plan(wish(sql), events), lines).notifications
    assert window.payload == '{"count(1)":1,"max(severity)":2}'
    assert clock(window.start)[11:19] == "08:01:00"  # 100 seconds after the first report lies in this window
    worse = lines + report("08:00:10", "s1", severity=3)
    assert walked(plan(wish(sql), events), worse).notifications == []


# How it travels


def test_every_way_of_merging_and_every_placement_is_named() -> None:
    assert table(PAGE, 2, keys=EventMerging).keys == list(EventMerging)
    named = table(PAGE, 2, code=["placement"]).keys
    for name in ("adaptive", "replay"):
        assert name in named
        PolicyEntry(placement=name)


def test_what_is_told_is_the_same_under_all_of_them() -> None:
    said = [
        Counter((told.subscriptions, told.time, told.payload) for told in walked(plan(events=events)).merged)
        for events in EventMerging
    ]
    assert said[0] == said[1] == said[2]


def test_lanes_do_not_change_what_is_told() -> None:
    without = {"subscriptions": yaml.safe_load(EXAMPLE)["subscriptions"][:-1]}
    said = []
    for partitions in (1, 8):
        what = described(without)
        found = plan_of(Deployment.of(what | {"policy": what["policy"] | {"partitions": partitions}}))
        said.append(Counter((told.subscriptions, told.time, told.payload) for told in walked(found).merged))
        assert Interests.of(found).partitions("incidents") == partitions
    assert said[0] == said[1]
    whole = described()
    counting = plan_of(Deployment.of(whole | {"policy": whole["policy"] | {"partitions": 8}}))
    assert Interests.of(counting).partitions("incidents") == 1


# Failures


def test_the_outage_that_is_shown() -> None:
    failing, sound = plan(yaml.safe_load(OUTAGE)), plan()
    said = [[(told.subscriptions, told.time, told.payload) for told in walked(one).merged] for one in (failing, sound)]
    assert said[0] == said[1]
    (history, _), _ = watched(failing)
    (usual, _), _ = watched(sound)
    lines = [Counter(clock(line.time)[11:19] for line in one.lines) for one in (history, usual)]
    assert set(lines[0] - lines[1]) == {"08:00:05", "08:00:07"}, "the failure, and what is sent again after it"
    kinds = ("publication", "merged", "coordination")
    numbers = [[walked(one).bill.by_kind()[kind] for kind in kinds] for one in (failing, sound)]
    assert numbers == [[16, 13, 7], [13, 11, 6]]


def test_a_coordinator_that_is_lost_misses_a_cycle() -> None:
    outage = yaml.safe_load(OUTAGE)["outages"][0] | {"broker": "center"}
    others = [s for s in yaml.safe_load(EXAMPLE)["subscriptions"] if s["id"] != "alarm"]
    without = {"subscriptions": others}
    times = []
    for found in (plan(without | {"outages": [outage]}), plan(without)):
        told = [t for t in walked(found).merged if found.subscriptions[t.subscriptions[0]].id == "screen"]
        times.append((clock(told[0].time)[11:19], told[0].payload))
    (late, what), (usual, expected) = times
    assert what == expected
    assert (usual, late) == ("08:00:10", "08:00:20")


def test_somebody_must_be_up() -> None:
    every = [{"broker": b, "from": "2026-01-01T00:00:00Z"} for b in yaml.safe_load(EXAMPLE)["overlay"]["brokers"]]
    with refused("incidents center north south"):
        plan({"outages": every})


# What cannot be had


def test_a_late_report_is_told_to_nobody() -> None:
    found = plan(wish(AT_ONCE))
    walk = Walk(found)
    walk.feed([walks.published(found, report("08:00:30", "n1", severity=1))], moment("2026-01-01T08:00:31Z"))
    delivered = walk.feed([walks.published(found, report("08:00:20", "s1", lanes_blocked=2))])
    assert delivered.merged == []
    assert [len(late) for late in delivered.late_reports] == [1]


def test_brokers_cannot_be_hosted_apart() -> None:
    with refused("merged topics"):
        Walk(plan(), hosted=["center"])
