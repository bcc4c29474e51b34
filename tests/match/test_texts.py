"""Labels of texts: in the order of texts, with ranges of labels equal to ranges of texts."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.match.predicates import LEAST, MOST
from sparing.match.texts import TextLabels, bound_text
from sparing.model.types import successor
from tests.match.worlds import tuned
from tests.tries import tries

texts = st.text(alphabet=["a", "b", "\0", "\U0010ffff"], max_size=4) | st.text(max_size=3)


def closed(of, low, high):
    """The labels that a half-open range of text admits."""
    return LEAST if low is None else of.low(low), MOST if high is None else of.last(high)


def check(of, bounds, ranges, seen):
    """Labels of all texts, and which of them ranges admit; `ranges` are half-open ones with their labels."""
    everything = sorted({*bounds, *seen, *(successor(bound) for bound in bounds)})
    labels = [of.label(text) for text in everything]
    assert labels == sorted(labels)
    assert len({of.label(bound) for bound in bounds}) == len(bounds)
    assert of.labels(pa.array(everything)).tolist() == labels
    for one, other in pairwise(sorted(of.label(bound) for bound in bounds)):
        assert other - one >= 2  # what lies between two bounds has a label of its own
    for (low, high), (first, last) in ranges.items():
        for text, label in zip(everything, labels, strict=True):
            admitted = (low is None or low <= text) and (high is None or text < high)
            assert (first <= label <= last) == admitted, (low, high, text)


@pytest.mark.parametrize(("space", "near"), [(1 << 36, 1 << 20), (4, 2), (16, 8), (9, 3)])
@settings(max_examples=tries(60))
@given(batches=st.lists(st.lists(texts, min_size=1, max_size=6), min_size=1, max_size=6), seen=st.lists(texts))
def test_ranges_of_labels_are_ranges_of_text(space, near, batches, seen):
    """However bounds come; where labels had to change, ranges made earlier are moved."""
    ranges, bounds = {}, set()
    with tuned({"texts.GAP": space, "texts.SMALL_GAP": near}):
        of = TextLabels()
        for batch in batches:
            new = {bound_text(text) for text in batch}
            kept = of.add(new)
            bounds |= new
            assert len(of) == len(bounds)
            if kept:
                assert all(of.moved(*map(np.array, ends)) == tuple(ends) for ends in ranges.values())
            low, last = of.moved(*(np.array([ends[k] for ends in ranges.values()], dtype=np.int64) for k in (0, 1)))
            of.settle()
            ranges = dict(zip(ranges, zip(low.tolist(), last.tolist(), strict=True), strict=True))
            check(of, bounds, ranges, seen)
            ends = [None, *(end for end in [*batch, *map(successor, new)] if bound_text(end) in bounds)]
            for low_text, high_text in product(ends, ends):
                if low_text is None or high_text is None or low_text < high_text:
                    ranges[low_text, high_text] = closed(of, low_text, high_text)
            check(of, bounds, ranges, seen)
            for (low_text, high_text), (first, final) in ranges.items():
                assert first == LEAST or of.text_of(first) == low_text
                assert final == MOST or of.text_after(final) == high_text


def test_a_bound_can_end_in_the_least_character():
    """Comparisons of tables name texts as they are, conditions name the one before and mean what follows it."""
    of = TextLabels()
    assert of.add(["a", "a\0", "b"])
    assert of.label("a") < of.low("a\0") < of.label("a\0") <= of.last("a\0\0") < of.low("a\0\0") < of.label("b")
    assert of.label("a\0\0") == of.label("a\0b") == of.label("a\0") + 1


def test_adjacent_labels_are_translated_each_with_its_own_text():
    """`< c` and `> a` end at the same label, but b comes between them later."""
    with tuned({"texts.GAP": 4, "texts.SMALL_GAP": 2}):
        of = TextLabels()
        of.add(["a", "d"])
        assert of.add(["c"])
        assert of.label("c") - of.label("a") == 2
        assert of.last("c") == of.low("a\0")
        below_c, above_a, exactly_a = (LEAST, of.last("c")), (of.low("a\0"), MOST), (of.label("a"), of.label("a"))
        assert not of.add(["b"])
        low, last = of.moved(*np.array([below_c, above_a, exactly_a]).T)
        assert list(zip(low.tolist(), last.tolist(), strict=True)) == [
            (LEAST, of.last("c")),
            (of.low("a\0"), MOST),
            (of.label("a"), of.label("a")),
        ]


def test_many_new_texts_are_labeled_at_once():
    of = TextLabels()
    of.add(f"{n:05}" for n in range(0, 4000, 2))
    before = {text: of.label(text) for text in (f"{n:05}" for n in range(0, 4000, 2))}
    assert not of.add(f"{n:05}" for n in range(1, 4000, 2))
    old, now = np.array(list(before.values())), np.array([of.label(text) for text in before])
    assert [ends.tolist() for ends in of.moved(old, old)] == [now.tolist()] * 2
    assert [ends.tolist() for ends in of.moved(old + 1, old - 1)] == [(now + 1).tolist(), (now - 1).tolist()]
    assert np.diff([of.label(f"{n:05}") for n in range(4000)]).min() >= 2


def test_missing_texts_do_not_affect_labels_of_others():
    of = TextLabels()
    of.add(["b"])
    labels = of.labels(pa.array([None, "b", None, "a", "c"])).tolist()
    assert [labels[1], labels[3], labels[4]] == [of.label("b"), of.label("a"), of.label("c")]
    assert of.labels(pa.array([], pa.string())).tolist() == []
    assert len(of.labels(pa.nulls(3, pa.string()))) == 3
    assert TextLabels().labels(pa.array(["x", None])).tolist()[0] == TextLabels().label("x")


@pytest.mark.parametrize("step", [1, -1])
def test_texts_in_order_get_labels_without_relabeling(step):
    texts = TextLabels()
    texts.add(["a", "c"])
    assert all(texts.add([f"b{number:05}"]) for number in range(10_000)[::step])
