"""The JSON Schema, and the reference in the documentation, agree with what the reader accepts."""

import re
from pathlib import Path

import jsonschema
import pytest

from sparing.deployment.deployment import Deployment
from sparing.deployment.document import Document
from sparing.deployment.mistakes import Mistakes
from sparing.deployment.reference import put_in_place
from sparing.deployment.schema import schema
from sparing.flow.links import POLICIES
from sparing.model.policy import Policy
from tests.deployment.examples import toronto

PAGE = Path(__file__).parents[2] / "docs" / "deployment.md"

VALID = [
    {},
    {"subscriptions": "subscriptions.parquet"},
    {"publishers": [], "subscribers": [], "subscriptions": []},
    {"overlay": {"brokers": [1, 2], "links": [[1, 2], ["1", 2, {}]]}, "publishers": [], "subscriptions": []},
    {"source": {"format": "kafka", "servers": ["a:1"], "topic": "t", "failOnDataLoss": False, "maxOffsets": 5}},
    {"sink": None, "checkpoint": None},
    {"policy": {}},
    *({"policy": {"decision": name}} for name in POLICIES),
    {"policy": {"decision": "patience", "patience": "1500 milliseconds"}},
    {"policy": {"covering": "rank", "seed": 7}},
    *({"policy": {"folding": name}} for name in ("none", "mefa", "spa", "aa")),
    {"policy": {"folding": "mefa", "theta": "auto", "delta": 0.5, "hop": "2 seconds", "rate": 10}},
    {"policy": {"folding": "mefa", "theta": 12}},
    {"policy": {"trees": "ds", "gamma": 2.5}},
    *(
        {"publishers": [{"id": "p", "at": "e1", "topic": "traffic", "top_k": 3, "rank": rank}]}
        for rank in (None, "area", {"by": "speed"}, {"by": "area", "fair": "exact"}, {"fair": True}, {})
    ),
    {
        "subscriptions": [
            {"id": "s", "subscriber": "bob", "sql": "SELECT * FROM traffic", "attributes": attributes}
            for attributes in ({}, {"weight": 1.5, "tier": "gold", "keen": True, "none": None})
        ]
    },
]
INVALID = [
    {"name": ""},
    {"merge": {}},
    {"overlay": {"brokers": []}},
    {"overlay": {"brokers": ["a"], "links": [["a"]]}},
    {"overlay": {"brokers": ["a", "b"], "links": [["a", "b", {"delay": 0}]]}},
    {"subscribers": [{"id": "a", "at": []}]},
    {"policy": {"decision": "oracle"}},
    {"policy": {"decision": "patience", "patience": 2}},
    {"policy": {"covering": "ancestors"}},
    {"policy": {"folding": "mefa", "theta": -1}},
    {"policy": {"folding": "mefa", "theta": "half"}},
    {"policy": {"folding": "mefa", "rate": 0}},
    {"policy": {"trees": "dx"}},
    {"policy": {"seed": -1}},
    {"publishers": [{"id": "p", "at": "e1", "topic": "traffic", "top_k": 0}]},
    {"publishers": [{"id": "p", "at": "e1", "topic": "traffic", "top_k": 1, "rank": 5}]},
    {"publishers": [{"id": "p", "at": "e1", "topic": "traffic", "top_k": 1, "rank": {"fair": "yes"}}]},
    {"subscriptions": [{"id": "s", "subscriber": "bob", "sql": "SELECT * FROM traffic", "attributes": {"a": [1]}}]},
    {"source": {"path": "x"}},
]


def test_the_schema_itself_is_valid():
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("change", VALID)
def test_the_schema_accepts_what_the_reader_accepts(change):
    jsonschema.validate(toronto() | change, schema())


@pytest.mark.parametrize("change", INVALID)
def test_the_schema_refuses_what_the_reader_refuses(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(toronto() | change, schema())


def test_the_decisions_of_the_schema_are_the_link_policies():
    decision = schema()["$defs"]["PolicyEntry"]["properties"]["decision"]
    assert decision["enum"] == list(POLICIES)
    assert decision["default"] == Policy().decision


def test_the_examples_of_the_page_can_be_read(tmp_path):
    examples = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert examples
    for example in examples:
        path = tmp_path / "example.yaml"
        path.write_text(example)
        assert Deployment.read(path).subscriptions
        jsonschema.validate(Document(example, "example", Mistakes()).value, schema())


def test_the_reference_of_the_page_is_up_to_date():
    page = PAGE.read_text()
    assert page == put_in_place(page), "run: python -m sparing.deployment.reference docs/deployment.md"
