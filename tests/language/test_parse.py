"""Whole queries: parsed results, and LanguageError as the only error for any text."""

import re

import pytest
import sqlglot
from hypothesis import example, given
from hypothesis import strategies as st

from sparing.language.errors import LanguageError
from sparing.language.parse import parse_query, parse_where
from sparing.model.box import Box
from sparing.model.functions import Avg, Count, CountDistinct
from sparing.model.sketches import ApproxCountDistinct, ApproxPercentile
from sparing.model.subscription import Aggregation, Output, Query
from sparing.model.topic import Topic
from sparing.model.types import field_type
from sparing.model.window import CountWindow, TimeWindow
from tests import strategies

TRAFFIC = Topic(
    "traffic",
    "ts",
    {
        "sensor": field_type("string"),
        "road": field_type("string"),
        "lane": field_type("int"),
        "Speed": field_type("double"),
        "ts": field_type("timestamp"),
    },
)
TOPICS = {"traffic": TRAFFIC}
SECOND = 1_000_000


@given(strategies.queries())
def test_the_text_of_a_query_parses_to_the_query(case):
    text, topics, query = case
    assert parse_query(text, topics) == query


@given(strategies.queries())
def test_the_text_of_a_query_is_valid_spark_sql(case):
    text, _, query = case
    plain = text if query.every is None else text[: text.rindex(" EVERY '")]
    # sqlglot takes window( for the WINDOW clause; another function's name parses the same way. It also takes FOR as the
    # first argument of a function for the keyword, which to Spark is a name like any other.
    plain = plain.replace(" GROUP BY window(", " GROUP BY f(").replace("Window(", "f(")
    sqlglot.parse_one(re.sub(r"\(for\b", "(f", plain, flags=re.IGNORECASE), dialect="spark")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("SELECT * FROM traffic", Query("traffic", Box())),
        ("select traffic.* from TRAFFIC;", Query("traffic", Box())),
        ("SELECT u.speed AS v, road FROM traffic AS u", Query("traffic", Box(), (("v", "Speed"), ("road", "road")))),
        (
            "SELECT `SPEED` FROM `traffic` u WHERE U.lane IS NULL OR true",
            Query("traffic", Box(), (("Speed", "Speed"),)),
        ),
        ("SELECT * FROM traffic EVERY '30 seconds'", Query("traffic", Box(), every=30 * SECOND)),
        ("SELECT * FROM traffic WHERE true EVERY '0 seconds'", Query("traffic", Box())),
        ("SELECT *\nFROM traffic -- all of it\nWHERE /* really */ true", Query("traffic", Box())),
        (
            "SELECT avg(speed), count(*) FROM traffic GROUP BY window(ts, '10 seconds', '5 seconds')",
            Query(
                "traffic",
                Box(),
                aggregation=Aggregation(
                    (Output("avg(Speed)", Avg(field_type("double")), "Speed"), Output("count(1)", Count(True), None)),
                    TimeWindow(10 * SECOND, 5 * SECOND),
                ),
            ),
        ),
        (
            "SELECT window, window.start, window.END, COUNT(DISTINCT road) FROM traffic t GROUP BY Window(TS, '1 day')",
            Query(
                "traffic",
                Box(),
                aggregation=Aggregation(
                    (Output("count(DISTINCT road)", CountDistinct(field_type("string")), "road"),),
                    TimeWindow(86_400 * SECOND, 86_400 * SECOND),
                ),
            ),
        ),
        (
            "SELECT count(1) n FROM traffic GROUP BY window(ts, '2 hours', '1 day', '-6 hours')",
            Query(
                "traffic",
                Box(),
                aggregation=Aggregation(
                    (Output("n", Count(True), None),), TimeWindow(7_200 * SECOND, 86_400 * SECOND, -21_600 * SECOND)
                ),
            ),
        ),
        (
            """
            SELECT approx_count_distinct(road, 0.1), percentile_approx(speed, array(0.5, .99), 100) p,
              approx_percentile(ts, 1) AS last FROM traffic GROUP BY window(ts, '1 second')
            """,
            Query(
                "traffic",
                Box(),
                aggregation=Aggregation(
                    (
                        Output("approx_count_distinct(road)", ApproxCountDistinct(field_type("string"), 7), "road"),
                        Output("p", ApproxPercentile(field_type("double"), (0.5, 0.99), 100), "Speed"),
                        Output("last", ApproxPercentile(field_type("timestamp"), 1.0, 10_000), "ts"),
                    ),
                    TimeWindow(SECOND, SECOND),
                ),
            ),
        ),
        (
            "SELECT count(ALL lane) FROM traffic GROUP BY count_window(100, 10)",
            Query(
                "traffic",
                Box(),
                aggregation=Aggregation((Output("count(lane)", Count(False), "lane"),), CountWindow(100, 10)),
            ),
        ),
    ],
)
def test_parsed_queries(text, query):
    assert parse_query(text, TOPICS) == query


# As Spark 4.3 names the column of `SELECT ... GROUP BY window(ts, '1 second')`, asked once and written down here.
SPARK_NAMES = {
    "avg(x)": "avg(x)",
    "mean(x)": "mean(x)",
    "std(x)": "std(x)",
    "stddev(x)": "stddev(x)",
    "stddev_samp(x)": "stddev_samp(x)",
    "stddev_pop(x)": "stddev_pop(x)",
    "variance(x)": "variance(x)",
    "var_samp(x)": "var_samp(x)",
    "var_pop(x)": "var_pop(x)",
    "median(x)": "median(x)",
    "min(x)": "min(x)",
    "max(x)": "max(x)",
    "sum(x)": "sum(x)",
    "count(x)": "count(x)",
    "count(*)": "count(1)",
    "count(1)": "count(1)",
    "COUNT(*)": "count(1)",
    "Avg(x)": "avg(x)",
    "STDDEV(x)": "stddev(x)",
    "count(t.x)": "count(x)",
    "avg(`x`)": "avg(x)",
    "count(ALL x)": "count(x)",
    "count(DISTINCT x)": "count(DISTINCT x)",
    "count(distinct x)": "count(DISTINCT x)",
    "min(DISTINCT x)": "min(DISTINCT x)",
    "Max(distinct x)": "max(DISTINCT x)",
    "min(DISTINCT(x))": "min(DISTINCT x)",
    "approx_count_distinct(x)": "approx_count_distinct(x)",
    "Approx_Count_Distinct(t.x, 0.01)": "approx_count_distinct(x)",
    "approx_percentile(x, 0.5)": "approx_percentile(x, 0.5, 10000)",
    "percentile_approx(x, 1)": "percentile_approx(x, 1, 10000)",
    "Approx_Percentile(x, 0.50, 100L)": "approx_percentile(x, 0.50, 100)",
    "approx_percentile(x, .5)": "approx_percentile(x, 0.5, 10000)",
    "approx_percentile(x, 5e-1)": "approx_percentile(x, 0.5, 10000)",
    "approx_percentile(x, 0.5F)": "approx_percentile(x, 0.5, 10000)",
    "approx_percentile(x, array(0, 0.5, 1))": "approx_percentile(x, array(0, 0.5, 1), 10000)",
    "approx_percentile(x, Array(0.5D, 0.25BD), 7)": "approx_percentile(x, array(0.5, 0.25), 7)",
}


@pytest.mark.parametrize(("text", "name"), SPARK_NAMES.items())
def test_results_are_named_as_spark_names_them(text, name):
    topic = Topic("t", "ts", {"ts": field_type("timestamp"), "x": field_type("int")})
    query = parse_query(f"SELECT {text} FROM t GROUP BY window(ts, '1 second')", {"t": topic})
    assert [output.name for output in query.aggregation.outputs] == [name]


_WORDS = st.one_of(
    strategies.anything_reserved(),
    st.sampled_from(
        [*TRAFFIC.fields, "traffic", "window", "count", "every", "escape", "date", "cast", "double", "interval"]
    ),
    st.sampled_from(
        ["(", ")", ",", ".", "*", "=", "<", ">=", "<=>", "!", "-", "+", ";", "'a'", "'10 seconds'", "`lane`"]
    ),
    st.sampled_from(
        ["approx_percentile(", "approx_count_distinct(", "array(", "0.5"],
    ),
    st.sampled_from(
        ["5", "3.5", "1e400", "9Y", "'", "--", "/*", "\n", "SELECT * FROM traffic WHERE", "GROUP BY", "null"]
    ),
    st.text(max_size=3),
)


def refusal(parse):
    """The error with which a text was refused, None if it was not."""
    try:
        parse()
    except LanguageError as error:
        return error
    return None


@given(st.one_of(st.text(), st.lists(_WORDS, max_size=20).map(" ".join)))
@example("")
@example("SELECT * FROM traffic WHERE " + "(" * 10_000)
@example("SELECT * FROM traffic WHERE " + "NOT " * 10_000 + "lane")
@example("SELECT * FROM traffic WHERE lane = " + "9" * 5_000)
@example("SELECT * FROM traffic WHERE lane = 1e999999999BD")
@example("SELECT approx_percentile(lane, " + "9" * 38 + ", 1e-38BD) FROM traffic GROUP BY window(ts, '1 day')")
@example("SELECT approx_count_distinct(lane, 1e-38BD) FROM traffic GROUP BY window(ts, '1 day')")
@example("SELECT * FROM traffic WHERE lane = " + "9" * 5_000 + "L")
@example("SELECT * FROM traffic EVERY '" + "9" * 5_000 + " seconds'")
@example("SELECT count(*) FROM traffic GROUP BY count_window(" + "9" * 5_000 + ")")
@example("SELECT `traffic`.")
@example("SELECT * FROM traffic WHERE lane" + " IS NULL" * 10_000)
@example("SELECT * FROM traffic WHERE lane" + " = 1" * 10_000)
@example("SELECT * FROM traffic WHERE " + "(" * 50 + "lane" + " IS NULL" * 40 + ")" * 50)
def test_any_text_gives_a_query_or_a_language_error(text):
    for parse in (lambda: parse_query(text, TOPICS), lambda: parse_where(text, TRAFFIC)):
        error = refusal(parse)
        if error is not None:
            assert 0 <= error.start <= error.end <= len(text)
            assert error.text == text
            assert error.message[-1] in ".?"
            assert str(error).startswith(error.message)


@given(strategies.queries(), st.data())
def test_a_truncated_query_gives_a_query_or_a_language_error(case, data):
    text, topics, _ = case
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 10)))
    changed = text[:start] + data.draw(st.sampled_from(["", " ", "'", ")", "x"])) + text[end:]
    error = refusal(lambda: parse_query(changed, topics))
    assert error is None or error.text == changed
