import json
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.workloads.json_lines import Lines

rows = st.lists(
    st.fixed_dictionaries(
        {
            "publisher": st.text(),
            "text": st.none() | st.text(),
            "number": st.none() | st.floats(allow_nan=False, allow_infinity=False),
            "whole": st.none() | st.integers(-(2**63), 2**63 - 1),
            "ts": st.none() | st.datetimes(datetime(1900, 1, 1), datetime(9999, 1, 1)),
        }
    ),
    min_size=1,
)
SCHEMA = pa.schema(
    {
        "publisher": pa.string(),
        "text": pa.string(),
        "number": pa.float64(),
        "whole": pa.int64(),
        "ts": pa.timestamp("us", tz="UTC"),
    }
)


@given(rows)
def test_lines_have_the_values_of_the_table(table_rows):
    for row in table_rows:
        row["ts"] = row["ts"] and row["ts"].replace(tzinfo=UTC)
    text = bytes(Lines(pa.Table.from_pylist(table_rows, SCHEMA)).between(0, len(table_rows)))
    assert text.count(b"\n") == len(table_rows)
    for line, row in zip(text.splitlines(), table_rows, strict=True):
        read = json.loads(line)
        if row["ts"] is not None:
            read["ts"] = datetime.fromisoformat(read["ts"])
        assert read == {field: value for field, value in row.items() if value is not None}


def test_lines_of_a_slice_can_be_selected():
    table = pa.table({"publisher": ["a", "b", "c", "d"], "x": [1, None, 3, 4]}).slice(1)
    assert bytes(Lines(table).between(0, 2)) == b'{"publisher":"b"}\n{"publisher":"c","x":3}\n'


def test_the_first_column_must_not_have_missing_values():
    with pytest.raises(ValueError, match="publisher"):
        Lines(pa.table({"publisher": ["a", None]}))
