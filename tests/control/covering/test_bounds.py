"""Bounds of scores hold for every publication."""

import math
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sparing.control.covering.bounds import ScoreAnalysis, analyze_scores
from sparing.control.covering.intervals import Range, Text, Truth, known, known_field
from sparing.control.covering.kernels.cover import ranks_higher
from sparing.language.parse import parse_where
from sparing.language.scores import parse_score
from sparing.model.box import Box
from sparing.model.constraint import ANYTHING, IS_NULL, Constraint, between, complement, one_of
from sparing.model.expression import Attribute, Expression, Operation, Values, evaluate, number, scores
from sparing.model.types import Code, FieldType, Kind, successor
from tests.model import expressions
from tests.model.expressions import ATTRIBUTES, FIELD_KINDS, NUMBER_FIELDS, TOPIC
from tests.tries import tries

TYPES = {name: TOPIC.fields[name] for name in FIELD_KINDS}
ENDS = [-10, -2, -1, 0, 1, 2, 3, 10, 100]
TEXTS = ["", "a", "b", "it's"]


# Worlds: subscriptions with boxes and attributes, and publications that lie in them. They come from a seed, not from
# Hypothesis, so that many can be tried with each expression.


@dataclass
class World:
    """Subscriptions, in the order of their ids."""

    boxes: list[Box]
    advertised: Box
    attributes: list[dict]
    publications: list[dict]  # codes by field

    @cached_property
    def columns(self) -> dict[str, Values]:
        return expressions.columns(self.attributes, ATTRIBUTES)

    def inside(self, box: Box) -> list[dict]:
        return [p for p in self.publications if box.admits(p) and self.advertised.admits(p)]


@cache
def world(seed: int) -> World:
    """Boxes within boxes, half of them bounded in all fields, so that there is something to prove."""
    chance = Random(seed)
    boxes = [some_box(chance)]
    for _ in range(3):
        outer = chance.choice(boxes)
        boxes.append(outer.intersect(some_box(chance)) or outer)
    advertised = chance.choice([Box(), some_box(chance)])
    codes = {field: some_codes(chance, field, [*boxes, advertised]) for field in TYPES}
    publications = []
    for _ in range(30):
        box = chance.choice(boxes)
        inside = {f: [c for c in codes[f] if box.on(f).admits(c) and advertised.on(f).admits(c)] for f in TYPES}
        publications.append({field: chance.choice(inside[field] or codes[field]) for field in TYPES})
    return World(boxes, advertised, [some_attributes(chance) for _ in boxes], publications)


def some_box(chance: Random) -> Box:
    bounded = chance.random() < 0.7
    box = Box.of({field: some_constraint(chance, kind, bounded) for field, kind in TYPES.items()})
    assert box is not None
    return box


def some_constraint(chance: Random, kind: FieldType, bounded: bool) -> Constraint:
    shapes = ["interval"] * 5 + ["null"] if bounded else ["interval", "points", "half", "but", "anything", "null"]
    shape = chance.choice(shapes)
    if shape == "anything" or (kind.kind in (Kind.BOOLEAN, Kind.TEXT) and chance.random() < 0.5):
        return ANYTHING
    if kind.kind in (Kind.BOOLEAN, Kind.TEXT):
        return one_of(kind, [chance.choice([0, 1] if kind.kind is Kind.BOOLEAN else TEXTS)])
    low, high = sorted(kind.code(chance.choice(ENDS)) for _ in range(2))
    match shape:
        case "interval":
            return between(kind, low, successor(high))
        case "points":
            return one_of(kind, [low, high])
        case "half":
            return between(kind, *chance.choice([(low, None), (None, high)]))
        case "but":
            return complement(kind, one_of(kind, [low]))
    return between(kind, low, successor(high)).union(IS_NULL)


def some_codes(chance: Random, field: str, around: list[Box]) -> list[Code | None]:
    """Codes at the ends of what the boxes admit, and others."""
    kind = TYPES[field]
    if kind.kind is Kind.TEXT:
        return [None, *TEXTS]
    if kind.kind is Kind.BOOLEAN:
        return [None, 0, 1]
    ends = [end for box in around for low, high in box.on(field).ranges for end in (low, high and high - 1)]
    odd = [kind.low, kind.high, chance.randint(kind.low, kind.high), *[kind.code(end) for end in ENDS]]
    if kind.kind is Kind.FLOATING:
        odd += [kind.code(number) for number in (math.nan, math.inf, -math.inf, 5e-324, 1e-310, 1e308, 0.1)]
        odd += [kind.code(chance.uniform(-3, 3)) for _ in range(3)]
    return [*[end for end in ends if end is not None] * 3, *odd, None]


def some_attributes(chance: Random) -> dict:
    odd = [None, 0.0, -0.0, 1e300, -1e-300, 5e-324, 1e308, math.inf, -math.inf, math.nan, 0.1, 1e-9, 1e16]
    numbers = [chance.choice([chance.choice(odd), *map(float, ENDS), *map(float, ENDS)]) for _ in "ab"]
    return {
        "a": numbers[0],
        "b": numbers[1],
        "home": chance.choice([None, *TEXTS]),
        "keen": chance.choice([None, True, False]),
    }


WORLDS = st.integers(0, 300).map(world)


def fields_of_publications(publications: list[dict]) -> dict[str, Values]:
    """Publications as columns that expressions are evaluated over."""
    plain = []
    for codes in publications:
        row = {}
        for field, code in codes.items():
            if code is None or FIELD_KINDS[field] == "text":
                row[field] = code
            else:
                row[field] = number(TYPES[field], code) if field in NUMBER_FIELDS else bool(code)
        plain.append(row)
    return expressions.columns(plain, FIELD_KINDS)


def one_row(columns: dict[str, Values], at: int, rows: int) -> dict[str, Values]:
    return {
        name: Values(np.repeat(v.array[at : at + 1], rows), np.repeat(v.valid[at : at + 1], rows))
        for name, v in columns.items()
    }


WEIGHTED = st.builds(
    lambda one, other: Operation("+", (Operation("*", (Attribute("a"), one)), other)),
    expressions.affine(2),
    expressions.affine(2),
)
EXPRESSIONS = st.one_of(WEIGHTED, expressions.affine(), expressions.scores())


# Soundness


@given(EXPRESSIONS, st.integers(0, 290), st.booleans())
@settings(max_examples=tries(100))
def test_a_proved_rank_order_holds_for_every_publication(expression, seed, fair):
    for each in map(world, range(seed, seed + 10)):
        check_above(expression, each, fair)


def ranks_above(found: ScoreAnalysis, a: int, b: int, before: bool) -> bool:
    """As covering asks it; scores that do not depend on the publication are compared as they are."""
    if found.static:
        return found.low[a] > found.low[b] or (found.low[a] == found.low[b] and before)
    return ranks_higher(found.forms, a, b, before)


def check_above(expression: Expression, world: World, fair: bool) -> None:
    found = analyze_scores(expression, world.boxes, world.advertised, TYPES, world.columns)
    for a, outer in enumerate(world.boxes):
        for b, inner in enumerate(world.boxes):
            if a == b or not ranks_above(found, a, b, fair or a < b) or not outer.covers(inner):
                continue
            inside = world.inside(inner)
            if inside and not found.static and found.score_class[a] != found.score_class[b]:
                event("something was proved")
            fields = fields_of_publications(inside)
            mine = scores(expression, fields, one_row(world.columns, a, len(inside)), len(inside))
            other = scores(expression, fields, one_row(world.columns, b, len(inside)), len(inside))
            assert (mine >= other).all() if fair or a < b else (mine > other).all()


@given(expressions.scores() | expressions.conditions(), WORLDS)
@settings(max_examples=tries(200))
def test_values_of_expressions_are_within_their_bounds(expression, world):
    fields = {field: known_field(field, kind, world.boxes, world.advertised) for field, kind in TYPES.items()}
    with np.errstate(all="ignore"):
        found = known(expression, fields, world.columns, len(world.boxes))
    for at, box in enumerate(world.boxes):
        inside = world.inside(box)
        attributes = one_row(world.columns, at, len(inside))
        values = evaluate(expression, fields_of_publications(inside), attributes, len(inside))
        for value, valid in zip(values.array, values.valid, strict=True):
            assert admits(found, at, value if valid else None)


def admits(found: Range | Truth | Text, at: int, value) -> bool:
    if value is None:
        return bool(found.null[at])
    if isinstance(found, Truth):
        return bool(found.true[at] if value else found.false[at])
    if isinstance(found, Text):
        return not found.sure[at] or found.known[at] == value
    return bool(found.nan[at]) if math.isnan(value) else bool(found.low[at] <= value <= found.high[at])


@given(EXPRESSIONS, WORLDS)
def test_shapes_and_types_of_the_score_arrays(expression, world):
    found = analyze_scores(expression, world.boxes, world.advertised, TYPES, world.columns)
    n, m = len(world.boxes), len(found.symbols)
    assert found.coefficients.shape == found.symbol_low.shape == found.symbol_high.shape == (n, m)
    for array in (found.low, found.high, found.magnitude, found.missing, found.score_class):
        assert array.shape == (n,)
    for array in (found.coefficients, found.symbol_low, found.symbol_high, found.low, found.high, found.magnitude):
        assert array.dtype == np.float64
    assert (found.missing.dtype, found.score_class.dtype) == (np.dtype(bool), np.dtype(np.int32))
    assert not np.isnan(np.concatenate([found.low, found.high, found.magnitude])).any()
    assert not found.static or (m == 0 and (found.low == found.high).all())


@given(EXPRESSIONS, WORLDS)
def test_equal_score_classes_have_equal_scores(expression, world):
    found = analyze_scores(expression, world.boxes, world.advertised, TYPES, world.columns)
    rows = len(world.publications)
    fields = fields_of_publications(world.publications)
    each = [scores(expression, fields, one_row(world.columns, at, rows), rows) for at in range(len(world.boxes))]
    for a, mine in enumerate(each):
        for b, other in enumerate(each):
            assert found.score_class[a] != found.score_class[b] or (mine == other).all()


# What can be proved


def proved(score: str, where: str, one: dict, other: dict, *, inner: str = "true", advertised: str = "true", **ids):
    """Whether a subscription with the attributes `one` is above another, whose box lies in its own."""
    expression: Expression = parse_score(score, TOPIC, ATTRIBUTES)
    box = parse_where(where, TOPIC)
    rows = [{**dict.fromkeys(ATTRIBUTES), **row} for row in (one, other)]
    found = analyze_scores(
        expression,
        [box, box.intersect(parse_where(inner, TOPIC)) or box],
        parse_where(advertised, TOPIC),
        TYPES,
        expressions.columns(rows, ATTRIBUTES),
    )
    return ranks_above(found, 0, 1, ids.get("fair", False) or ids.get("before", False))


BOUNDED = "x BETWEEN 1 AND 10 AND y BETWEEN -5 AND 5 AND n BETWEEN 0 AND 9"


@pytest.mark.parametrize(
    ("score", "one", "other"),
    [
        ("subscription.a", {"a": 2.0}, {"a": 1.0}),
        ("subscription.a", {"a": 2.0}, {}),
        ("subscription.a + x", {"a": 2.0}, {"a": 1.0}),
        ("subscription.a * x", {"a": 2.0}, {"a": 1.0}),
        ("x / subscription.a", {"a": 1.0}, {"a": 2.0}),
        ("x / subscription.a", {"a": 1.0}, {"a": 0.0}),
        ("subscription.a / x", {"a": 2.0}, {"a": 1.0}),
        ("x * y * subscription.a + subscription.b", {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 1.0}),
        ("(subscription.a - x) * x", {"a": 3.0}, {"a": 2.0}),
        ("-power(x - subscription.a, 2)", {"a": 5.5}, {"a": 300.0}),
        ("-(x - subscription.a) * (x - subscription.a)", {"a": 12.0}, {"a": 13.0}),
        ("-abs(x - subscription.a)", {"a": 5.0}, {"a": 50.0}),
        ("if(wet, subscription.a, subscription.b)", {"a": 9.0, "b": 2.0}, {"a": 8.0, "b": 1.0}),
        ("CASE WHEN n > 3 THEN subscription.a ELSE 0 END + subscription.b", {"a": 9.0, "b": 1.0}, {"a": 8.0, "b": 0.0}),
        ("if(subscription.keen, 2, 1) * x", {"keen": True}, {"keen": False}),
        ("if(subscription.keen, 2, 1) * x", {"keen": True}, {}),
        ("coalesce(subscription.a, 1) * x", {"a": 2.0}, {}),
        ("greatest(x, subscription.a)", {"a": 20.0}, {"a": 15.0}),
        ("exp(x) * subscription.a", {"a": 2.0}, {"a": 1.0}),
        ("sqrt(x + subscription.a)", {"a": 100.0}, {"a": 1.0}),
        ("floor(x * subscription.a)", {"a": 100.0}, {"a": 1.0}),
        ("coalesce(money, 1) + subscription.a", {"a": 100.0}, {"a": 1.0}),
    ],
)
def test_score_orders_that_are_proved(score, one, other):
    assert proved(score, BOUNDED, one, other)
    assert not proved(score, BOUNDED, other, one)


@pytest.mark.parametrize(
    ("score", "where", "one", "other"),
    [
        ("subscription.a + x", "true", {"a": 2.0}, {"a": 1.0}),  # any double: what is added may be rounded away
        ("subscription.a + x", "x >= 0", {"a": 2.0}, {"a": 1.0}),  # infinity, NaN
        ("subscription.a * x", "x BETWEEN -1 AND 1", {"a": 2.0}, {"a": 1.0}),
        ("subscription.a * x", "x BETWEEN 0 AND 1", {"a": 2.0}, {"a": 1.0}),  # equal at zero
        ("subscription.a / x", "x BETWEEN 0 AND 1", {"a": 2.0}, {"a": 1.0}),
        ("1 / (x - subscription.a)", "x BETWEEN 0 AND 1", {"a": 0.5}, {"a": 50.0}),  # divides by zero
        ("subscription.a + n", "true", {"a": 2.0}, {"a": 1.0}),  # both NULL, and the other id first
        ("coalesce(n * subscription.a, 5)", "true", {"a": 2.0}, {"a": 1.0}),
        ("subscription.a + x", "x BETWEEN 0 AND 1E20", {"a": 2.0}, {"a": 1.0}),  # rounded away
        ("if(wet, x + subscription.a, x + subscription.b)", "x BETWEEN 0 AND 1", {"a": 9.0}, {"a": 1.0, "b": 1.0}),
        ("sqrt(x) + subscription.a", "x BETWEEN -1 AND 1", {"a": 9.0}, {"a": 1.0}),  # NaN
        ("sqrt(subscription.a - x)", "x BETWEEN 1 AND 20", {"a": 10.0}, {"a": 0.0}),
    ],
)
def test_score_orders_that_cannot_be_proved(score, where, one, other):
    assert not proved(score, where, one, other)


def test_a_missing_field_of_one_score_is_not_a_tie():
    score, where = "if(subscription.keen, x, 1) + subscription.a", "x BETWEEN 1 AND 2 OR x IS NULL"
    assert not proved(score, where, {"keen": True, "a": 9.0}, {"keen": False, "a": 1.0}, fair=True)


def test_equal_scores_rank_higher_if_fair_or_by_id():
    for score, row in [("subscription.a", {"a": 1.0}), ("subscription.a * x", {"a": 1.0})]:
        assert not proved(score, "true", row, row)
        assert proved(score, "true", row, row, fair=True)
        assert proved(score, "true", row, row, before=True)


def test_missing_fields_are_ties():
    where = "x BETWEEN 1 AND 2 OR x IS NULL"
    assert not proved("subscription.a * x", where, {"a": 2.0}, {"a": 1.0})
    assert proved("subscription.a * x", where, {"a": 2.0}, {"a": 1.0}, fair=True)
    assert proved("subscription.a * x", where, {"a": 2.0}, {"a": 1.0}, before=True)


def test_the_advertisement_bounds_unconstrained_fields():
    assert not proved("subscription.a * x", "true", {"a": 2.0}, {"a": 1.0})
    assert proved("subscription.a * x", "true", {"a": 2.0}, {"a": 1.0}, advertised="x BETWEEN 1 AND 10")


def test_text_fixed_by_a_box_is_known():
    score = "if(place = subscription.home, 1, 0)"
    assert proved(score, "place = 'a'", {"home": "a"}, {"home": "b"})
    assert not proved(score, "place IN ('a', 'b')", {"home": "a"}, {"home": "b"})


def test_no_subscriptions():
    expression = parse_score("subscription.a * x", TOPIC, ATTRIBUTES)
    found = analyze_scores(expression, [], Box(), TYPES, expressions.columns([], ATTRIBUTES))
    assert (found.coefficients.shape, found.low.shape) == ((0, 1), (0,))


def test_many_subscriptions_equal_single_ones():
    """Row by row the same as alone."""
    rows = [{**dict.fromkeys(ATTRIBUTES), "a": float(at % 7)} for at in range(100)]
    each = [parse_where(f"x BETWEEN {at} AND {at + 5}", TOPIC) for at in range(100)]
    expression = parse_score("abs(x - subscription.a) + subscription.a * n", TOPIC, ATTRIBUTES)
    whole = analyze_scores(expression, each, Box(), TYPES, expressions.columns(rows, ATTRIBUTES))
    for at in range(0, 100, 9):
        alone = analyze_scores(
            expression, each[at : at + 1], Box(), TYPES, expressions.columns(rows[at : at + 1], ATTRIBUTES)
        )
        for name in ("coefficients", "low", "high", "magnitude", "symbol_low", "symbol_high", "missing"):
            assert (getattr(whole, name)[at] == getattr(alone, name)[0]).all()
