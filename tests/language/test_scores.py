"""Scores: parsed expressions, and the messages of invalid ones."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.language.arithmetic import MOST_OPERATIONS
from sparing.language.errors import LanguageError
from sparing.language.parse import parse_where
from sparing.language.scores import FUNCTIONS, parse_score
from sparing.model.expression import Attribute, Constant, Field, evaluate, sql
from sparing.model.topic import Topic
from sparing.model.types import field_type
from tests.judges.scores import value_of
from tests.messages import missing
from tests.model import expressions

OFFERS = Topic(
    "offers",
    "ts",
    {
        "ts": field_type("timestamp"),
        "shop": field_type("string"),
        "price": field_type("decimal(8,2)"),
        "stock": field_type("int"),
        "fresh": field_type("boolean"),
        "day": field_type("date"),
    },
)
ATTRIBUTES = {"budget": "number", "tier": "text", "keen": "truth", "air speed": "number"}


def parsed(text: str):
    return parse_score(text, OFFERS, ATTRIBUTES)


# Each: a text, and the expression as SQL that shows its structure.
MEANINGS = [
    ("price", "price"),
    ("Price", "price"),
    ("offers.price", "price"),
    ("subscription.budget", "subscription.budget"),
    ("SUBSCRIPTION.Budget", "subscription.budget"),
    ("subscription.`air speed`", "subscription.`air speed`"),
    ("price + stock * 2", "(price + (stock * 2.0D))"),
    ("(price + stock) * 2", "((price + stock) * 2.0D)"),
    ("price - stock - 1", "((price - stock) - 1.0D)"),
    ("price / stock / 2", "try_divide(try_divide(price, stock), 2.0D)"),
    ("-price * 2", "((- price) * 2.0D)"),
    ("- - price", "price"),
    ("+price", "price"),
    ("2 - -3", "5.0D"),
    ("2 * 3 + price", "(6.0D + price)"),
    ("1 / 0", "try_divide(1.0D, 0.0D)"),
    ("1.5e3", "1500.0D"),
    ("double('Infinity')", "double('Infinity')"),
    ("double(stock)", "stock"),
    ("POW(price, 2)", "power(price, 2.0D)"),
    ("ceiling(price)", "double(ceil(price))"),
    ("abs(price) + sqrt(price) + ln(price) + exp(price)", "(((abs(price) + sqrt(price)) + ln(price)) + exp(price))"),
    ("least(price, 1, stock)", "least(price, 1.0D, stock)"),
    ("coalesce(subscription.budget, 0)", "coalesce(subscription.budget, 0.0D)"),
    ("if(fresh, 2, 1)", "if(fresh, 2.0D, 1.0D)"),
    ("if(subscription.keen AND NOT fresh, 2, 1)", "if((subscription.keen AND (NOT fresh)), 2.0D, 1.0D)"),
    ("if(price < 5 OR stock >= 2 AND fresh, 2, 1)", "if(((price < 5.0D) OR ((stock >= 2.0D) AND fresh)), 2.0D, 1.0D)"),
    ("if(shop = subscription.tier, 2, 1)", "if((shop = subscription.tier), 2.0D, 1.0D)"),
    ("if(shop <> 'x', 2, 1)", "if((shop != 'x'), 2.0D, 1.0D)"),
    ("if(fresh = true, 2, 1)", "if((fresh = true), 2.0D, 1.0D)"),
    ("if(price + 1 < stock * 2, 2, 1)", "if(((price + 1.0D) < (stock * 2.0D)), 2.0D, 1.0D)"),
    ("if(price IS NULL, 0, price)", "if((price IS NULL), 0.0D, price)"),
    ("if(price + stock IS NOT NULL, 1, 0)", "if((NOT ((price + stock) IS NULL)), 1.0D, 0.0D)"),
    ("if(stock BETWEEN 1 AND 3, 1, 0)", "if(((stock >= 1.0D) AND (stock <= 3.0D)), 1.0D, 0.0D)"),
    ("if(shop IN ('a', 'b'), 1, 0)", "if(((shop = 'a') OR (shop = 'b')), 1.0D, 0.0D)"),
    ("if(shop NOT IN ('a'), 1, 0)", "if((NOT ((shop = 'a'))), 1.0D, 0.0D)"),
    ("if(fresh IS TRUE, 1, 0)", "if(((NOT (fresh IS NULL)) AND fresh), 1.0D, 0.0D)"),
    ("if(day > '1970-01-03', 1, 0)", "if((day > 2.0D), 1.0D, 0.0D)"),
    ("if(ts > TIMESTAMP '1970-01-01 00:00:01.5', 1, 0)", "if((ts > 1.5D), 1.0D, 0.0D)"),
    ("if('1970-01-02' = ts, 1, 0)", "if((86400.0D = ts), 1.0D, 0.0D)"),
    ("day - DATE '1970-01-02'", "(day - 1.0D)"),
    ("CASE WHEN fresh THEN 1 END", "if(fresh, 1.0D, NULL)"),
    ("CASE WHEN fresh THEN 1 WHEN stock = 0 THEN 2 ELSE 3 END", "if(fresh, 1.0D, if((stock = 0.0D), 2.0D, 3.0D))"),
    ("case shop when 'a' then price else -price end", "if((shop = 'a'), price, (- price))"),
    ("2 * CASE WHEN fresh THEN 1 ELSE 2 END + 1", "((2.0D * if(fresh, 1.0D, 2.0D)) + 1.0D)"),
    ("if(true, price, 1)", "if(true, price, 1.0D)"),
    ("if(1 < 2, price, 1)", "if(true, price, 1.0D)"),
    ("price -- a comment", "price"),
]


@pytest.mark.parametrize(("text", "meaning"), MEANINGS)
def test_parsed_scores(text, meaning):
    assert sql(parsed(text)) == meaning


@given(
    expressions.scores(),
    st.lists(
        st.tuples(expressions.rows(expressions.FIELD_KINDS), expressions.rows(expressions.ATTRIBUTES)), max_size=5
    ),
)
def test_the_sql_of_an_expression_gives_the_same_values(expression, rows):
    again = parse_score(sql(expression), expressions.TOPIC, expressions.ATTRIBUTES)
    for fields, attributes in rows:
        ours, theirs = value_of(again, fields, attributes), value_of(expression, fields, attributes)
        assert ours == theirs or (ours is not None and theirs is not None and math.isnan(ours) and math.isnan(theirs))


@given(expressions.scores() | expressions.conditions())
def test_accepted_scores_can_be_evaluated_and_are_numbers(expression):
    try:
        found = parse_score(sql(expression), expressions.TOPIC, expressions.ATTRIBUTES)
    except LanguageError:
        return
    fields = expressions.columns([dict.fromkeys(expressions.FIELD_KINDS)], expressions.FIELD_KINDS)
    assert evaluate(found, fields, {}, 1).array.dtype == float


def test_the_nodes_of_a_parsed_score():
    assert parsed("stock") == Field("stock")
    assert parsed("subscription.budget") == Attribute("budget")
    assert parsed("5") == Constant(5.0)


def test_without_subscriptions_every_attribute_is_accepted():
    expression = parse_score("if(subscription.vip, 2, 1) * subscription.weight", OFFERS, None)
    assert sql(expression) == "(if(subscription.vip, 2.0D, 1.0D) * subscription.weight)"


def test_attributes_are_case_sensitive():
    both = {"Budget": "number", "budget": "text"}
    assert parse_score("subscription.Budget", OFFERS, both) == Attribute("Budget")
    with pytest.raises(LanguageError, match="BUDGET"):
        parse_score("subscription.BUDGET", OFFERS, both)


# Each: the text with the part that should be underlined in «», the sentence.
MISTAKES = [
    # names
    ("«prise» * 2", "offers prise price"),
    ("2 * «subscription.bugdet»", "offers bugdet budget"),
    (
        "«subscription.zzz»",
        "offers zzz budget tier keen air speed",
    ),
    ("«subscripton.budget»", "subscripton subscription"),
    ("«ofers.price»", "ofers offers"),
    ("«sqr»(price)", "sqr sqrt"),
    ("«zzz»(price)", f"zzz {' '.join(FUNCTIONS)}"),
    # sorts
    ("«shop»", ""),
    ("«price > 2»", ""),
    ("«'abc'»", ""),
    ("«subscription.keen»", ""),
    ("1 + «shop»", "shop (string)"),
    ("1 + «subscription.tier»", "subscription.tier (text)"),
    ("abs(«fresh»)", "fresh (boolean)"),
    ("-«subscription.keen»", "subscription.keen (boolean)"),
    ("1 * «'2'»", ""),
    ("2 + («price > 2»)", ""),
    ("coalesce(«shop», 1)", "shop (string)"),
    ("if(fresh, «'a'», 1)", ""),
    ("if(«price», 2, 1)", "price (decimal(8,2))"),
    ("if(fresh AND «stock», 2, 1)", "stock (int)"),
    ("if(NOT «shop», 2, 1)", "shop (string)"),
    ("CASE WHEN «1» THEN 2 END", ""),
    # comparisons
    ("if(«shop = 401», 2, 1)", "shop string"),
    ("if(«price = 'x'», 2, 1)", "price decimal(8,2)"),
    ("if(«subscription.keen = 1», 2, 1)", "subscription.keen boolean"),
    (
        "if(«'x' = subscription.budget», 2, 1)",
        "subscription.budget",
    ),
    ("if(«price + 1 = 'x'», 2, 1)", ""),
    ("if(«fresh = shop», 2, 1)", "fresh boolean shop (string)"),
    ("if(«day = ts», 2, 1)", "day date ts (timestamp)"),
    ("if(«true = 'x'», 2, 1)", "boolean"),
    ("if(«shop < 'x'», 2, 1)", "="),
    ("if(«fresh >= true», 2, 1)", "="),
    ("if(day = «'soon'», 2, 1)", "2026-01-31"),
    ("if(1 < 2 «<» 3, 2, 1)", "AND"),
    ("if(«price <=> 1», 2, 1)", "= IS NULL <=> DISTINCT FROM"),
    ("if(«shop LIKE 'a%'», 2, 1)", "LIKE ="),
    # functions
    ("«sqrt(1, 2)»", "sqrt sqrt(x)"),
    ("«least(price)»", "least least(x"),
    ("«IF(fresh, 1)»", "if"),
    ("«coalesce()»", "coalesce coalesce(x"),
    ("«avg»(price)", f"avg {' '.join(FUNCTIONS)}"),
    ("«CAST»(price AS double)", ""),
    # grammar
    ("«»", "subscription.weight * 2"),
    ("price «%» 2", "+ * /"),
    ("(price «||» 2)", "+ * /"),
    ("abs(price «^» 2)", "+ * /"),
    ("price «stock»", "stock"),
    ("price +«»", ""),
    ("(price«»", ")"),
    ("abs(price«»", ")"),
    ("price * «)»", ")"),
    ("CASE price «END»", "WHEN END"),
    ("CASE WHEN fresh «1» END", "THEN 1"),
    ("CASE WHEN fresh THEN 1«»", "END"),
    ("CASE WHEN fresh THEN 1 ELSE 2 «;»", "END"),
    ("(«SELECT» 1)", ""),
    ("«subscription.a.»b", ""),
    ("«'»abc", "'"),
]


@pytest.mark.parametrize(("marked", "parts"), MISTAKES, ids=[marked for marked, _ in MISTAKES])
def test_mistakes_point_at_the_text(marked, parts):
    text = marked.replace("«", "").replace("»", "")
    with pytest.raises(LanguageError) as caught:
        parsed(text)
    error = caught.value
    assert missing(error.message, parts) == []
    assert text[error.start : error.end] == marked[marked.index("«") + 1 : marked.index("»")]
    assert error.start == marked.index("«")


@pytest.mark.parametrize("opening", ["(", "abs(", "CASE WHEN fresh THEN ", "-(", "if(fresh, 1, "])
def test_nesting_is_limited(opening):
    with pytest.raises(LanguageError, match="nest"):
        parsed(opening * 5_000)


@pytest.mark.parametrize(
    "text",
    [
        "1 + " * 5_000 + "price",
        f"if(stock IN ({'1, ' * 500}1), 1, 0)",
        "price + " * 5_000 + "1",
        "2 * price + " * 75 + "1",
    ],
)
def test_a_score_has_a_bounded_size(text):
    with pytest.raises(LanguageError, match=f"{MOST_OPERATIONS}"):
        parsed(text)


def test_the_largest_score_can_be_evaluated():
    expression = parsed("price + " * MOST_OPERATIONS + "1")
    column = expressions.columns([{"price": 2.0}], {"price": "number"})
    assert evaluate(expression, column, {}, 1).array[0] == 2 * MOST_OPERATIONS + 1
    deep = parsed("abs(" * 49 + "price" + ")" * 49)
    assert evaluate(deep, column, {}, 1).array[0] == 2


@given(st.text("price fresh subscription.budget+-*/()<>=,'1.5 CASEWHENTHENDif", max_size=40))
def test_any_text_is_a_score_or_an_error(text):
    try:
        assert sql(parsed(text))
    except LanguageError as error:
        assert str(error)  # noqa: PT017 (an error is as good as a score)


def test_conditions_of_subscriptions_have_no_arithmetic():
    for text in ("price + 1 < 5", "abs(price) < 5", "CASE WHEN fresh THEN true END"):
        with pytest.raises(LanguageError):
            parse_where(text, OFFERS)
