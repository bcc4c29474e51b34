"""WHERE has the semantics of Spark: three-valued logic, judged value by value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.language.errors import LanguageError
from sparing.language.parse import parse_where
from sparing.model.box import Box
from sparing.model.topic import Topic
from sparing.model.types import field_type
from tests import strategies
from tests.judges.sql import both

TOPIC = Topic(
    "t",
    "ts",
    {
        "ts": field_type("timestamp"),
        "n": field_type("int"),
        "big": field_type("bigint"),
        "x": field_type("double"),
        "f": field_type("float"),
        "money": field_type("decimal(10,2)"),
        "s": field_type("string"),
        "flag": field_type("boolean"),
        "day": field_type("date"),
    },
)


def box_or_nothing(text, topic):
    """The box, or None if the condition was refused because it can never hold."""
    try:
        return parse_where(text, topic)
    except LanguageError as error:
        if "never true" in error.message:
            return None
        raise


@given(st.data())
def test_a_condition_admits_exactly_the_values_for_which_it_is_true(data):
    kind = data.draw(strategies.field_types())
    condition = data.draw(strategies.conditions("x", kind))
    values = [None, *data.draw(st.lists(strategies.values(kind), min_size=8, max_size=8))]
    topic = Topic("t", "ts", {"ts": field_type("timestamp"), "x": kind})
    box = box_or_nothing(condition.text, topic)
    for value in values:
        code = None if value is None else kind.code(value)
        assert (box is not None and box.admits({"x": code})) == (condition.truth(value) is True)


@given(st.data())
def test_a_conjunction_over_several_fields_is_a_box(data):
    topic = data.draw(strategies.topics())
    chosen = data.draw(st.lists(st.sampled_from(sorted(topic.fields)), min_size=1, max_size=3))
    parts = [(field, data.draw(strategies.conditions(field, topic.fields[field]))) for field in chosen]
    publication = data.draw(strategies.publications(topic))
    truth = True
    for field, condition in parts:
        truth = both(truth, condition.truth(publication[field]))
    box = box_or_nothing(" AND ".join(f"({condition.text})" for _, condition in parts), topic)
    assert (box is not None and box.admits(strategies.coded(topic, publication))) == (truth is True)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        # the sides of a comparison
        ("5 < n", "n > 5"),
        ("5 <=> n", "n = 5"),
        ("n == 5", "n = 5"),
        ("n <> 5", "n != 5"),
        ("(n) > (5)", "n > 5"),
        # numbers that the field cannot hold
        ("n > 3.5", "n >= 4"),
        ("n <= -3.5", "n <= -4"),
        ("n != 3.5", "n IS NOT NULL"),
        ("n < 99999999999", "n IS NOT NULL"),
        ("n > -99999999999999999999", "n IS NOT NULL"),
        ("n BETWEEN 2.5 AND 4.5", "n IN (3, 4)"),
        ("money > 1.005", "money >= 1.01"),
        ("money = 0.1D", "money = 0.1"),
        ("x < double('Infinity')", "x < CAST('inf' AS DOUBLE)"),
        ("n < double('Infinity')", "n IS NOT NULL"),
        ("x = 3", "x = 3.0D"),
        ("n = +3", "n = 3S"),
        ("n = 3e0", "n = 3"),
        # a long becomes a double beside a double
        ("big = 9007199254740992D", "big IN (9007199254740992, 9007199254740993)"),
        ("big IN (9007199254740992, 1e0)", "big IN (1, 9007199254740992, 9007199254740993)"),
        ("big = 9007199254740993", "big >= 9007199254740993 AND big < 9007199254740994"),
        # a float becomes a double beside a decimal, and has another 0.1
        ("f = 0.1F", "f = 0.10000000149011612D"),
        ("f != 0.1", "f IS NOT NULL"),
        ("f >= 0.1", "f >= 0.1F"),
        ("f > 16777216", "f >= 16777218"),
        # NULL
        ("n IN (1, NULL)", "n = 1"),
        ("n <=> NULL", "n IS NULL"),
        ("NOT n <=> NULL", "n IS NOT NULL"),
        ("n IS DISTINCT FROM 5", "n != 5 OR n IS NULL"),
        ("n IS NOT DISTINCT FROM 5", "n = 5"),
        ("NOT (n > 5)", "n <= 5"),
        ("NOT (n > 5 AND NULL)", "n <= 5"),
        ("(n > 5) IS NULL", "n IS NULL"),
        ("(n > 5) IS NOT TRUE", "n <= 5 OR n IS NULL"),
        ("n > 5 IS FALSE", "n <= 5"),
        ("n = 1 OR NULL", "n = 1"),
        ("n NOT BETWEEN 3 AND NULL", "n < 3"),
        # booleans
        ("flag", "flag = true"),
        ("NOT flag", "flag = false"),
        ("! flag", "flag != true"),
        ("flag IS TRUE", "flag"),
        ("flag IS NOT FALSE", "flag OR flag IS NULL"),
        ("flag IS UNKNOWN", "flag IS NULL"),
        ("flag > false", "flag"),
        # precedence
        ("n = 1 OR n = 2 AND n < 5", "n IN (1, 2)"),
        ("NOT n = 1 AND n < 3", "n < 3 AND n != 1"),
        ("NOT NOT n = 1", "n = 1"),
        # patterns
        ("s LIKE 'abc'", "s = 'abc'"),
        ("s LIKE '%'", "s IS NOT NULL"),
        ("s LIKE 'a%%'", "s LIKE 'a%'"),
        ("s LIKE 'ab%'", "s >= 'ab' AND s < 'ac'"),
        (r"s LIKE '50\\%%'", "s >= '50%' AND s < '50&'"),
        (r"s LIKE '50\%%'", "s >= '50%' AND s < '50&'"),
        ("s LIKE '50/%%' ESCAPE '/'", "s >= '50%' AND s < '50&'"),
        ("s NOT LIKE 'a%'", "s < 'a' OR s >= 'b'"),
        # text
        ('s = "it\'s"', r"s = 'it\'s'"),
        ("s = 'it''s'", r"s = 'it\'s'"),
        (r"s = '\u0041\101\x'", "s = 'AAx'"),
        (r"s = '\uD83D\uDE00'", "s = '\U0001f600'"),
        # dates and timestamps
        ("day = '2026'", "day = DATE '2026-01-01'"),
        ("day = ' 2026-1-2 '", "day = DATE '2026-01-02'"),
        ("day < TIMESTAMP '2026-01-01 12:00:00'", "day <= DATE '2026-01-01'"),
        ("day != TIMESTAMP '2026-01-01 12:00:00'", "day IS NOT NULL"),
        ("ts >= DATE '2026-01-01'", "ts >= TIMESTAMP '2026-01-01 00:00:00Z'"),
        ("ts = '2026-01-01T02:00:00+02:00'", "ts = '2026-01-01'"),
        ("ts = '2026-01-01 00:00:00 UTC'", "ts = '2026-01-01 0:0'"),
        ("ts = '2025-12-31 22:00:00.5-0200'", "ts = '2026-01-01 00:00:00.500000'"),
        ("ts = '2026-01-01 00:00:00.0000019'", "ts = '2026-01-01 00:00:00.000001'"),
        # names
        ("`n` > 5", "n > 5"),
        ("N > 5", "n > 5"),
        ("t.n > 5", "n > 5"),
        ("T.`N` > 5 /* so there */", "n > 5 -- and here"),
        # several fields
        ("n > 1 AND (x < 2 AND s = 'a') AND n < 9", "n BETWEEN 2 AND 8 AND s = 'a' AND x < 2"),
        ("true AND n = 1", "n = 1"),
    ],
)
def test_equivalent_conditions_give_the_same_box(text, same):
    assert parse_where(text, TOPIC) == parse_where(same, TOPIC)


@pytest.mark.parametrize(
    "text", ["true", "NOT false", "n IS NULL OR true", "NULL IS NULL", "n IS NULL OR n IS NOT NULL"]
)
def test_a_tautology_admits_the_whole_topic(text):
    assert parse_where(text, TOPIC) == Box()


@pytest.mark.parametrize(
    "text",
    [
        "false",
        "NULL",
        "n = NULL",
        "n NOT IN (1, NULL)",
        "n = 3.5",
        "n > 99999999999",
        "f = 0.1",
        "n > 5 AND n < 5",
        "flag AND NOT flag",
        "s < ''",
        "x > 5 AND x IS NULL",
        "n BETWEEN 5 AND 3",
        "n = 1 AND NULL",
        "s NOT LIKE '%'",
    ],
)
def test_a_contradiction_is_an_error(text):
    with pytest.raises(LanguageError, match="never"):
        parse_where(text, TOPIC)


def test_a_long_list_of_values_is_parsed_quickly():
    numbers = ", ".join(map(str, range(0, 20_000, 2)))
    assert len(parse_where(f"n IN ({numbers})", TOPIC).on("n").ranges) == 10_000
    ors = " OR ".join(f"n = {number}" for number in range(0, 2_000, 2))
    assert len(parse_where(ors, TOPIC).on("n").ranges) == 1_000
