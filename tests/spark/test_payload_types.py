"""A field has one type in the payloads of all kinds of notifications."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from pyspark.sql import functions as F

import sparing

pytestmark = pytest.mark.spark

FIELDS = {
    "d": ("double", 85.0, "DOUBLE"),
    "f": ("float", 0.25, "FLOAT"),
    "n": ("bigint", 7, "BIGINT"),
    "i": ("int", 300, "BIGINT"),
    "price": ("decimal(10,2)", Decimal("12.34"), "DECIMAL(4,2)"),
    "far": ("double", float("inf"), "STRING"),
    "day": ("date", date(2026, 1, 2), "STRING"),
    "wet": ("boolean", True, "BOOLEAN"),
    "s": ("string", "é", "STRING"),
    "ts": ("timestamp", datetime(2026, 1, 1, 8, 0, 1, tzinfo=UTC), "STRING"),
}
EXTREMES = ", ".join(f"max({name}) AS {name}" for name in FIELDS)
PATHS = {"event": "$", "window": "$", "count": "$", "digest": "$.events[0]", "merged": "$.latest"}


def test_a_field_has_one_type_and_one_text_in_every_kind_of_notification(spark):
    fields = {name: kind for name, (kind, _, _) in FIELDS.items()}
    cars = {"time": "ts", "fields": fields}
    sql = {
        "event": "SELECT * FROM cars",
        "window": f"SELECT {EXTREMES} FROM cars GROUP BY window(ts, '10 seconds')",
        "count": f"SELECT {EXTREMES} FROM cars GROUP BY count_window(1)",
        "digest": "SELECT * FROM cars EVERY '10 seconds'",
        "merged": "SELECT * FROM jams EVERY '10 seconds'",
    }
    deployment = sparing.Deployment.of(
        {
            "name": "types",
            "overlay": {"brokers": ["a", "b"], "links": [["a", "b"]]},
            "topics": {"cars": cars, "jams": {**cars, "merge": {"key": ["s"], "within": "10 seconds"}}},
            "publishers": [{"id": topic, "at": "a", "topic": topic} for topic in ("cars", "jams")],
            "subscribers": [{"id": "ada", "at": "b"}],
            "subscriptions": [{"id": name, "subscriber": "ada", "sql": query} for name, query in sql.items()],
        }
    )
    values = [value for _, value, _ in FIELDS.values()]
    columns = ", ".join(f"{name} {kind}" for name, kind in {"publisher": "string", **fields}.items())
    publications = spark.createDataFrame([(topic, *values) for topic in ("cars", "jams")], columns)
    delivered = sparing.PubSub(spark, deployment).deliver(publications)
    found = {}
    for name, path in PATHS.items():
        parts = [F.try_variant_get("payload", f"{path}.{field}", "variant") for field in FIELDS]
        rows = delivered.notifications.where(F.col("subscription") == name)
        (row,) = rows.select(*map(F.schema_of_variant, parts), *(part.cast("string") for part in parts)).collect()
        found[name] = tuple(row)
    delivered.forget()
    assert found["event"][: len(FIELDS)] == tuple(kind for _, _, kind in FIELDS.values())
    assert set(found.values()) == {found["event"]}, found
