"""Typical mistakes: the sentence, and what is underlined."""

import pickle

import pytest

from sparing.language.errors import LanguageError, nearest
from sparing.language.parse import parse_query, parse_where
from sparing.model.topic import Topic
from sparing.model.types import field_type

TRAFFIC = Topic(
    "traffic",
    "ts",
    {
        "ts": field_type("timestamp"),
        "road": field_type("string"),
        "lane": field_type("int"),
        "speed": field_type("double"),
        "wet": field_type("boolean"),
        "day": field_type("date"),
    },
)
TOPICS = {"traffic": TRAFFIC, "incidents": Topic("incidents", "at", {"at": field_type("timestamp")})}
WINDOW = "SELECT count(*) FROM traffic GROUP BY "

# Each: a title, the text with the part that should be underlined in «», the sentence.
MISTAKES = [
    # names
    (
        "misspelt field",
        "SELECT * FROM traffic WHERE «sped» < 20",
        "Topic traffic has no field sped; did you mean speed?",
    ),
    (
        "unknown field",
        "SELECT «height» FROM traffic",
        "Topic traffic has no field height; there are ts, road, lane, speed, wet, day.",
    ),
    ("misspelt topic", "SELECT * FROM «trafic»", "There is no topic trafic; did you mean traffic?"),
    ("unknown topic", "SELECT * FROM «weather»", "There is no topic weather; there are traffic, incidents."),
    (
        "another topic's prefix",
        "SELECT «incidents.at» FROM traffic",
        "incidents is not what this query reads from; write traffic or nothing before the dot.",
    ),
    (
        "topic's name despite an alias",
        "SELECT * FROM traffic u WHERE «traffic.lane» = 1",
        "traffic is not what this query reads from; write u or nothing before the dot.",
    ),
    (
        "schema before the topic",
        "SELECT * FROM «city.»traffic",
        "A topic has a plain name, without a catalog or schema.",
    ),
    (
        "misspelt function",
        f"SELECT «avgg»(speed) {WINDOW[16:]}window(ts, '1 day')",
        "There is no aggregate function avgg; did you mean avg?",
    ),
    # statements
    ("nothing", "«»", "There is no query here: write SELECT ... FROM topic."),
    ("not a SELECT", "«DELETE» FROM traffic", "A subscription must start with SELECT."),
    ("two statements", "SELECT * FROM traffic; «SELECT» * FROM traffic", "Only one statement may be given."),
    (
        "WITH",
        "«WITH» a AS (SELECT 1) SELECT * FROM a",
        "WITH is not supported: a subscription is one SELECT over one topic.",
    ),
    ("nothing after FROM", "SELECT * FROM«»", "The text ends where the name of a topic should follow."),
    ("no FROM", "SELECT lane «WHERE» lane = 1", "Expected FROM here, found WHERE."),
    ("misspelt FROM after a field", "SELECT lane «FORM» traffic", "Expected FROM here, found FORM."),
    ("misspelt FROM", "SELECT * «FRM» traffic", "Expected FROM here, found FRM."),
    ("misspelt WHERE", "SELECT * FROM traffic «WHER» lane = 1", "Expected WHERE here, found WHER."),
    ("misspelt EVERY", "SELECT * FROM traffic «EVRY» '5 seconds'", "Expected EVERY here, found EVRY."),
    (
        "forgotten AND",
        "SELECT * FROM traffic WHERE lane = 1 «speed» < 2",
        "Expected AND, GROUP BY, EVERY or the end here, found speed.",
    ),
    # clauses that are left out
    (
        "JOIN",
        "SELECT * FROM traffic «JOIN» incidents ON true",
        "A subscription reads one topic: joins are not supported.",
    ),
    ("comma join", "SELECT * FROM traffic«,» incidents", "A subscription reads one topic: joins are not supported."),
    ("EXISTS", "SELECT * FROM traffic WHERE NOT «EXISTS» (SELECT 1)", "Subqueries are not supported."),
    ("subquery", "SELECT * FROM «(»SELECT * FROM traffic)", "Subqueries are not supported: name a topic after FROM."),
    (
        "IN subquery",
        "SELECT * FROM traffic WHERE lane IN («SELECT» 1)",
        "Subqueries are not supported: list the values.",
    ),
    (
        "ORDER BY",
        "SELECT * FROM traffic «ORDER» BY lane",
        "Notifications come in event-time order: they cannot be sorted.",
    ),
    (
        "LIMIT",
        "SELECT * FROM traffic «LIMIT» 5",
        "A subscription goes on until it is taken back: it cannot be limited.",
    ),
    (
        "UNION",
        "SELECT * FROM traffic «UNION» SELECT * FROM traffic",
        "A subscription is one SELECT: write a subscription for each.",
    ),
    (
        "HAVING",
        WINDOW + "window(ts, '1 day') «HAVING» count(*) > 1",
        "HAVING is not supported: filter the notifications where they arrive.",
    ),
    (
        "DISTINCT",
        "SELECT «DISTINCT» lane FROM traffic",
        "SELECT DISTINCT is not supported: every publication is an event of its own.",
    ),
    # the select list
    (
        "expression",
        "SELECT speed «*» 2 FROM traffic",
        "The select list takes fields and aggregate functions, not expressions.",
    ),
    ("literal", "SELECT «1» FROM traffic", "The select list takes fields and aggregate functions, not expressions."),
    (
        "expression in a function",
        f"SELECT sum(speed «+» 1) {WINDOW[16:]}window(ts, '1 day')",
        "A function takes a field, not an expression.",
    ),
    (
        "name given twice",
        "SELECT lane, «speed AS LANE» FROM traffic",
        "The name LANE is given twice: rename one with AS.",
    ),
    (
        "star and field",
        "SELECT «*», lane FROM traffic",
        "* already stands for every field: give either * or a list of fields.",
    ),
    (
        "aggregate without window",
        "SELECT «avg(speed)» FROM traffic",
        "avg needs windows: add GROUP BY window(ts, '10 seconds').",
    ),
    (
        "field beside aggregates",
        "SELECT «road», count(*) FROM traffic GROUP BY window(ts, '1 day')",
        "With windows, a field must be inside an aggregate function, such as max(road).",
    ),
    (
        "star beside windows",
        "SELECT «*» FROM traffic GROUP BY window(ts, '1 day')",
        "With windows, the select list takes aggregate functions such as count(*).",
    ),
    (
        "window alone",
        "SELECT «window.start» FROM traffic GROUP BY window(ts, '1 day')",
        "No aggregate function is asked for: add one, such as count(*).",
    ),
    (
        "window renamed",
        "SELECT «window.start AS s», count(*) FROM traffic GROUP BY window(ts, '1 day')",
        "Every notification has its window's start and end: they cannot be renamed.",
    ),
    ("sum of text", f"SELECT «sum(road)» {WINDOW[16:]}window(ts, '1 day')", "sum needs a number."),
    (
        "distinct sum",
        f"SELECT «sum(DISTINCT lane)» {WINDOW[16:]}window(ts, '1 day')",
        "sum(DISTINCT ...) is not supported: only count, min and max may be DISTINCT.",
    ),
    ("two arguments", f"SELECT «count(lane, road)» {WINDOW[16:]}window(ts, '1 day')", "count takes one field."),
    ("constant argument", f"SELECT max(«1») {WINDOW[16:]}window(ts, '1 day')", "max takes a field."),
    (
        "percentage out of range",
        f"SELECT «approx_percentile(speed, 95)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_percentile needs a percentage from 0 to 1, or an array of them.",
    ),
    (
        "forgotten percentage",
        f"SELECT «approx_percentile(speed)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_percentile takes a field, a percentage and perhaps an accuracy: approx_percentile(x, 0.5, 10000).",
    ),
    (
        "percentage in quotes",
        f"SELECT percentile_approx(speed, «'0.5'») {WINDOW[16:]}window(ts, '1 day')",
        "A number is expected here, such as 0.5.",
    ),
    (
        "field among the percentages",
        f"SELECT approx_percentile(speed, array(0.5, «lane»)) {WINDOW[16:]}window(ts, '1 day')",
        "A number is expected here, such as 0.5.",
    ),
    (
        "no percentage in the array",
        f"SELECT approx_percentile(speed, array(«)») {WINDOW[16:]}window(ts, '1 day')",
        "Expected a field or a literal here, found ).",
    ),
    (
        "accuracy that is not whole",
        f"SELECT «approx_percentile(speed, 0.5, 0.1)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_percentile needs an accuracy that is a whole number from 1 to 2147483647.",
    ),
    (
        "percentile of text",
        f"SELECT «approx_percentile(road, 0.5)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_percentile needs a number, a date or a timestamp.",
    ),
    (
        "deviation out of range",
        f"SELECT «approx_count_distinct(road, 5)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_count_distinct needs a relative standard deviation from 0.001 to 0.39.",
    ),
    (
        "approximate count of everything",
        f"SELECT «approx_count_distinct(*)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_count_distinct needs a field.",
    ),
    (
        "array instead of a field",
        f"SELECT count(«array(1)») {WINDOW[16:]}window(ts, '1 day')",
        "count takes *, 1 or a field.",
    ),
    ("OVER", f"SELECT count(*) «OVER» () {WINDOW[16:]}window(ts, '1 day')", "OVER is not supported."),
    # windows
    (
        "grouping by a field",
        WINDOW + "«road»",
        "Grouping by a field is not supported: write a subscription for each of its values.",
    ),
    (
        "grouping by a field, too",
        WINDOW + "window(ts, '1 day'), «road»",
        "Grouping by a field is not supported: write a subscription for each of its values.",
    ),
    ("misspelt window", WINDOW + "«windw(ts, '1 day')»", "There is no window windw; did you mean window?"),
    (
        "window over another field",
        WINDOW + "window(«day», '1 day')",
        "Windows are over the event time of topic traffic, which is ts.",
    ),
    (
        "window without duration",
        WINDOW + "«window(ts)»",
        "window takes the time field, a duration and perhaps a slide and a start: window(ts, '10 seconds').",
    ),
    (
        "duration without quotes",
        WINDOW + "window(ts, «10»)",
        "A duration in quotes is expected here, such as '10 seconds'.",
    ),
    ("empty window", WINDOW + "window(ts, «'0 seconds'»)", "This duration must be longer than nothing."),
    (
        "window of more than a century",
        WINDOW + "window(ts, '«36526 days»')",
        "This duration is too long: give at most 36525 days, 100 years.",
    ),
    (
        "start too long",
        WINDOW + "window(ts, '9 days', '1 day', «'-1 day'»)",
        "The start must be shorter than the slide.",
    ),
    (
        "months",
        WINDOW + "window(ts, '1 «month»')",
        "A month is not always equally long: give the duration in weeks, days or smaller units.",
    ),
    ("unknown unit", WINDOW + "window(ts, '10 «sec»')", "There is no unit of time sec; did you mean seconds?"),
    (
        "session window",
        WINDOW + "«session_window(ts, '5 minutes')»",
        "Session windows are not supported: use window(...), or count_window(...) for numbers of publications.",
    ),
    ("count window of nothing", WINDOW + "count_window(«0»)", "A whole number, 1 or more, is expected here."),
    # EVERY
    (
        "EVERY without quotes",
        "SELECT * FROM traffic EVERY «5» seconds",
        "Put the duration in quotes: EVERY '30 seconds'.",
    ),
    (
        "EVERY without duration",
        "SELECT * FROM traffic EVERY«»",
        "The text ends where a duration such as '30 seconds' should follow.",
    ),
    ("EVERY in front", "SELECT * FROM traffic «EVERY '1 day'» WHERE wet", "EVERY must be the last clause."),
    (
        "EVERY with windows",
        WINDOW + "window(ts, '1 day') EVERY «'1 hour'»",
        "Windows have their own rhythm: leave out EVERY, or set the window's slide.",
    ),
    ("EVERY backwards", "SELECT * FROM traffic EVERY «'-1 hour'»", "A notification cycle cannot be negative."),
]

NO_TIMESTAMP = (
    "This is not a timestamp: write one as '2026-01-31 12:30:00', with Z or an offset such as +02:00 if need be."
)
MISTAKEN_CONDITIONS = [
    ("nothing", "«»", "There is no condition here: write one, or true for everything."),
    ("text for a number", "lane = «'1'»", "lane is int and cannot be compared with text: leave out the quotes."),
    ("number for text", "road = «401»", "road is string and cannot be compared with a number: put it in quotes."),
    ("number for a boolean", "wet = «1»", "wet is boolean and cannot be compared with a number."),
    ("boolean for a number", "lane IN (1, «true»)", "lane is int and cannot be compared with a boolean."),
    ("date for a number", "lane < «DATE '2026-01-01'»", "lane is int and cannot be compared with a date."),
    ("no date", "day = «'2026-02-30'»", "This is not a date: write one as '2026-01-31'."),
    ("date with time", "day = «'2026-01-01 12:00'»", "This is not a date: write one as '2026-01-31'."),
    (
        "no timestamp",
        "ts < TIMESTAMP «'noon'»",
        NO_TIMESTAMP,
    ),
    *(
        (
            f"a timestamp that is {why}",
            f"ts < «'{text}'»",
            NO_TIMESTAMP,
        )
        for why, text in [
            ("of today", "08:00"),
            ("of today, too", "T08:00"),
            ("now", "now"),
            ("today", "today"),
            ("the epoch", "epoch"),
            ("after year 9999", "10000-01-01"),
            ("before year 1", "0000-01-01"),
        ]
    ),
    (
        "NaN",
        "speed = double(«'NaN'»)",
        "NaN cannot be compared with: it is above every number, so write > double('Infinity') to find it.",
    ),
    (
        "OR over two fields",
        "wet AND («lane = 1 OR speed < 5»)",
        "OR joins conditions on several fields (lane and speed): write a subscription for each.",
    ),
    (
        "NOT over two fields",
        "«NOT (lane = 1 AND speed < 5)»",
        "NOT applies to several fields (lane and speed) at once: write a subscription for each case.",
    ),
    ("two fields", "«lane < speed»", "lane and speed are compared with each other: compare each with a literal."),
    ("a field with itself", "«lane = lane»", "A field is compared with itself: compare it with a literal."),
    ("two literals", "«1 = 1»", "Two literals are compared: one side must be a field."),
    (
        "comparison of a comparison",
        "«(lane = 1) = true»",
        "One side of a comparison must be a field, the other a literal.",
    ),
    ("chained comparison", "1 < lane «<» 5", "Comparisons cannot be chained: join two of them with AND."),
    ("arithmetic", "lane «+» 1 < 5", "Arithmetic is not supported: compare a field with a literal."),
    ("arithmetic in parentheses", "(lane «*» 2) < 5", "Arithmetic is not supported: compare a field with a literal."),
    ("function", "«upper»(road) = 'A'", "Functions are not supported here: compare a field with a literal."),
    ("field that is no condition", "«lane» AND wet", "A condition is expected here, not a field of type int."),
    ("literal that is no condition", "wet OR «5»", "A condition is expected here, not a number."),
    ("half a condition", "lane <«»", "The text ends where a field or a literal should follow."),
    (
        "wildcard inside",
        "road LIKE «'%401'»",
        "Only patterns of the form 'abc%' are supported: a single wildcard % at the end.",
    ),
    (
        "one-character wildcard",
        "road LIKE «'40_'»",
        "Only patterns of the form 'abc%' are supported: a single wildcard % at the end.",
    ),
    ("stray escape", r"road LIKE «'a\\b'»", "In a pattern, \\ must stand before %, _ or \\."),
    ("LIKE on a number", "lane LIKE «'4%'»", "lane is int: LIKE is for text."),
    ("RLIKE", "road «RLIKE» 'a.*'", "Only LIKE with a prefix such as 'abc%' is supported."),
    ("never", "lane = 1 AND «speed = NULL»", "This condition can never hold."),
    (
        "never together",
        "lane > 5 AND wet AND «lane < 3»",
        "This condition and the others on lane can never hold together.",
    ),
    ("unclosed text", "road = «'»401", "This ' is never closed."),
    ("unclosed comment", "wet «/* or not»", "This comment is never closed."),
    ("unclosed parenthesis", "(lane = 1«»", "The text ends where ) should follow."),
    ("unclosed list", "lane IN (1, 2«»", "The text ends where ) should follow."),
    ("empty list", "lane IN («)»", "Expected a field or a literal here, found )."),
    ("no number", "lane = «5abc»", "5abc is not a number."),
    ("no word", "lane = «§»5", "'§' has no meaning here."),
    ("too many decimals", "lane < «1.0000000000000000001»", "A number may have at most 18 decimals here."),
    ("too large for a list", "lane IN (1, «1e30BD»)", "No value of lane is this large: leave it out of the list."),
    ("too large for its suffix", "lane = «128Y»", "This number is too large for a tinyint."),
    ("too large for a double", "speed < «1e400»", "This number is too large for a double."),
    ("interval", "ts > «INTERVAL» '1' DAY", "INTERVAL cannot stand before text."),
    ("NOT without what", "lane NOT «=» 1", "Expected BETWEEN, IN or LIKE here, found =."),
    ("IS what", "lane IS «5»", "Expected NULL, TRUE, FALSE or DISTINCT FROM here, found 5."),
    (
        "GROUP BY in a condition",
        "lane = 1 «GROUP» BY window(ts, '1 day')",
        "Expected AND or the end here, found GROUP.",
    ),
]


def check(parse, marked, sentence):
    start, end = marked.index("«"), marked.index("»") - 1
    text = marked.replace("«", "").replace("»", "")
    with pytest.raises(LanguageError) as caught:
        parse(text)
    error = caught.value
    assert error.message == sentence
    assert (error.start, error.end) == (start, end)
    below = f"\n  {text}\n  {' ' * start}{'^' * max(1, end - start)}" if text else ""
    assert str(error) == sentence + below


@pytest.mark.parametrize(("marked", "sentence"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_mistakes_in_queries(marked, sentence):
    check(lambda text: parse_query(text, TOPICS), marked, sentence)


@pytest.mark.parametrize(
    ("marked", "sentence"), [m[1:] for m in MISTAKEN_CONDITIONS], ids=[m[0] for m in MISTAKEN_CONDITIONS]
)
def test_mistakes_in_conditions(marked, sentence):
    check(lambda text: parse_where(text, TRAFFIC), marked, sentence)


def test_of_several_lines_the_one_in_question_is_shown():
    text = "SELECT *\n\tFROM traffic\n\tWHERE sped < 20\n\tEVERY '1 day'"
    with pytest.raises(LanguageError) as caught:
        parse_query(text, TOPICS)
    assert str(caught.value).splitlines()[1:] == ["   WHERE sped < 20", "         ^^^^"]


def test_a_part_over_several_lines_is_underlined_to_the_end_of_the_first():
    with pytest.raises(LanguageError) as caught:
        parse_where("lane = 1\nOR speed = 2", TRAFFIC)
    assert str(caught.value).splitlines()[1:] == ["  lane = 1", "  ^^^^^^^^"]


def test_a_long_line_is_cut_around_the_part():
    numbers = ", ".join(map(str, range(500)))
    with pytest.raises(LanguageError) as caught:
        parse_where(f"lane IN ({numbers}, 'x', {numbers})", TRAFFIC)
    _, line, carets = str(caught.value).splitlines()
    assert len(line) < 140
    assert line.startswith("  ...")
    assert line.endswith("...")
    assert line[carets.index("^") : carets.index("^") + carets.count("^")] == "'x'"


def test_an_error_travels_between_processes():
    error = LanguageError("Wrong.", "SELECT", 0, 6)
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.text, again.start, again.end, str(again)) == ("Wrong.", "SELECT", 0, 6, str(error))


@pytest.mark.parametrize(("name", "found"), [("SPED", "Speed"), ("rd", "road"), ("xyz", None), ("", None)])
def test_the_nearest_name_ignores_case(name, found):
    assert nearest(name, ["road", "Speed"]) == found
