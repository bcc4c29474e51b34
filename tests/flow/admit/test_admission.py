"""Admission: each reason with its sentence, and which of several comes first."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.plan import make_plan
from sparing.flow.admit.admission import BAD, Admission, QuarantineReason, ReadFault, Rows
from sparing.model.box import Box
from sparing.model.constraint import between, one_of
from sparing.model.merge import Merge
from sparing.model.overlay import Overlay
from sparing.model.subscription import Advertisement
from sparing.model.topic import Topic
from sparing.model.types import EARLIEST, INT, LATEST, STRING, TIMESTAMP
from tests.flow.strategies import column_of

TYPES = {"ts": TIMESTAMP, "lane": INT, "road": STRING, "at": TIMESTAMP, "severity": INT}
TOPICS = {
    "traffic": Topic("traffic", "ts", {name: TYPES[name] for name in ("ts", "lane", "road")}),
    "incidents": Topic("incidents", "at", {name: TYPES[name] for name in ("at", "severity", "road")}),
    "idle": Topic("idle", "ts", {"ts": TIMESTAMP}),
    "jams": Topic("jams", "ts", {name: TYPES[name] for name in ("ts", "lane", "road")}, Merge(("road", "lane"), 60)),
}
ADVERTISEMENTS = (
    Advertisement("p1", "b", "traffic", Box.of({"lane": between(INT, 1, 3), "road": one_of(STRING, ["401"])})),
    Advertisement("p2", "b", "traffic", Box()),
    Advertisement("p2", "b", "incidents", Box.of({"severity": between(INT, 3, None)})),
    Advertisement("p3", "b", "jams", Box.of({"lane": between(INT, 1, 3)})),
)
PLAN = make_plan(Overlay(("b",)), TOPICS, ADVERTISEMENTS, {}, (), bucket=10)

FAULTS = {
    "long": ReadFault.TOO_LONG,
    "garbled": ReadFault.GARBLED,
    "malformed": ReadFault.UNREADABLE,
    "more": ReadFault.MORE,
}
LATEST_NOW = 1_000_000


def rows_of(rows, with_topic=True):
    """Rows as they come from the reader: what does not fit its type is missing, and the row's text tells what."""
    columns, misfit = {}, {}
    for name, kind in TYPES.items():
        fitting = []
        for at, row in enumerate(rows):
            value = row.get(name)
            fits = value is None or isinstance(value, str if kind is STRING else int)
            if not fits:
                misfit.setdefault(at, {})[name] = str(value)
            fitting.append(value if fits else None)
        columns[name] = column_of(fitting, kind)
    own = [next((row[name] for name in FAULTS if name in row), None) for row in rows]
    text = [
        some or (json.dumps(row) if at in misfit else None)
        for at, (some, row) in enumerate(zip(own, rows, strict=True))
    ]
    return Rows(
        _names([row.get("publisher") for row in rows]),
        _names([row.get("topic") for row in rows]) if with_topic else None,
        columns,
        pa.array(text, pa.string()),
        np.array(
            [next((FAULTS[name] for name in FAULTS if name in row), ReadFault.NONE) for row in rows], dtype=np.int8
        ),
        misfit,
        latest=LATEST_NOW,
        size={at: 2_000_000 for at, row in enumerate(rows) if "long" in row},
    )


def _names(names):
    return pa.array(names, pa.string()).dictionary_encode("encode")


def admit(*rows, with_topic=True):
    given_rows = rows_of(rows, with_topic)
    return Admission(PLAN).admit(given_rows)


GOOD = {"publisher": "p1", "ts": 5, "lane": 1, "road": "401"}
NOT_UTF8 = "not UTF-8"
REPORT = GOOD | {"publisher": "p3"}  # the same on a merged topic


@pytest.mark.parametrize(
    ("row", "reason", "detail"),
    [
        ({"malformed": "{oops"}, QuarantineReason.MALFORMED, "the line cannot be parsed"),
        (GOOD | {"garbled": "Stra\ufffde"}, QuarantineReason.MALFORMED, NOT_UTF8),
        ({"garbled": "{\ufffd", "malformed": "{"}, QuarantineReason.MALFORMED, NOT_UTF8),
        (GOOD | {"publisher": None}, QuarantineReason.UNKNOWN_PUBLISHER, "the row names no publisher"),
        (GOOD | {"publisher": "p9"}, QuarantineReason.UNKNOWN_PUBLISHER, "no publisher has the id p9"),
        (
            GOOD | {"publisher": "p2"},
            QuarantineReason.UNKNOWN_TOPIC,
            "p2 publishes on several topics and the row names none",
        ),
        (GOOD | {"topic": "weather"}, QuarantineReason.UNKNOWN_TOPIC, "no topic is called weather"),
        (GOOD | {"topic": "incidents"}, QuarantineReason.UNKNOWN_TOPIC, "p1 does not publish on incidents"),
        (GOOD | {"topic": ""}, QuarantineReason.UNKNOWN_TOPIC, "no topic is called "),
        (GOOD | {"lane": "left"}, QuarantineReason.WRONG_TYPE, "lane is not an int: left"),
        (
            GOOD | {"ts": "yesterday"},
            QuarantineReason.WRONG_TYPE,
            "ts is not a timestamp: yesterday (a date in the years 1 to 9999 is expected)",
        ),
        (GOOD | {"ts": None}, QuarantineReason.NO_EVENT_TIME, "the event time ts is missing"),
        (
            {"publisher": "p2", "topic": "incidents", "ts": 5, "severity": 4},
            QuarantineReason.NO_EVENT_TIME,
            "the event time at is missing",
        ),
        (
            GOOD | {"ts": EARLIEST - 1},
            QuarantineReason.WRONG_TYPE,
            "the event time ts is not in the years 1700 to 2199: 1699-12-31 23:59:59.999999+00:00",
        ),
        (
            GOOD | {"ts": LATEST + 1},
            QuarantineReason.WRONG_TYPE,
            "the event time ts is not in the years 1700 to 2199: 2200-01-01 00:00:00+00:00",
        ),
        (
            GOOD | {"ts": LATEST_NOW + 1},
            QuarantineReason.FUTURE,
            "accepted now is 1970-01-01 00:00:01+00:00",
        ),
        (
            GOOD | {"more": "{}{}"},
            QuarantineReason.MALFORMED,
            "the line is not exactly one JSON object, with nothing after it",
        ),
        (
            GOOD | {"long": "{..."},
            QuarantineReason.TOO_LONG,
            "2,000,000 bytes, more than limits.row_bytes",
        ),
        (REPORT | {"lane": None}, QuarantineReason.NO_KEY, "lane is missing"),
        (
            REPORT | {"lane": None, "road": None},
            QuarantineReason.NO_KEY,
            "road is missing",
        ),
        (REPORT | {"lane": 9}, QuarantineReason.OUTSIDE, "p3 advertised only (lane >= 1 AND lane < 3)"),
        (GOOD | {"lane": 3}, QuarantineReason.OUTSIDE, "p1 advertised only (lane >= 1 AND lane < 3) AND road = '401'"),
        (
            GOOD | {"road": None},
            QuarantineReason.OUTSIDE,
            "p1 advertised only (lane >= 1 AND lane < 3) AND road = '401'",
        ),
        (
            {"publisher": "p2", "topic": "incidents", "at": 1, "severity": 2},
            QuarantineReason.OUTSIDE,
            "p2 advertised only severity >= 3",
        ),
    ],
)
def test_each_reason_has_its_detail(row, reason, detail):
    found = admit(GOOD, row)
    assert found.advertisement.tolist() == [0, BAD]
    (rejected,) = found.rejected
    assert rejected.reason is reason
    assert detail in rejected.detail


IN_ORDER = [  # each makes a row bad in its own way; the first that applies is given
    ({"long": "{..."}, QuarantineReason.TOO_LONG),
    ({"malformed": "{oops"}, QuarantineReason.MALFORMED),
    ({"publisher": "p9"}, QuarantineReason.UNKNOWN_PUBLISHER),
    ({"topic": "weather"}, QuarantineReason.UNKNOWN_TOPIC),
    ({"road": 401}, QuarantineReason.WRONG_TYPE),
    ({"ts": None}, QuarantineReason.NO_EVENT_TIME),
    ({"ts": LATEST_NOW + 1}, QuarantineReason.FUTURE),
    ({"road": None}, QuarantineReason.NO_KEY),
    ({"lane": 9}, QuarantineReason.OUTSIDE),
]


@given(st.sets(st.sampled_from(range(len(IN_ORDER)))))
def test_the_first_reason_is_given(faults):
    row = dict(REPORT)
    for fault in sorted(faults, reverse=True):  # of two that spoil the same field, the first must be seen
        row.update(IN_ORDER[fault][0])
    found = admit(row)
    if not faults:
        assert not found.rejected
        assert found.advertisement.tolist() == [3]
    else:
        assert [rejected.reason for rejected in found.rejected] == [IN_ORDER[min(faults)][1]]
        assert found.advertisement.tolist() == [BAD]
    assert [reason for _, reason in IN_ORDER] == [
        reason for reason in QuarantineReason if reason is not QuarantineReason.LATE
    ]


def test_publishers_with_several_topics_name_the_one_they_mean():
    found = admit(
        GOOD,
        {"publisher": "p2", "topic": "traffic", "ts": 1},
        {"publisher": "p2", "topic": "incidents", "at": 1, "severity": 3},
        GOOD | {"topic": "traffic"},
        {"publisher": "p2", "topic": "idle", "ts": 1},
    )
    assert found.advertisement.tolist() == [0, 1, 2, 0, BAD]
    assert [rejected.detail for rejected in found.rejected] == ["p2 does not publish on idle"]


def test_without_a_topic_column_the_publisher_tells():
    found = admit(GOOD, {"publisher": "p2", "ts": 1}, with_topic=False)
    assert found.advertisement.tolist() == [0, BAD]
    assert [rejected.reason for rejected in found.rejected] == [QuarantineReason.UNKNOWN_TOPIC]


def test_fields_of_other_topics_do_not_matter():
    """`severity` is no field of traffic, so a value that does not fit it is not traffic's mistake."""
    assert admit(GOOD | {"severity": "high"}).advertisement.tolist() == [0]


def test_rows_that_bring_their_text_are_judged_like_others():
    texts = pa.array(['{"lane": "1"}', '{"lane": "9"}'])
    found = replace(rows_of([GOOD, GOOD | {"lane": 9}]), text=texts)
    admitted = Admission(PLAN).admit(found)
    assert admitted.advertisement.tolist() == [0, BAD]
    assert [(r.text, r.reason) for r in admitted.rejected] == [('{"lane": "9"}', QuarantineReason.OUTSIDE)]


def test_rejected_rows_keep_their_text():
    found = admit({"malformed": "{oops"}, GOOD | {"lane": "left"}, GOOD | {"publisher": "p9", "topic": "traffic"})
    texts = [rejected.text for rejected in found.rejected]
    assert texts[0] == "{oops"
    assert json.loads(texts[1]) == GOOD | {"lane": "left"}
    written = {"ts": "1970-01-01T00:00:00.000005Z", "publisher": "p9", "topic": "traffic"}
    assert json.loads(texts[2]) == GOOD | written


def test_an_empty_batch():
    found = admit()
    assert len(found.advertisement) == 0
    assert found.rejected == []
