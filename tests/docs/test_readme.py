"""The README's first deployment, its commands, its picture and its example of the index."""

import json
import re

import typer

from sparing.cli import build
from sparing_lab.bench.savings.benchmark import left_out
from tests.docs import walks
from tests.docs.pages import only, table, text_of
from tests.docs.test_savings import SAVED

PAGE = "README.md"


def test_the_table_of_commands_has_them_all():
    rows = table(PAGE, 2, where=lambda found: all(row[0].startswith("`sparing ") for row in found.rows)).rows
    named = {command.strip("`").split()[1] for command, _ in rows}
    assert named == set(typer.main.get_command(build()).list_commands(None))


def test_what_alice_gets():
    rows = only(PAGE, "json", "cam1").splitlines(keepends=True)
    advertised = [row for row in rows if json.loads(row)["road"] == "401"]
    assert advertised == rows[:-1]
    plan = walks.plan_of(only(PAGE, "yaml", "name: cars"))
    delivered = walks.walked(plan, "".join(advertised), "adock")
    assert [plan.subscriptions[number].id for number, _ in delivered.plain] == ["slow"]
    assert [plan.subscriptions[n.subscription].id for n in delivered.notifications] == ["flow", "flow"]


def test_the_index_does_what_its_comments_say():
    names = {}
    example = only(PAGE, "python", "Index(").replace("index.match(batch)", "found = index.match(batch)")
    exec(compile(example, PAGE, "exec"), names)
    assert sorted(names["found"].to_pylist(), key=str) == [
        {"event": 0, "subscription": "acme"},
        {"event": 0, "subscription": "cheap"},
    ]
    assert names["index"].match(names["batch"]).ids == ["acme", "init"]


def test_the_picture_is_that_of_the_bill_beside_it():
    bill = only(PAGE, "text", "naive")
    data = ("publication", "result", "merged")
    others = ("advertisement", "subscription", "channel", "coordination")
    rows = [line.split() for line in bill.splitlines()]
    rows = [row for row in rows if row and row[0] in (*data, *others)]
    counts = {row[0]: [int(number.replace(",", "")) for number in row[-2:]] for row in rows}
    picture = text_of("docs/bill.svg")
    ours, naive = (sum(counts.get(kind, (0, 0))[at] for kind in data) for at in (0, 1))
    for number in (ours, naive, *(sum(count[at] for count in counts.values()) for at in (0, 1))):
        assert re.search(rf"(?<![\d,]){number:,}(?![\d,])", picture), number
    assert "(docs/bill.svg)" in text_of(PAGE)


def test_what_each_technique_saves_is_what_the_benchmark_found():
    assert left_out(SAVED).markdown() in text_of(PAGE)
