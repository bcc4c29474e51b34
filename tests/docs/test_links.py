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
from tests.docs.pages import blocks, essential, names, only, table, text_of
from tests.flow.links.known import PATIENCE

PAGE = "docs/links.md"
FIGURE_3, WAITING = zip(
    (block.text for block in blocks(PAGE, "yaml")), (block.text for block in blocks(PAGE, "json")), strict=True
)
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
    assert len(table(PAGE, 2, keys=POLICIES).rows) == len(POLICIES)


def test_figure_3():
    shown = table(PAGE, 5, keys=POLICIES)
    ends = [re.search(r"\d\d:\d\d:\d\d", cell)[0] for cell in shown.head[1:-1]]
    text, lines = FIGURE_3
    plan = walks.plan_of(text)
    for name, (_, *sent, messages) in zip(shown.keys, shown.rows, strict=True):
        delivered = walks.walked(plan, lines, name)
        assert str(delivered.bill.between_brokers()) == messages
        found = crossed(delivered.bill, lambda key: clock(key.bucket))
        if POLICIES[name].at_once:  # what is sent on arrival is in the bucket before
            found = {clock(_micros(time) + plan.bucket): kinds for time, kinds in found.items()}
        told = {end: counted(cell) for end, cell in zip(ends, sent, strict=True)}
        assert found == {time: kinds for time, kinds in told.items() if kinds}


def _micros(time):
    hours, minutes, seconds = map(int, time.split(":"))
    return (3600 * hours + 60 * minutes + seconds) * 1_000_000


LINKS = ["east>hub", "hub>west"]


@pytest.mark.parametrize("row", table(PAGE, 5, where=lambda found: ":" in found.rows[0][-1]).rows)
def test_patience(row):
    name, *sent, messages, time = row
    decision = names(name)[0]
    text, lines = WAITING
    plan = walks.plan_of(text)
    delivered = walks.walked(plan, lines, decision)
    assert str(delivered.bill.between_brokers()) == messages
    found = crossed(delivered.bill, lambda key: f"{key.source}>{key.target}")
    assert found == {link: counted(cell) for link, cell in zip(LINKS, sent, strict=True)}
    # Na ends at 08:00:10; nobody is told a moment before the time on the page.
    end = next(n.end for n in delivered.notifications if plan.subscriptions[n.subscription].id == "Na")
    told = end - end % 60_000_000 + _micros("00:" + time.split(":", 1)[1])
    for until, notified in ((told - 1, False), (told, True)):
        early = walks.walked(plan, lines, decision, until)
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
    shown = essential(only(PAGE, "text", "subscriber-edge"))
    named = shown[0].split()
    totals = {name: bills[name].between_brokers() for name in named}
    least, naive = totals["static"], totals["subscriber-edge"]
    kinds = {name: bills[name].by_kind() for name in named}
    assert [line.split()[-len(named) :] for line in shown[1:]] == [
        [f"{kinds[name].get('publication', 0):,}" for name in named],
        [f"{kinds[name].get('result', 0):,}" for name in named],
        [f"{totals[name]:,}" for name in named],
        [_percent(totals[name], naive, 1) for name in named],
        [_percent(totals[name], least, 2) for name in named],
        [f"{kinds[name]['notification']:,}" for name in named],
    ]


def test_more_patience_saves_more(bills):
    sent = [bills[name].between_brokers() for name in ("adock", "patience", "patience of 2.5 seconds", "static")]
    assert sent == sorted(sent, reverse=True)
    assert len(set(sent)) == 4


def _percent(number, base, digits):
    return "-" if number == base else f"{100 * (number - base) / base:+.{digits}f}%"
