"""Every example of docs/language.md: valid ones are read, refused ones are refused with the sentence given."""

import re
from itertools import product

import pytest

from sparing.language.errors import LanguageError
from sparing.language.parse import parse_query, parse_where
from sparing.language.scores import FUNCTIONS, parse_score
from sparing.model.functions import FUNCTION_NAMES
from sparing.model.topic import Topic
from sparing.model.types import field_type
from tests.docs.pages import blocks, only, text_of

PAGE = "docs/language.md"
FIELDS = {
    "road": "string",
    "lane": "int",
    "speed": "double",
    "wet": "boolean",
    "day": "date",
    "price": "decimal(10,2)",
    "ts": "timestamp",
}
TRAFFIC = Topic("traffic", "ts", {name: field_type(type_) for name, type_ in FIELDS.items()})

QUERIES = [line for block in blocks(PAGE, "sql") for line in block.text.splitlines()]
PAIRS = [line.split(" -- ") for block in blocks(PAGE, "sql where") for line in block.text.splitlines()]
ATTRIBUTES = {"budget": "number", "tier": "text", "keen": "truth"}
SCORES = [line for block in blocks(PAGE, "sql score") for line in block.text.splitlines()]
REFUSED_SCORES = [line.split(" -- ") for block in blocks(PAGE, "sql score refused") for line in block.text.splitlines()]
REFUSED = [line.split(" -- ") for block in blocks(PAGE, "sql refused") for line in block.text.splitlines()]


def test_the_grammar_in_one_line():
    """Every part that may be left out is, and is not; windows go with functions, and cycles with fields."""
    line = only(PAGE, "text").strip().replace("[[AS] alias]", "[AS alias]")
    line = line.replace("item, ...", "{}").replace("topic", "traffic").replace("condition", "lane = 1")
    line = line.replace("window", "window(ts, '1 day')").replace("'duration'", "'1 day'")
    parts = re.findall(r" \[(.+?)\]", line)
    assert len(parts) == 5
    for some in product((False, True), repeat=len(parts)):
        text = line.format("count(*), max(lane)" if some[2] else "road, lane")
        for part, is_there in zip(parts, some, strict=True):
            text = text.replace(f" [{part}]", f" {part}" if is_there else "")
        if some[2] and some[3]:
            with pytest.raises(LanguageError):
                parse_query(text, {"traffic": TRAFFIC})
        else:
            parse_query(text, {"traffic": TRAFFIC})


def test_there_are_examples_of_each_sort():
    assert min(map(len, (QUERIES, PAIRS, REFUSED, SCORES, REFUSED_SCORES))) > 5


@pytest.mark.parametrize("text", QUERIES)
def test_queries_are_read(text):
    parse_query(text, {"traffic": TRAFFIC})


@pytest.mark.parametrize(("text", "same"), PAIRS)
def test_conditions_mean_the_same(text, same):
    assert parse_where(text, TRAFFIC) == parse_where(same, TRAFFIC)


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_what_is_refused(text, sentence):
    with pytest.raises(LanguageError) as caught:
        parse_query(text, {"traffic": TRAFFIC})
    assert caught.value.message == sentence


@pytest.mark.parametrize("text", SCORES)
def test_scores_are_read(text):
    parse_score(text, TRAFFIC, ATTRIBUTES)


@pytest.mark.parametrize(("text", "sentence"), REFUSED_SCORES)
def test_what_is_refused_in_a_score(text, sentence):
    with pytest.raises(LanguageError) as caught:
        parse_score(text.strip(), TRAFFIC, ATTRIBUTES)
    assert caught.value.message == sentence


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_scores_is_named(name):
    assert f"`{name}`" in text_of(PAGE) or f"`{name}(" in text_of(PAGE)


@pytest.mark.parametrize("name", FUNCTION_NAMES)
def test_every_function_is_named(name):
    assert f"`{name}`" in text_of(PAGE) or f"`{name}(" in text_of(PAGE)
