"""Insertions and removals: after any number of changes, the index matches like a plain dict of boxes."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import count

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from sparing.match import Index
from sparing.model.box import Box
from sparing.model.constraint import between, one_of
from sparing.model.errors import SparingError
from sparing.model.types import BIGINT, BOOLEAN, DOUBLE, STRING, successor
from tests.match import worlds
from tests.match.worlds import arrow_type, in_order, pairs_of, tuned, tunings
from tests.messages import refused
from tests.tries import tries

FIELDS = {"s": STRING, "x": BIGINT, "d": DOUBLE, "b": BOOLEAN}
NUMBERS = {
    "x": [None, -(2**63), -1, 0, 1, 2, 5, 2**63 - 1],
    "d": [None, float("-inf"), -1.5, -0.0, 0.5, float("inf"), float("nan")],
    "b": [None, True, False],
}
WORDS = ["", "\0", "a", "a\0", "ab", "b", "\U0001f600", "m5", "z"]
MIDDLE = 10**12


@st.composite
def boxes(draw):
    constraints = {}
    for name in draw(st.lists(st.sampled_from(sorted(FIELDS)), max_size=3, unique=True)):
        near = WORDS if name == "s" else NUMBERS[name]
        constraints[name] = draw(worlds.constraints(FIELDS[name], near))
    return Box.of(constraints)


class Changes(RuleBasedStateMachine):
    """An index, and beside it the boxes that it should have, by id."""

    @initialize(
        tuning=tunings,
        space=st.sampled_from([4, 4, 7, 64, 1 << 36]),
        start=st.none() | st.lists(boxes(), max_size=12),
        named=st.booleans(),
    )
    def begin(self, tuning, space, start, named):
        self.stack = ExitStack()
        near = max(2, min(1 << 20, space // 2))
        self.stack.enter_context(tuned({**tuning, "texts.GAP": space, "texts.SMALL_GAP": near}))
        self.ids = count()
        self.boxes = {}
        self.gone = []
        self.known = 0  # subscriptions that the index ever had
        self.words = list(WORDS)
        self.least, self.most, self.inner = MIDDLE, MIDDLE, [0, MIDDLE]
        if start is None:
            self.index = Index(FIELDS)
            return
        names = [f"first {n}" for n in range(len(start))] if named else list(range(len(start)))
        if named:
            where = pa.array([box.sql(FIELDS) for box in start], pa.string())
            self.index = Index(FIELDS, {"id": pa.array(names, pa.string()), "where": where})
        else:
            self.index = Index.of_boxes(FIELDS, start)
        self._added(names, start)

    def teardown(self):
        if hasattr(self, "stack"):
            self.stack.close()

    def _added(self, names, some):
        self.boxes.update(zip(names, some, strict=True))
        self.known += len(names)

    def _insert(self, some, together):
        """Add boxes, one by one or as a table, whose ids may be left to the index."""
        names = [f"later {next(self.ids)}" for _ in some]
        if together == "one by one":
            for n, (name, box) in enumerate(zip(names, some, strict=True)):
                self.index.insert(name, box if n % 2 else box.sql(FIELDS))
        else:
            table = {"where": pa.array([box.sql(FIELDS) for box in some], pa.string())}
            if together == "numbered":
                names = list(range(self.known, self.known + len(some)))
            else:
                table["id"] = pa.array(names, pa.string())
            self.index.insert_many(table)
        self._added(names, some)

    ways = st.sampled_from(["one by one", "numbered", "named"])

    @rule(some=st.lists(boxes(), max_size=8), together=ways)
    def insert(self, some, together):
        self._insert(some, together)

    @rule(order=st.sampled_from(["ascending", "descending", "bisecting"]), size=st.integers(1, 12), together=ways)
    def insert_texts(self, order, size, together):
        """Bounds that find ever less room between those that are there."""
        some = []
        for n in range(size):
            if order == "ascending":
                self.most += 1
                text = f"m{self.most}"
            elif order == "descending":
                self.least -= 1
                text = f"m{self.least}"
            else:
                middle = sum(self.inner) // 2
                self.inner[n % 2] = middle
                text = f"m{MIDDLE}.{middle:013}"
            self.words.append(text)
            after = successor(text)
            ranges = [(text, after), (None, text), (None, after), (text, None), (after, None)]
            some.append(Box.of({"s": between(STRING, *ranges[n % 5])}))
        self._insert(some, together)

    @precondition(lambda self: self.boxes)
    @rule(data=st.data())
    def insert_twice(self, data):
        """Nothing happens but an error, whichever way it is tried."""
        id_ = data.draw(st.sampled_from(list(self.boxes)))
        with refused("already"):
            self.index.insert(id_, "true")
        with refused("already"):
            self.index.insert_many({"id": [id_], "where": ["true"]})

    @precondition(lambda self: self.boxes)
    @rule(data=st.data(), most=st.integers(1, 10))
    def remove(self, data, most):
        for _ in range(min(most, len(self.boxes))):
            id_ = data.draw(st.sampled_from(list(self.boxes)))
            self.index.remove(id_)
            del self.boxes[id_]
            self.gone.append(id_)

    @precondition(lambda self: self.gone)
    @rule(data=st.data(), box=boxes())
    def come_back(self, data, box):
        """An id that has been removed is free again."""
        id_ = data.draw(st.sampled_from(self.gone))
        assert id_ not in self.index
        with refused("Subscription"):
            self.index.remove(id_)
        with refused("Subscription"):
            self.index.explain({}, id_)
        self.index.insert(id_, box)
        self.gone.remove(id_)
        self._added([id_], [box])

    @rule()
    def rebuild(self):
        self.index.rebuild()
        assert self.index.stats().tiers == 0

    def _events(self, size, seed):
        """A batch, and the codes of its rows by field."""
        random = np.random.default_rng(seed)
        values = {"s": [None, *random.choice(self.words, 6).tolist(), *self.words[-8:]], **NUMBERS}
        picks = {name: random.integers(0, len(values[name]), size) for name in FIELDS}
        columns = {name: pa.array(values[name], arrow_type(kind)) for name, kind in FIELDS.items()}
        batch = pa.record_batch({name: column.take(pa.array(picks[name])) for name, column in columns.items()})
        return batch, values, picks

    def _expected(self, values, picks):
        """(row, id) of the pairs that boxes admit."""
        codes = {n: [None if v is None else FIELDS[n].code(v) for v in mine] for n, mine in values.items()}
        found = []
        for id_, box in self.boxes.items():
            rows = np.ones(len(picks["s"]), dtype=bool)
            for name, constraint in box.constraints:
                rows &= np.array([constraint.admits(code) for code in codes[name]])[picks[name]]
            found += [(row, id_) for row in np.flatnonzero(rows).tolist()]
        return in_order(found)

    @rule(size=st.sampled_from([0, 1, 6, 24, 25, 130, 600]), seed=st.integers(0, 2**32 - 1))
    def match(self, size, seed):
        batch, values, picks = self._events(size, seed)
        expected = self._expected(values, picks)
        assert pairs_of(self.index.match(batch)) == expected
        stats = self.index.stats()
        assert (stats.subscriptions, stats.events, stats.pairs) == (len(self.boxes), size, len(expected))

    @rule(size=st.sampled_from([0, 1, 30]), seed=st.integers(0, 2**32 - 1), pairs=st.sampled_from([0, 1, 7, 10**9]))
    def slices(self, size, seed, pairs):
        batch, values, picks = self._events(size, seed)
        parts = list(self.index.slices(batch, pairs))
        assert all(len(part) <= pairs or len(part.events) == 1 for part in parts)
        assert sorted(row for part in parts for row in part.events.tolist()) == list(range(size))
        assert in_order(pair for part in parts for pair in pairs_of(part)) == self._expected(values, picks)

    @precondition(lambda self: self.boxes)
    @rule(data=st.data(), seed=st.integers(0, 2**32 - 1))
    def explain(self, data, seed):
        id_ = data.draw(st.sampled_from(list(self.boxes)))
        _, values, picks = self._events(1, seed)
        row = {name: values[name][picks[name][0]] for name in FIELDS}
        codes = {name: None if value is None else FIELDS[name].code(value) for name, value in row.items()}
        failing = [name for name, constraint in self.boxes[id_].constraints if not constraint.admits(codes[name])]
        explanation = self.index.explain(row, id_)
        assert [failure.field for failure in explanation.failures] == failing
        assert [failure.wanted for failure in explanation.failures] == [
            self.boxes[id_].on(name).sql(name, FIELDS[name]) for name in failing
        ]

    @invariant()
    def same_size(self):
        if hasattr(self, "boxes"):
            assert len(self.index) == len(self.boxes)
            assert all(id_ in self.index for id_ in self.boxes)
            assert not any(id_ in self.index for id_ in self.gone)


TestChanges = Changes.TestCase
TestChanges.settings = settings(max_examples=tries(40), stateful_step_count=20)


def relabelings(monkeypatch):
    """How often the index had to give all texts new labels."""
    times = []
    relabel = Index._relabel
    monkeypatch.setattr(Index, "_relabel", lambda self: (times.append(1), relabel(self)))
    return times


@pytest.mark.parametrize(("order", "most"), [("ascending", 0), ("descending", 8), ("bisecting", 8)])
@pytest.mark.parametrize("space", [1 << 36, 8])
def test_texts_in_any_order_get_labels_with_few_relabelings(monkeypatch, order, most, space):
    """With plenty of room labels change now and then, and for ascending texts never; with little, again and again."""
    times = relabelings(monkeypatch)
    with tuned({"texts.GAP": space, "texts.SMALL_GAP": min(space // 2, 1 << 20)}):
        texts = [f"{n:03}" for n in range(1, 121)]
        if order == "descending":
            texts.reverse()
        elif order == "bisecting":
            texts = [text for pair in zip(texts[:60], texts[:59:-1], strict=True) for text in pair]
        index = Index({"s": STRING}, {"where": ["s > '000'", "s < '999'"]})
        for n, text in enumerate(texts):
            index.insert(f"= {text}", f"s = '{text}'")
            index.insert(f"< {text}", f"s < '{text}'")
            index.insert(f"> {text}", f"s > '{text}'")
            index.insert(f"[] {text}", f"s IN ('{text}', '{text}x') OR s IS NULL")
            if n % 10 == 9 or n == 119:
                seen = sorted([*texts[: n + 1], "000", "0005", "119x", "999"])
                found = pairs_of(index.match(pa.record_batch({"s": [*seen, None]})))
                expected = [(row, 0) for row, text in enumerate(seen) if text > "000"]
                expected += [(row, 1) for row, text in enumerate(seen) if text < "999"]
                for bound in texts[: n + 1]:
                    for row, value in enumerate([*seen, None]):
                        if value is None or value in (bound, f"{bound}x"):
                            expected.append((row, f"[] {bound}"))
                        if value is not None:
                            kinds = {"=": value == bound, "<": value < bound, ">": value > bound}
                            expected += [(row, f"{kind} {bound}") for kind, holds in kinds.items() if holds]
                assert found == in_order(expected)
    if space == 8 and order != "ascending":
        assert len(times) > 10
    elif space > 8:
        assert len(times) <= most


def test_names_can_follow_default_ids():
    index = Index({"x": "int"}, {"where": ["x > 0", "x > 1", "x > 2"]})
    index.remove(1)
    index.insert("late", "x > 3")
    assert [id_ in index for id_ in (0, 1, 2, "late", 3)] == [True, False, True, True, False]
    index.insert(1, "x > 9")
    index.insert_many({"where": ["x > 20"]})
    by_row = [[0, 2, "late"], [0, 1, 2, "late"], [0, 1, 2, 5, "late"]]
    expected = in_order((row, id_) for row, ids in enumerate(by_row) for id_ in ids)
    assert pairs_of(index.match(pa.table({"x": [5, 10, 30]}))) == expected


@pytest.mark.parametrize("taken", [0, "", False, 0.0, "x"])
def test_inserting_an_existing_id_is_an_error(taken):
    index = Index({"x": "int"}, {"id": [taken], "where": ["x > 0"]})
    with refused("already"):
        index.insert_many({"id": [taken], "where": ["true"]})
    assert len(index) == 1
    assert index.match(pa.table({"x": [0]})).ids == []


def test_an_invalid_table_leaves_the_index_unchanged():
    """Though its texts, had they been taken in, would have changed the labels of those that are there."""
    fields = {"s": "string", "x": "bigint"}
    index = Index(fields, {"where": [f"s = 'k{n:04}'" for n in range(50)]})
    batch = pa.table({"s": [f"k{n:04}" for n in range(50)]})
    many = [f"k{n:04}x" for n in range(2000)]
    for bad in [{"x >": ["no"] * 2000}, {"s in": [["a"]] * 2000}, {"x in": [[0.5]] * 2000}, {"x": [1] * 2000}]:
        with pytest.raises(SparingError):
            index.insert_many({"s =": many, **bad})
        assert len(index) == 50
        assert pairs_of(index.match(batch)) == [(n, n) for n in range(50)]
    index.insert_many({"s =": many})
    assert pairs_of(index.match(batch)) == [(n, n) for n in range(50)]


def test_a_box_on_an_unknown_field_is_an_error():
    index = Index({"x": "int", "s": "string"})
    with refused("y x s"):
        index.insert("a", Box.of({"y": one_of(BIGINT, [1])}))
    assert len(index) == 0
    assert "a" not in index
