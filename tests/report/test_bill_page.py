"""The page and the picture of a bill: self-contained, well formed, with the numbers of the bills."""

import io
import re
from collections import defaultdict
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from rich.console import Console

from sparing.cli.replay import bill_json
from sparing.deployment.deployment import Deployment
from sparing.deployment.techniques import Saving, techniques
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.model.prices import Prices
from sparing.report.bill_map import WIDEST, BillMap
from sparing.report.bill_over_time import MOST_BARS, bill_over_time
from sparing.report.bill_page import BillReport, bill_page
from sparing.report.bill_picture import bill_picture
from sparing.report.legend import LEGEND
from sparing.report.savings import savings_rows
from sparing.report.tables import bills_table
from sparing.spark.run import ReplayResult
from tests.deployment.examples import toronto

MINUTE = 60_000_000
KIND = MessageKind


def bill(publications, results=0):
    return Bill(
        {
            BillKey("e1", "c1", KIND.PUBLICATION, 0): publications,
            BillKey("c1", "c2", KIND.PUBLICATION, 3 * MINUTE): publications,
            BillKey("c1", "c2", KIND.RESULT, 3 * MINUTE): results,
            BillKey("c2", "e3", KIND.SUBSCRIPTION, None): 2,
            BillKey("e3", "alice", KIND.NOTIFICATION, 0): 9,
        }
    )


@pytest.fixture
def report():
    deployment = Deployment.of(toronto() | {"name": "a <city> & more"})
    deployment = replace(deployment, prices=Prices("CAD", default=0.5, sizes=dict.fromkeys(KIND, 100)))
    savings = [Saving(t, alone=bill(900), without=bill(450)) for t in techniques(deployment)[:2]]
    savings.append(Saving(techniques(deployment)[2], added=bill(390)))
    bills = {"ours": bill(400, 30), "wad": bill(410, 30), "naive": bill(1000)}
    least = {("e1", "c1"): 390, ("c1", "c2"): 380}
    return BillReport(deployment, bills, {"notifications": 9, "quarantine": 2}, least, savings, {"static": "Why not."})


class Shape(HTMLParser):
    """Checks that elements are closed; collects text and ids."""

    def __init__(self):
        super().__init__()
        self.open, self.words, self.ids = [], [], []

    def handle_starttag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, _, attributes):
        self.ids += [value for name, value in attributes if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_is_well_formed_and_self_contained(report):
    page = bill_page(report)
    shape = Shape()
    shape.feed(page)
    assert shape.open == []
    assert not re.search(r"https?:|<script|<link|<img|@import|url\((?!#)", page)
    assert "a <city> & more" in "".join(shape.words)
    assert len(set(shape.ids)) == len(shape.ids)
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) == 4  # three maps and the time line
    for drawing in drawings:
        ElementTree.fromstring(drawing)


def test_the_page_shows_headline_costs_and_savings(report):
    shape = Shape()
    shape.feed(bill_page(report))
    text = " ".join(" ".join(shape.words).split())
    assert "830 messages between brokers instead of 2,000: 58.5% fewer" in text
    assert "static is not compared: Why not." in text
    for number in ("770", "852", "416.00", "84.1 kB", "-58.4%"):
        assert number in text, number


def test_between_brokers_is_the_same_number_in_terminal_page_and_json(report):
    """Control plane, coordination, last hop and false positives are not part of it."""
    mixed = Bill({BillKey("c1", "c2", kind, None): 2**at for at, kind in enumerate(KIND)})
    expected = mixed.between_brokers()
    assert expected == sum(2 ** list(KIND).index(kind) for kind in (KIND.PUBLICATION, KIND.RESULT, KIND.MERGED))
    report = replace(report, bills={"ours": mixed, "naive": mixed}, least=None)
    Console(file=(terminal := io.StringIO()), width=200).print(bills_table(report.bills, "naive"))
    (row,) = (line.split() for line in terminal.getvalue().splitlines() if "between brokers" in line)
    shape = Shape()
    shape.feed(bill_page(report))
    words = [" ".join(word.split()) for word in shape.words if word.strip()]
    found = {
        "terminal": row[-1],
        "headline": re.match(r"([\d,]+) messages between brokers", report.headline)[1],
        "card": words[words.index("messages between brokers") - 1],
        "bar": words[words.index("naive", words.index("By policy")) + 1],
        "table": words[words.index("between brokers") + 1],
        "json": str(bill_json(ReplayResult(delivered=None, bill=mixed, seconds=0.0), None, None)["between_brokers"]),
    }
    assert found == dict.fromkeys(found, str(expected))


def test_a_count_of_one_is_singular_on_the_page():
    small = toronto()
    del small["topics"]["incidents"]
    small["overlay"] = {"brokers": ["c1", "c2"], "links": [["c1", "c2"]]}
    small["publishers"] = [{"id": "p", "at": "c1", "topic": "traffic"}]
    small["subscribers"] = [{"id": "u", "at": "c2"}]
    small["subscriptions"] = [{"id": "s", "subscriber": "u", "sql": "SELECT * FROM traffic"}]
    one = Bill({BillKey("c1", "c2", KIND.PUBLICATION, 0): 1, BillKey("c1", "c2", KIND.SUBSCRIPTION, None): 1})
    rows = {"notifications": 1, "quarantine": 1}
    shape = Shape()
    shape.feed(bill_page(BillReport(Deployment.of(small), {"ours": one, "naive": one}, rows)))
    text = " ".join(" ".join(shape.words).split())
    assert "2 brokers, 1 link, 1 topic, 1 publisher, 1 subscription of 1 subscriber" in text
    assert "1 message of ours was sent before the first publication and is not shown" in text
    assert not [words for words in shape.words if re.search(r"(?<![\d,.])1 [a-z ]*(message|row|link)s\b", words)]


def test_costs_without_a_currency_are_called_cost(report):
    unnamed = replace(report, deployment=replace(report.deployment, prices=Prices(default=0.5)))
    page = bill_page(unnamed)
    assert "cost including the last hop" in page
    assert "EUR" not in page


def test_the_table_of_links_shows_bytes_and_cost_per_link(report):
    shape = Shape()
    shape.feed(bill_page(report))
    words = [word for word in shape.words if word.strip()]
    names = words[words.index("link") :]
    width = names.index("CAD") + 1
    rows = {names[at]: names[at + width - 2 : at + width] for at in range(width, 4 * width, width)}
    assert rows == {"c1>c2": ["43.0 kB", "215.00"], "e1>c1": ["40.0 kB", "200.00"], "c2>e3": ["200 B", "1.00"]}


def test_savings_are_compared_with_naive_alone_and_with_ours_left_out(report):
    _, rows = savings_rows(report.savings, report.ours, report.naive)
    assert rows[0][2:] == ["1,802", "-10.0%", "902", "+8.4%"]
    assert rows[2][2:] == ["not used", "-", "782", "would be -6.0%"]
    assert rows[-1] == ["all together", "", "832", "-58.4%", "2,002", "+140.6%"]


def test_the_legend_has_all_kinds_on_links():
    bill = Bill({BillKey("a", "b", kind, None): 1 for kind in KIND})
    assert sum((entry.messages(bill) for entry in LEGEND), Bill()) == bill.over_links()


def test_widths_of_links_are_proportional_to_their_messages(report):
    shared = BillMap.of(report.deployment.overlay, frozenset(["e1"]), frozenset(["e3"]), report.bills)
    assert shared.most == 1000

    def widths(name):
        root = ElementTree.fromstring(shared.svg(report.bills[name], name))
        found = defaultdict(float)
        for group in root.iter("g"):
            if (title := group.find("title")) is not None:
                widths = re.findall(
                    r"stroke-width: ([\d.]+)", "".join(path.get("style") for path in group.iter("path"))
                )
                found[title.text.split(":")[0]] += sum(map(float, widths))
        return found

    ours, naive = widths("ours"), widths("naive")
    assert naive["e1 to c1"] == pytest.approx(WIDEST)
    assert ours["c1 to c2"] == pytest.approx(WIDEST * 430 / 1000, abs=0.02)
    assert ours.keys() == naive.keys() == {"e1 to c1", "c1 to c2", "c2 to e3"}


def test_the_bars_over_time_contain_all_messages_with_a_time():
    many = Bill({BillKey("a", "b", KIND.PUBLICATION, at * MINUTE): at % 7 for at in range(1000)})
    root = ElementTree.fromstring(bill_over_time(many, many, MINUTE))
    counts = [int(re.search(r": ([\d,]+) publication", title.text)[1].replace(",", "")) for title in root.iter("title")]
    assert sum(counts) == many.total()
    assert len(counts) <= MOST_BARS


def test_without_messages_over_time_there_is_no_plot():
    settled = Bill({BillKey("a", "b", KIND.ADVERTISEMENT, None): 3})
    assert bill_over_time(settled, settled, MINUTE) is None


def test_an_overlay_without_links_or_messages_can_be_drawn():
    alone = Deployment.of(
        {"name": "alone", "overlay": {"brokers": ["a"]}, "topics": {"t": {"time": "ts", "fields": {"ts": "timestamp"}}}}
    )
    page = bill_page(BillReport(alone, {"ours": Bill(), "naive": Bill()}, {}))
    assert "0 messages between brokers instead of 0." in page


def test_the_picture_shows_both_bills(report):
    root = ElementTree.fromstring(bill_picture(report))
    texts = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "830 messages between brokers instead of 2,000: 58.5% fewer" in texts
    assert "with Sparing: 832 messages of all kinds" in texts
    assert "naive: 2,002 messages of all kinds" in texts
    assert {entry.name for entry in LEGEND} <= set(texts)
    assert "a <city> & more" in root.find("{http://www.w3.org/2000/svg}title").text
    tooltips = {title.text for title in root.iter("{http://www.w3.org/2000/svg}title")}
    assert {"c1 to c2: 400 publication, 30 result", "c1 to c2: 1,000 publication"} <= tooltips


def test_names_are_escaped_on_the_page_and_in_the_picture():
    name = "<b>&$x$"
    small = toronto() | {"overlay": {"brokers": [name, "c2"], "links": [[name, "c2"]]}}
    small |= {"publishers": [], "subscribers": [], "subscriptions": []}
    one = Bill({BillKey(name, "c2", KIND.PUBLICATION, 0): 5})
    report = BillReport(Deployment.of(small), {"ours": one, name: one, "naive": one}, {}, refused={name: "<i>why</i>"})
    shape = Shape()
    shape.feed(bill_page(report))
    assert shape.open == []
    names = [word.strip() for word in shape.words]
    assert names.count(name) == 1 + 3 + 2  # a caption, each of three maps, a bar and a column
    assert f"{name} to c2: 5 publication" in shape.words
    assert f"{name} is not compared: <i>why</i>" in shape.words
    assert f">{escape(name)}<" in bill_picture(report)


def test_the_page_and_the_picture_are_deterministic(report):
    assert bill_page(report) == bill_page(report)
    assert bill_picture(report) == bill_picture(report)
    assert not re.search("date|matplotlib", bill_picture(report), re.IGNORECASE)
