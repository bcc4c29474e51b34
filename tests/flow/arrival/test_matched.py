"""Batches of matched publications: packing, taking, joining and ordering lose nothing."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.arrival.matched import Matched, concat
from sparing.model.topic import Topic
from sparing.model.types import DOUBLE, INT, STRING, TIMESTAMP
from tests.flow.strategies import column_of

TYPES = {"x": INT, "y": DOUBLE, "": STRING}
TOPIC = Topic("t", "ts", TYPES | {"ts": TIMESTAMP})
ROWS = st.fixed_dictionaries(
    {
        "time": st.integers(-5, 5),
        "id": st.text(alphabet="ab\U0001f600\uffff", max_size=3),
        "publisher": st.sampled_from(["p", "q"]),
        "at": st.integers(0, 3),
        "held": st.lists(st.integers(0, 5), max_size=3, unique=True),
        "raw": st.lists(st.integers(0, 2**64 - 1), min_size=2, max_size=2),
        "x": st.none() | st.integers(-3, 3),
        "y": st.none() | st.sampled_from([0.5, -1.0]),
        "": st.none() | st.text(max_size=2),
    }
)


def matched(rows):
    """Rows (mappings) as a batch."""
    return Matched(
        topic="t",
        time=np.array([row["time"] for row in rows], dtype=np.int64),
        id=pa.array([row["id"] for row in rows], pa.string()),
        publisher=pa.array([row["publisher"] for row in rows], pa.string()).dictionary_encode(),
        at=np.array([row["at"] for row in rows], dtype=np.int32),
        columns={name: column_of([row[name] for row in rows], kind) for name, kind in TYPES.items()},
        starts=np.cumsum([0, *(len(row["held"]) for row in rows)]),
        held=np.array([held for row in rows for held in row["held"]], dtype=np.int32),
        raw=np.array([row["raw"] for row in rows], dtype=np.uint64).reshape(-1, 2),
    )


def rows_of(batch):
    """A batch as mappings again."""
    rows = []
    texts = {"id": batch.id.tolist(), "publisher": batch.publisher.tolist()}
    for n in range(len(batch)):
        row = {"time": batch.time[n], **{name: texts[name][n] for name in texts}, "at": batch.at[n]}
        row["held"] = batch.held[batch.starts[n] : batch.starts[n + 1]].tolist()
        row["raw"] = batch.raw[n].tolist()
        row.update({name: c.values[n] if c.valid[n] else None for name, c in batch.columns.items()})
        rows.append(row)
    return rows


batches = st.lists(ROWS, max_size=6)


@given(batches)
def test_pack_and_unpack(rows):
    again = Matched.unpack(matched(rows).pack(), TOPIC)
    assert rows_of(again) == rows
    assert {name: c.type for name, c in again.columns.items()} == TYPES
    assert rows_of(Matched.unpack(again.pack(), TOPIC)) == rows


@given(batches, st.data())
def test_take(rows, data):
    chosen = data.draw(st.lists(st.sampled_from(range(len(rows))))) if rows else []
    taken = matched(rows).take(np.array(chosen, dtype=np.int64))
    assert rows_of(taken) == [rows[n] for n in chosen]


@given(batches, st.data())
def test_part(rows, data):
    first = data.draw(st.integers(0, len(rows)))
    last = data.draw(st.integers(first, len(rows)))
    part = matched(rows).part(first, last)
    assert rows_of(part) == rows[first:last]
    assert rows_of(Matched.unpack(part.pack(), TOPIC)) == rows[first:last]


@given(st.lists(batches, min_size=1, max_size=4))
def test_concat(parts):
    assert rows_of(concat([matched(rows) for rows in parts])) == [row for rows in parts for row in rows]


@given(batches)
def test_in_order_is_by_time_then_id(rows):
    whole = matched(rows)
    ordered = rows_of(whole.take(whole.order()))
    assert [(row["time"], row["id"]) for row in ordered] == sorted((row["time"], row["id"]) for row in rows)
    assert sorted(ordered, key=repr) == sorted(rows_of(matched(rows)), key=repr)


@given(batches, st.sampled_from([(), ("x",), ("", "y")]))
def test_only(rows, names):
    fewer = rows_of(matched(rows).with_columns(names))
    assert fewer == [{key: row[key] for key in row if key not in TYPES or key in names} for row in rows]


@given(batches, batches, st.sampled_from([(), ("x",), ("", "y")]), st.sampled_from([("y",), ("", "x"), ("", "x", "y")]))
def test_like_makes_batches_of_other_columns_fit(rows, others, mine, theirs):
    """Columns that nobody needs any more go, new ones are missing in old rows; then the two can be joined."""
    old, new = matched(rows).with_columns(mine), matched(others).with_columns(theirs)
    joined = concat([old.with_columns_of(new), new])
    assert set(joined.columns) == set(theirs)
    kept = [{**row, **{name: row[name] if name in mine else None for name in theirs}} for row in rows]
    expected = [{key: row[key] for key in row if key not in TYPES or key in theirs} for row in kept + others]
    assert rows_of(joined) == expected
    assert rows_of(Matched.unpack(joined.pack(), TOPIC)) == expected
