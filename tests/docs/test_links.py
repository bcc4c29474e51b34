"""The examples of docs/links.md: what each policy sends, when Alice is told, and the bills of the replay."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.links import POLICIES
from sparing.flow.walk import Walk
from sparing.model.types import EPOCH, MICROSECOND
from sparing.workloads import stock
from sparing.workloads.batches import batches
from tests.docs import walks
from tests.docs.pages import blocks, table, text_of
from tests.flow.links.known import PATIENCE

PAGE = "docs/links.md"
FIGURE_3, WAITING = zip(
    (block.text for block in blocks(PAGE, "yaml")), (block.text for block in blocks(PAGE, "json")), strict=True
)
ENDS = ("Na, 08:00:10", "Nb, 08:00:20", "Nc, 08:00:30")
GENERATE = (
    "sparing generate stock quotes --rate 50 --duration 60 --subscriptions 60 --ratio 1:0 --sliding 1 "
    "--window 10 --slide 2"
)
QUOTES = replace(
    stock.DEFAULTS,
    rate=50.0,
    duration=60.0,
    subscriptions=60,
    aggregate=(1, 0),
    sliding=1.0,
    window=10.0,
    slide=2.0,
)


def name_of(row):
    return row["decision"].strip("`")


def counted(cell):
    """ "2 publications and 1 result" as numbers by kind."""
    return Counter({kind: int(number) for number, kind in re.findall(r"(\d+) (publication|result)", cell)})


def crossed(bill, place):
    """place(key of the bill) -> kind -> messages between brokers."""
    found = {}
    for key, number in bill.items():
        if key.kind.value != "notification":
            found.setdefault(place(key), Counter())[key.kind.value] += number
    return found


def clock(micros):
    return f"{EPOCH + micros * MICROSECOND:%H:%M:%S}"


def test_every_policy_is_told_about():
    told = {row["`decision`"].strip("`") for row in table(PAGE, "`decision`", "what a link does")}
    assert told == set(POLICIES)


def test_figure_3():
    rows = {name_of(row): row for row in table(PAGE, "decision", *ENDS, "messages")}
    assert rows.keys() == POLICIES.keys()
    text, lines = FIGURE_3
    plan = walks.plan_of(text)
    for name, row in rows.items():
        delivered = walks.walked(plan, lines, name)
        assert str(delivered.bill.between_brokers()) == row["messages"]
        found = crossed(delivered.bill, lambda key: clock(key.bucket))
        if POLICIES[name].at_once:  # what is sent on arrival is in the bucket before
            found = {clock(_micros(time) + plan.bucket): kinds for time, kinds in found.items()}
        told = {end.split(", ")[1]: counted(row[end]) for end in ENDS}
        assert found == {time: kinds for time, kinds in told.items() if kinds}


def _micros(time):
    hours, minutes, seconds = map(int, time.split(":"))
    return (3600 * hours + 60 * minutes + seconds) * 1_000_000


@pytest.mark.parametrize("row", table(PAGE, "decision", "east>hub", "hub>west", "messages", "Alice is told of Na"))
def test_patience(row):
    text, lines = WAITING
    plan = walks.plan_of(text)
    delivered = walks.walked(plan, lines, name_of(row))
    assert str(delivered.bill.between_brokers()) == row["messages"]
    found = crossed(delivered.bill, lambda key: f"{key.source}>{key.target}")
    assert found == {link: counted(row[link]) for link in ("east>hub", "hub>west")}
    # Na ends at 08:00:10; nobody is told a moment before the time on the page.
    end = next(n.end for n in delivered.notifications if plan.subscriptions[n.subscription].id == "Na")
    told = end - end % 60_000_000 + _micros("00:" + row["Alice is told of Na"].split(":", 1)[1])
    for until, notified in ((told - 1, False), (told, True)):
        early = walks.walked(plan, lines, name_of(row), until)
        assert any(plan.subscriptions[n.subscription].id == "Na" for n in early.notifications) is notified


@pytest.fixture(scope="module")
def bills():
    """decision -> bill of the generated workload; also of a longer patience."""
    made = stock.stock(QUOTES)
    plan = plan_of(Deployment.of(made.description))
    trace = list(batches(made, plan))
    named = POLICIES | {"patience of 2.5 seconds": replace(PATIENCE, patience=2_500_000)}
    return {name: Walk(plan, policy).feed(trace).bill for name, policy in named.items()}


def test_the_replay(bills):
    assert GENERATE in text_of(PAGE)
    (block,) = (block.text for block in blocks(PAGE, "text") if "above the least possible" in block.text)
    header, *lines = (line for line in block.splitlines() if line.strip() and "─" not in line)
    names = header.split()
    rows = {tuple(line.split()[: -len(names)]): line.split()[-len(names) :] for line in lines}
    shown = {" ".join(label): dict(zip(names, row, strict=True)) for label, row in rows.items()}
    totals = {name: bills[name].between_brokers() for name in names}
    least, naive = totals["static"], totals["subscriber-edge"]
    for name in names:
        by_kind = bills[name].by_kind()
        assert shown["publication"][name] == f"{by_kind.get('publication', 0):,}"
        assert shown["result"][name] == f"{by_kind.get('result', 0):,}"
        assert shown["between brokers"][name] == f"{totals[name]:,}"
        assert shown["notification (last hop)"][name] == f"{by_kind['notification']:,}"
        assert shown["against subscriber-edge"][name] == _percent(totals[name], naive, 1)
        assert shown[f"above the least possible ({least:,})"][name] == _percent(totals[name], least, 2)


def test_what_patience_saves(bills):
    least = bills["static"].between_brokers()
    above = [
        _percent(bills[name].between_brokers(), least, 2)[1:]
        for name in ("adock", "patience", "patience of 2.5 seconds")
    ]
    sentence = "from {} above the least possible to {}, one of 2.5 seconds to {}.".format(*above)
    assert sentence in " ".join(text_of(PAGE).split())


def _percent(number, base, digits):
    return "-" if number == base else f"{100 * (number - base) / base:+.{digits}f}%"
