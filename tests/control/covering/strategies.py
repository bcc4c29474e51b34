"""Boxes of several dimensions, with sets, texts and missing values, small enough that containment is frequent."""

from __future__ import annotations

from hypothesis import strategies as st

from sparing.model.box import Box
from sparing.model.constraint import ANYTHING, EXISTS, IS_NULL, Constraint, between, complement, one_of, starts_with
from sparing.model.types import DOUBLE, INT, STRING, FieldType, float_code

TYPES = {"x": INT, "y": DOUBLE, "s": STRING}
TEXTS = ("", "a", "ab", "abc", "b", "ba", "c")


def constraints(type_: FieldType) -> st.SearchStrategy[Constraint]:
    if type_ is STRING:
        values = st.sampled_from(TEXTS)
        some = st.lists(values, min_size=1, max_size=3).map(lambda found: one_of(STRING, found))
        special = st.sampled_from(["a", "ab", "b"]).map(lambda prefix: starts_with(STRING, prefix))
    else:
        code = (lambda n: n) if type_ is INT else (lambda n: float_code(n / 2))
        ends = st.tuples(st.none() | st.integers(-3, 5), st.none() | st.integers(1, 6))
        special = ends.map(
            lambda found: between(type_, *(None if end is None else code(end) for end in (found[0], found[1])))
        )
        some = st.lists(st.integers(-2, 4), min_size=1, max_size=3).map(
            lambda found: one_of(type_, [code(n) for n in found])
        )
    plain = st.one_of(some, special, special)
    return st.one_of(
        plain,
        plain,
        plain.map(lambda constraint: constraint.union(IS_NULL)),
        some.map(lambda constraint: complement(type_, constraint)),
        st.sampled_from([EXISTS, IS_NULL, ANYTHING]),
    )


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    used = draw(st.sets(st.sampled_from(sorted(TYPES))))
    box = Box.of({name: draw(constraints(TYPES[name])) for name in sorted(used)})
    return Box() if box is None else box


def some_boxes(least: int = 0, most: int = 14) -> st.SearchStrategy[list[Box]]:
    """Several boxes, some of them equal."""
    return st.lists(boxes(), min_size=1, max_size=8).flatmap(
        lambda found: st.lists(st.sampled_from(found) | boxes(), min_size=least, max_size=most)
    )
