"""Every window's result equals Spark SQL's own, and every plain delivery a Spark SQL filter."""

from __future__ import annotations

import json
import math
import re
from functools import reduce

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import sparing
from sparing.flow.links import POLICIES
from tests.spark import world
from tests.tries import usually

pytestmark = pytest.mark.spark


HASTY = {"decision": "patience", "patience": "300 milliseconds"}
DECISIONS = {1: [{"decision": name} for name in POLICIES], 2: [{"decision": "adock"}, HASTY]}


@pytest.mark.parametrize("seed", usually([1], DECISIONS))
def test_notifications_equal_spark_sql(spark, seed):
    """Under every policy; Spark's own answers, which take longest, are asked for once."""
    subscribed = world.subscriptions(seed, 46)
    publications = spark.createDataFrame(world.table(world.publications(seed, 700))).repartition(3).cache()
    publications.createOrReplaceTempView("traffic")
    expected = _spark_sql(spark, subscribed)
    assert sum(map(len, expected.values())) > 1000  # the comparison is about something
    for policy in DECISIONS[seed]:
        deployment = sparing.Deployment.of(world.description(subscribed, policy=policy))
        ours = _notifications(spark, deployment, publications)
        for subscription in subscribed:
            _compare(ours[subscription["id"]], expected[subscription["id"]], f"{policy}: {subscription['sql']}")
    publications.unpersist()


def _notifications(spark, deployment, publications) -> dict[str, dict]:
    """What is delivered: subscription -> window or publication -> values."""
    delivered = sparing.PubSub(spark, deployment).deliver(publications)
    found: dict[str, dict] = {s.id: {} for s in deployment.subscriptions}
    for row in delivered.notifications.collect():
        payload = json.loads(row["payload"].toJson())
        key = (row["window_start"], row["window_end"]) if row["kind"] == "window" else payload["id"]
        assert key not in found[row["subscription"]], "delivered twice"
        found[row["subscription"]][key] = payload
    delivered.forget()
    return found


def _compare(ours: dict, theirs: dict, about: str) -> None:
    assert ours.keys() == theirs.keys(), about
    for key, values in theirs.items():
        assert ours[key].keys() == values.keys(), (about, key)
        for name, value in values.items():
            assert _same(ours[key][name], value), (about, key, name, ours[key][name], value)


def _spark_sql(spark, subscribed) -> dict[str, dict]:
    """What Spark gives for the subscriptions' own SQL texts: subscription -> window or publication -> values."""
    answers = [_answer(spark, s["id"], s["sql"]) for s in subscribed]
    found: dict[str, dict] = {s["id"]: {} for s in subscribed}
    for start in range(0, len(answers), 8):  # a few at a time: one job each would take long
        for row in reduce(DataFrame.unionAll, answers[start : start + 8]).collect():
            key = row["publication"] or (row["start"], row["end"])
            found[row["subscription"]][key] = json.loads(row["json"])
    return found


def _answer(spark, subscription: str, sql: str) -> DataFrame:
    """One SQL text, rewritten only where Spark has no such window."""
    if "GROUP BY" not in sql:
        rows = spark.sql(sql)
        place = [F.col("id").alias("publication"), *[F.lit(None).cast("timestamp").alias(n) for n in ("start", "end")]]
        values = list(world.FIELDS)
    else:
        calls, condition, window = re.fullmatch(r"SELECT (.*) FROM traffic WHERE (.*) GROUP BY (.*)", sql).groups()
        duration, slide, start = _window(window)
        if slide > duration:
            # Sampling: Spark refuses a slide above the duration, so take windows as long as the slide and cut them.
            window = f"window(ts, '{slide} milliseconds', '{slide} milliseconds', '{start} milliseconds')"
            condition = f"{condition} AND pmod(unix_millis(ts) - {start}, {slide}) < {duration}"
        rows = spark.sql(f"SELECT window.start AS start, {calls} FROM traffic WHERE {condition} GROUP BY {window}")
        end = F.expr(f"timestamp_millis(unix_millis(start) + {duration})")
        place = [F.lit(None).cast("string").alias("publication"), F.col("start"), end.alias("end")]
        values = rows.columns[1:]
    text = F.to_json(F.struct(*[F.col(f"`{name}`") for name in values]))
    return rows.select(F.lit(subscription).alias("subscription"), *place, text.alias("json"))


def _window(text: str) -> tuple[int, int, int]:
    """Duration, slide and start in milliseconds."""
    units = {"second": 1000, "seconds": 1000, "milliseconds": 1}
    found = [int(n) * units[unit] for n, unit in re.findall(r"'(\d+) (\w+)'", text)]
    return (found[0], found[1] if len(found) > 1 else found[0], found[2] if len(found) > 2 else 0)


def _same(ours, theirs) -> bool:
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(theirs, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT.*Z", theirs):
        return _moment(ours) == _moment(theirs)
    return ours == theirs


def _moment(text: str) -> str:
    """A timestamp without trailing zeros; Spark's to_json writes milliseconds."""
    return re.sub(r"\.(\d{3})\d*Z|Z", lambda m: f".{(m[1] or '000')}Z", text)
