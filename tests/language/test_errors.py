"""Typical mistakes: the underlined part, and the words that the message must have."""

import pickle

import pytest

from sparing.language.errors import LanguageError, nearest
from sparing.language.parse import parse_query, parse_where
from sparing.model.topic import Topic
from sparing.model.types import field_type
from tests.messages import missing

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

# Each: a title, the text with the part that should be underlined in «», words of the message.
MISTAKES = [
    # names
    ("misspelt field", "SELECT * FROM traffic WHERE «sped» < 20", "traffic sped speed"),
    ("unknown field", "SELECT «height» FROM traffic", "traffic height ts road lane speed wet day"),
    ("misspelt topic", "SELECT * FROM «trafic»", "trafic traffic"),
    ("unknown topic", "SELECT * FROM «weather»", "weather traffic incidents"),
    ("another topic's prefix", "SELECT «incidents.at» FROM traffic", "incidents traffic"),
    ("topic's name despite an alias", "SELECT * FROM traffic u WHERE «traffic.lane» = 1", "traffic u"),
    ("schema before the topic", "SELECT * FROM «city.»traffic", ""),
    ("misspelt function", f"SELECT «avgg»(speed) {WINDOW[16:]}window(ts, '1 day')", "avgg avg"),
    # statements
    ("nothing", "«»", "SELECT FROM"),
    ("not a SELECT", "«DELETE» FROM traffic", "SELECT"),
    ("two statements", "SELECT * FROM traffic; «SELECT» * FROM traffic", ""),
    ("WITH", "«WITH» a AS (SELECT 1) SELECT * FROM a", "WITH SELECT"),
    ("nothing after FROM", "SELECT * FROM«»", ""),
    ("no FROM", "SELECT lane «WHERE» lane = 1", "FROM WHERE"),
    ("misspelt FROM after a field", "SELECT lane «FORM» traffic", "FROM FORM"),
    ("misspelt FROM", "SELECT * «FRM» traffic", "FROM FRM"),
    ("misspelt WHERE", "SELECT * FROM traffic «WHER» lane = 1", "WHERE WHER"),
    ("misspelt EVERY", "SELECT * FROM traffic «EVRY» '5 seconds'", "EVERY EVRY"),
    ("forgotten AND", "SELECT * FROM traffic WHERE lane = 1 «speed» < 2", "AND EVERY speed"),
    # clauses that are left out
    ("JOIN", "SELECT * FROM traffic «JOIN» incidents ON true", ""),
    ("comma join", "SELECT * FROM traffic«,» incidents", ""),
    ("EXISTS", "SELECT * FROM traffic WHERE NOT «EXISTS» (SELECT 1)", ""),
    ("subquery", "SELECT * FROM «(»SELECT * FROM traffic)", "FROM"),
    ("IN subquery", "SELECT * FROM traffic WHERE lane IN («SELECT» 1)", ""),
    ("ORDER BY", "SELECT * FROM traffic «ORDER» BY lane", ""),
    ("LIMIT", "SELECT * FROM traffic «LIMIT» 5", ""),
    ("UNION", "SELECT * FROM traffic «UNION» SELECT * FROM traffic", "SELECT"),
    ("HAVING", WINDOW + "window(ts, '1 day') «HAVING» count(*) > 1", "HAVING"),
    ("DISTINCT", "SELECT «DISTINCT» lane FROM traffic", "DISTINCT"),
    # the select list
    ("expression", "SELECT speed «*» 2 FROM traffic", ""),
    ("literal", "SELECT «1» FROM traffic", ""),
    ("expression in a function", f"SELECT sum(speed «+» 1) {WINDOW[16:]}window(ts, '1 day')", ""),
    ("name given twice", "SELECT lane, «speed AS LANE» FROM traffic", "LANE AS"),
    ("star and field", "SELECT «*», lane FROM traffic", "*"),
    ("aggregate without window", "SELECT «avg(speed)» FROM traffic", "avg GROUP BY window(ts 10 seconds"),
    ("field beside aggregates", "SELECT «road», count(*) FROM traffic GROUP BY window(ts, '1 day')", "max(road)"),
    ("star beside windows", "SELECT «*» FROM traffic GROUP BY window(ts, '1 day')", "count(*)"),
    ("window alone", "SELECT «window.start» FROM traffic GROUP BY window(ts, '1 day')", "count(*)"),
    ("window renamed", "SELECT «window.start AS s», count(*) FROM traffic GROUP BY window(ts, '1 day')", ""),
    ("sum of text", f"SELECT «sum(road)» {WINDOW[16:]}window(ts, '1 day')", "sum"),
    ("distinct sum", f"SELECT «sum(DISTINCT lane)» {WINDOW[16:]}window(ts, '1 day')", "sum(DISTINCT DISTINCT"),
    ("two arguments", f"SELECT «count(lane, road)» {WINDOW[16:]}window(ts, '1 day')", "count"),
    ("constant argument", f"SELECT max(«1») {WINDOW[16:]}window(ts, '1 day')", "max"),
    (
        "percentage out of range",
        f"SELECT «approx_percentile(speed, 95)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_percentile 0 1",
    ),
    (
        "forgotten percentage",
        f"SELECT «approx_percentile(speed)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_percentile approx_percentile(x 0.5 10000",
    ),
    ("percentage in quotes", f"SELECT percentile_approx(speed, «'0.5'») {WINDOW[16:]}window(ts, '1 day')", "0.5"),
    (
        "field among the percentages",
        f"SELECT approx_percentile(speed, array(0.5, «lane»)) {WINDOW[16:]}window(ts, '1 day')",
        "0.5",
    ),
    ("no percentage in the array", f"SELECT approx_percentile(speed, array(«)») {WINDOW[16:]}window(ts, '1 day')", ")"),
    (
        "accuracy that is not whole",
        f"SELECT «approx_percentile(speed, 0.5, 0.1)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_percentile 1 2147483647",
    ),
    (
        "percentile of text",
        f"SELECT «approx_percentile(road, 0.5)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_percentile",
    ),
    (
        "deviation out of range",
        f"SELECT «approx_count_distinct(road, 5)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_count_distinct 0.001 0.39",
    ),
    (
        "approximate count of everything",
        f"SELECT «approx_count_distinct(*)» {WINDOW[16:]}window(ts, '1 day')",
        "approx_count_distinct",
    ),
    ("array instead of a field", f"SELECT count(«array(1)») {WINDOW[16:]}window(ts, '1 day')", "count *"),
    ("OVER", f"SELECT count(*) «OVER» () {WINDOW[16:]}window(ts, '1 day')", "OVER"),
    # windows
    ("grouping by a field", WINDOW + "«road»", ""),
    ("grouping by a field, too", WINDOW + "window(ts, '1 day'), «road»", ""),
    ("misspelt window", WINDOW + "«windw(ts, '1 day')»", "window windw"),
    ("window over another field", WINDOW + "window(«day», '1 day')", "traffic ts"),
    ("window without duration", WINDOW + "«window(ts)»", "window(ts 10 seconds"),
    ("duration without quotes", WINDOW + "window(ts, «10»)", "10 seconds"),
    ("empty window", WINDOW + "window(ts, «'0 seconds'»)", ""),
    ("window of more than a century", WINDOW + "window(ts, '«36526 days»')", "36525 100"),
    ("start too long", WINDOW + "window(ts, '9 days', '1 day', «'-1 day'»)", ""),
    ("months", WINDOW + "window(ts, '1 «month»')", "month"),
    ("unknown unit", WINDOW + "window(ts, '10 «sec»')", "sec seconds"),
    ("session window", WINDOW + "«session_window(ts, '5 minutes')»", "window(...) count_window(...)"),
    ("count window of nothing", WINDOW + "count_window(«0»)", "1"),
    # EVERY
    ("EVERY without quotes", "SELECT * FROM traffic EVERY «5» seconds", "EVERY 30 seconds"),
    ("EVERY without duration", "SELECT * FROM traffic EVERY«»", "30 seconds"),
    ("EVERY in front", "SELECT * FROM traffic «EVERY '1 day'» WHERE wet", "EVERY"),
    ("EVERY with windows", WINDOW + "window(ts, '1 day') EVERY «'1 hour'»", "EVERY window"),
    ("EVERY backwards", "SELECT * FROM traffic EVERY «'-1 hour'»", ""),
]

NO_TIMESTAMP = "2026-01-31 12:30:00 Z +02:00"
MISTAKEN_CONDITIONS = [
    ("nothing", "«»", ""),
    ("text for a number", "lane = «'1'»", "lane int"),
    ("number for text", "road = «401»", "road string"),
    ("number for a boolean", "wet = «1»", "wet boolean"),
    ("boolean for a number", "lane IN (1, «true»)", "lane int boolean"),
    ("date for a number", "lane < «DATE '2026-01-01'»", "lane int date"),
    ("no date", "day = «'2026-02-30'»", "2026-01-31"),
    ("date with time", "day = «'2026-01-01 12:00'»", "2026-01-31"),
    ("no timestamp", "ts < TIMESTAMP «'noon'»", NO_TIMESTAMP),
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
    ("NaN", "speed = double(«'NaN'»)", "NaN > double('Infinity')"),
    ("OR over two fields", "wet AND («lane = 1 OR speed < 5»)", "OR lane speed"),
    ("NOT over two fields", "«NOT (lane = 1 AND speed < 5)»", "NOT lane speed"),
    ("two fields", "«lane < speed»", "lane speed"),
    ("a field with itself", "«lane = lane»", ""),
    ("two literals", "«1 = 1»", ""),
    ("comparison of a comparison", "«(lane = 1) = true»", ""),
    ("chained comparison", "1 < lane «<» 5", "AND"),
    ("arithmetic", "lane «+» 1 < 5", ""),
    ("arithmetic in parentheses", "(lane «*» 2) < 5", ""),
    ("function", "«upper»(road) = 'A'", ""),
    ("field that is no condition", "«lane» AND wet", "int"),
    ("literal that is no condition", "wet OR «5»", ""),
    ("half a condition", "lane <«»", ""),
    ("wildcard inside", "road LIKE «'%401'»", "abc% %"),
    ("one-character wildcard", "road LIKE «'40_'»", "abc% %"),
    ("stray escape", r"road LIKE «'a\\b'»", "\\ % _"),
    ("LIKE on a number", "lane LIKE «'4%'»", "lane int LIKE"),
    ("RLIKE", "road «RLIKE» 'a.*'", "LIKE abc%"),
    ("never", "lane = 1 AND «speed = NULL»", ""),
    ("never together", "lane > 5 AND wet AND «lane < 3»", "lane"),
    ("unclosed text", "road = «'»401", "'"),
    ("unclosed comment", "wet «/* or not»", ""),
    ("unclosed parenthesis", "(lane = 1«»", ")"),
    ("unclosed list", "lane IN (1, 2«»", ")"),
    ("empty list", "lane IN («)»", ")"),
    ("no number", "lane = «5abc»", "5abc"),
    ("no word", "lane = «§»5", "§"),
    ("too many decimals", "lane < «1.0000000000000000001»", "18"),
    ("too large for a list", "lane IN (1, «1e30BD»)", "lane"),
    ("too large for its suffix", "lane = «128Y»", "tinyint"),
    ("too large for a double", "speed < «1e400»", "double"),
    ("interval", "ts > «INTERVAL» '1' DAY", "INTERVAL"),
    ("NOT without what", "lane NOT «=» 1", "BETWEEN IN LIKE ="),
    ("IS what", "lane IS «5»", "NULL TRUE FALSE DISTINCT FROM 5"),
    ("GROUP BY in a condition", "lane = 1 «GROUP» BY window(ts, '1 day')", "AND GROUP"),
]


def check(parse, marked, parts):
    start, end = marked.index("«"), marked.index("»") - 1
    text = marked.replace("«", "").replace("»", "")
    with pytest.raises(LanguageError) as caught:
        parse(text)
    error = caught.value
    assert (error.start, error.end) == (start, end)
    assert missing(error.message, parts) == []
    assert error.message.endswith((".", "?"))
    below = f"\n  {text}\n  {' ' * start}{'^' * max(1, end - start)}" if text else ""
    assert str(error) == error.message + below


@pytest.mark.parametrize(("marked", "parts"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_mistakes_in_queries(marked, parts):
    check(lambda text: parse_query(text, TOPICS), marked, parts)


@pytest.mark.parametrize(
    ("marked", "parts"), [m[1:] for m in MISTAKEN_CONDITIONS], ids=[m[0] for m in MISTAKEN_CONDITIONS]
)
def test_mistakes_in_conditions(marked, parts):
    check(lambda text: parse_where(text, TRAFFIC), marked, parts)


def test_only_the_line_with_the_error_is_shown():
    text = "SELECT *\n\tFROM traffic\n\tWHERE sped < 20\n\tEVERY '1 day'"
    with pytest.raises(LanguageError) as caught:
        parse_query(text, TOPICS)
    assert str(caught.value).splitlines()[1:] == ["   WHERE sped < 20", "         ^^^^"]


def test_an_error_over_several_lines_is_underlined_to_the_end_of_the_first():
    with pytest.raises(LanguageError) as caught:
        parse_where("lane = 1\nOR speed = 2", TRAFFIC)
    assert str(caught.value).splitlines()[1:] == ["  lane = 1", "  ^^^^^^^^"]


def test_a_long_line_is_cut_around_the_error():
    numbers = ", ".join(map(str, range(500)))
    with pytest.raises(LanguageError) as caught:
        parse_where(f"lane IN ({numbers}, 'x', {numbers})", TRAFFIC)
    _, line, carets = str(caught.value).splitlines()
    assert len(line) < 140
    assert line.startswith("  ...")
    assert line.endswith("...")
    assert line[carets.index("^") : carets.index("^") + carets.count("^")] == "'x'"


def test_an_error_can_be_pickled():
    error = LanguageError("Wrong.", "SELECT", 0, 6)
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.text, again.start, again.end, str(again)) == ("Wrong.", "SELECT", 0, 6, str(error))


@pytest.mark.parametrize(("name", "found"), [("SPED", "Speed"), ("rd", "road"), ("xyz", None), ("", None)])
def test_the_nearest_name_ignores_case(name, found):
    assert nearest(name, ["road", "Speed"]) == found
