"""What docs/operations.md says of endpoints, tables and workers is so."""

import ast
import dataclasses
import re
import subprocess
import sys
import tomllib
from xml.etree import ElementTree

import pytest
import yaml

import sparing
from sparing.flow.admit.admission import QuarantineReason
from sparing.model.bill import MessageKind
from sparing.spark.stream import control_bill as control_book
from sparing.spark.stream.logs import EVENTS
from sparing.spark.stream.micro_batch import MicroBatch, StateSize
from sparing.spark.stream.prometheus import Metrics
from tests.docs.pages import ROOT, blocks, names, only, table, text_of

PAGE = "docs/operations.md"
DRIVER_ONLY = ("pydantic", "yaml", "typer", "rich", "prometheus_client", "jinja2", "matplotlib")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DEPENDENCIES = tuple(re.match(r"\w+", line)[0].replace("pyyaml", "yaml") for line in PROJECT["dependencies"])


@pytest.mark.parametrize("text", [block.text for block in blocks(PAGE, "yaml")])
def test_endpoints_are_accepted(text):
    whole = yaml.safe_load(only("README.md", "yaml")) | yaml.safe_load(text)
    assert sparing.Deployment.of(whole).source.format == yaml.safe_load(text)["source"]["format"]


def test_the_connector_is_the_one_that_is_tried():
    pom = ElementTree.fromstring(text_of("tests/spark/kafka/connector-pom.xml"))
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    tried = [
        ":".join(one.findtext(f"m:{part}", namespaces=space) for part in ("groupId", "artifactId", "version"))
        for one in pom.iterfind("m:dependencies/m:dependency", space)
    ]
    assert re.findall(r"-Dartifact=(\S+)", text_of(PAGE)) == tried
    files = re.search(r"spark\.jars=(\S+)", text_of(PAGE))[1].split(",")
    assert files == ["jars/{1}-{2}.jar".format(*one.split(":")) for one in tried]


def test_every_reason_is_listed_in_order():
    reasons = [reason.value for reason in QuarantineReason]
    assert table(PAGE, 2, keys=reasons).keys == reasons


def test_every_kind_of_message_is_named():
    assert {kind.value for kind in MessageKind} <= set(names(text_of(PAGE)))


def test_the_file_beside_the_checkpoint_is_named():
    assert f"`{control_book.FILE}`" in text_of(PAGE)


def test_every_field_of_a_record_is_listed():
    rows = table(PAGE, 2, keys=[field.name for field in dataclasses.fields(MicroBatch)]).rows
    (state,) = (meaning for name, meaning in rows if names(name) == ["state"])
    assert {field.name for field in dataclasses.fields(StateSize)} <= set(names(state))


def test_every_event_of_the_log_is_listed():
    assert table(PAGE, 3, keys=EVENTS)


def test_every_metric_is_listed():
    families = {family.name: family.type for family in Metrics().registry.collect()}
    rows = table(PAGE, 3, keys=families).rows
    assert {name: kind for metrics, kind, _ in rows for name in names(metrics)} == families


def test_python_examples_are_python():
    for block in blocks(PAGE, "python"):
        ast.parse(block.text)


def test_workers_need_no_more_than_the_page_names():
    sometimes = "datasketches"
    program = f"""
import sys
for name in {(*DRIVER_ONLY, sometimes)!r}:
    sys.modules[name] = None  # to import it is an error now
import sparing.spark.pipeline.match_stage, sparing.spark.pipeline.walk_stage, sparing.spark.pipeline.unpack_stage
print(*(name for name in {DEPENDENCIES!r} if sys.modules.get(name)))
"""
    found = subprocess.run([sys.executable, "-c", program], check=True, timeout=120, capture_output=True, text=True)
    needed = set(found.stdout.split())
    assert {"numpy", "numba"} <= needed
    assert needed - {"pyspark"} | {sometimes} <= set(names(text_of(PAGE)))


@pytest.mark.spark
def test_tables_have_the_columns_listed_and_payloads_can_be_read(spark):
    description = yaml.safe_load(only("README.md", "yaml"))
    text = [(line,) for line in only("README.md", "json").splitlines()]
    fields = "publisher string, road string, lane int, speed double, ts timestamp"
    publications = (
        spark.createDataFrame(text, "line string").selectExpr(f"from_json(line, '{fields}') AS r").select("r.*")
    )
    delivered = sparing.PubSub(spark, sparing.Deployment.of(description)).deliver(publications)

    for frame in (delivered.notifications, delivered.bill):
        rows = table(PAGE, 3, keys=frame.columns).rows
        listed = [(name, kind) for columns, kind, _ in rows for name in names(columns)]
        assert listed == [(field.name, field.dataType.typeName()) for field in frame.schema.fields]
    assert delivered.quarantine.columns == ["row", "reason", "detail", "publisher"]

    delivered.notifications.createOrReplaceTempView("notifications")
    answers = [spark.sql(query).collect() for query in only(PAGE, "sql spark").split(";\n") if query.strip()]
    assert [[row[-1] for row in answer] for answer in answers[:2]] == [[12.5], [12.5]]
    assert sorted(row[-1] for row in answers[2]) == [61.0, 85.0]
    assert sorted(row[-1] for row in answers[3]) == [2, 4]
    assert len(answers[4]) == 3
    delivered.forget()
