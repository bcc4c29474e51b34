"""Scores are what Spark SQL gives for the text that `sql` writes."""

from __future__ import annotations

import math
from random import Random

import pytest
from pyspark.sql import functions as F

from sparing.language.scores import parse_score
from sparing.model.expression import evaluate, sql
from tests.model import expressions
from tests.model.expressions import ATTRIBUTES, FIELD_KINDS, TOPIC

pytestmark = pytest.mark.spark

SCORES = [
    "x + subscription.a",
    "x - y * subscription.a / n",
    "-x",
    "abs(x - subscription.a)",
    "sqrt(x)",
    "ln(x)",
    "exp(x)",
    "power(x, subscription.a)",
    "power(1, y)",
    "power(-1, y)",
    "floor(greatest(least(x, 1E18), -1E18))",  # Spark fails outside of bigint
    "ceil(greatest(least(x, 1E18), -1E18)) / floor(least(greatest(y, 0.5), 9))",
    "least(x, y, subscription.a)",
    "greatest(x, y, subscription.a)",
    "coalesce(x, subscription.a, 5)",
    "if(x = y, 1, 0)",
    "if(x != y, 1, 0)",
    "if(x < y, 1, 0)",
    "if(x <= y, 1, 0)",
    "if(x > subscription.a, 1, 0)",
    "if(x >= subscription.a, 1, 0)",
    "if(place = subscription.home, 1, 0)",
    "if(place != 'it''s', 1, 0)",
    "if(wet = subscription.keen, 1, 0)",
    "if(wet AND subscription.keen, 1, if(wet OR subscription.keen, 2, 3))",
    "if(NOT wet IS NULL, 1, 0)",
    "if((wet AND subscription.keen) IS NULL, 1, 0)",
    "if((wet OR subscription.keen) IS NOT NULL, 1, 0)",
    "CASE WHEN x IS NULL THEN y WHEN wet THEN NULL ELSE subscription.b END",
    "CASE place WHEN 'a' THEN x WHEN subscription.home THEN y END",
    "if(x BETWEEN -1 AND 1 OR place IN ('a', NULL), 1, 0)",
    "if(wet IS NOT TRUE, 1, 0)",
    "NULL + x",
    "if(x = NULL, 1, 2)",
    "double('-Infinity') * x",
    "1E300 * x * 1E300",
]
NUMBERS = [None, 0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -2.5, 3.0, 1e16, 1e-310, 1e300, math.inf, -math.inf, math.nan]


def test_scores_equal_spark_sql(spark):
    chance = Random(7)
    pick = {"number": NUMBERS, "text": [None, "", "a", "b", "it's"], "truth": [None, True, False]}
    rows = [
        tuple({name: chance.choice(pick[kind]) for name, kind in kinds.items()} for kinds in (FIELD_KINDS, ATTRIBUTES))
        for _ in range(300)
    ]
    parsed = [parse_score(text, TOPIC, ATTRIBUTES) for text in SCORES]
    spelt = {"number": "double", "text": "string", "truth": "boolean"}
    fields = ", ".join(f"{name} {spelt[kind]}" for name, kind in FIELD_KINDS.items())
    attributes = ", ".join(f"{name}: {spelt[kind]}" for name, kind in ATTRIBUTES.items())
    given = [(at, *row.values(), tuple(owner.values())) for at, (row, owner) in enumerate(rows)]
    frame = spark.createDataFrame(given, f"at int, {fields}, subscription struct<{attributes}>")
    found = frame.select("at", *[F.expr(sql(score)).alias(f"s{i}") for i, score in enumerate(parsed)]).collect()
    assert len(found) == len(rows)
    publications = expressions.columns([row for row, _ in rows], FIELD_KINDS)
    owners = expressions.columns([owner for _, owner in rows], ATTRIBUTES)
    for i, (text, score) in enumerate(zip(SCORES, parsed, strict=True)):
        ours = evaluate(score, publications, owners, len(rows))
        for row in found:
            theirs = row[f"s{i}"]
            assert ours.valid[row["at"]] == (theirs is not None), (text, rows[row["at"]])
            assert theirs is None or same(ours.array[row["at"]], theirs), (text, rows[row["at"]])


def same(ours: float, theirs: float) -> bool:
    return (math.isnan(ours) and math.isnan(theirs)) or math.isclose(ours, theirs, rel_tol=1e-12)
