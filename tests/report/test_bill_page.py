"""The bill's page: whole in itself, well formed, and with the numbers of the bills on it."""

import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from rich.console import Console

from sparing.cli.replay import bill_json
from sparing.deployment.deployment import Deployment
from sparing.deployment.techniques import Saving, techniques
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.model.prices import Prices
from sparing.report.bill_map import WIDEST, bill_map, ground_of
from sparing.report.bill_page import Billed, bill_page
from sparing.report.bill_picture import bill_picture
from sparing.report.over_time import MOST_BARS, over_time
from sparing.report.savings import savings_rows
from sparing.report.shades import SHADES
from sparing.report.tables import bills_table
from sparing.spark.run import Replayed
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
def billed():
    deployment = Deployment.of(toronto() | {"name": "a <city> & more"})
    deployment = replace(deployment, prices=Prices("CAD", default=0.5, sizes=dict.fromkeys(KIND, 100)))
    savings = [Saving(t, alone=bill(900), without=bill(450)) for t in techniques(deployment)[:2]]
    savings.append(Saving(techniques(deployment)[2], added=bill(390)))
    bills = {"ours": bill(400, 30), "wad": bill(410, 30), "naive": bill(1000)}
    least = {("e1", "c1"): 390, ("c1", "c2"): 380}
    return Billed(deployment, bills, {"notifications": 9, "quarantine": 2}, least, savings, {"static": "Why not."})


class Shape(HTMLParser):
    """Opens and closes elements, and keeps the text."""

    def __init__(self):
        super().__init__()
        self.open, self.words = [], []

    def handle_starttag(self, tag, _):
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, *_):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_is_well_formed_and_needs_nothing_else(billed):
    page = bill_page(billed)
    shape = Shape()
    shape.feed(page)
    assert shape.open == []
    assert not re.search(r"https?:|<script|<link|<img|@import|url\(", page)
    assert "a <city> & more" in "".join(shape.words)
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) == 4  # three maps and the time line
    for drawing in drawings:
        ElementTree.fromstring(drawing)


def test_the_page_has_the_numbers(billed):
    shape = Shape()
    shape.feed(bill_page(billed))
    text = " ".join(" ".join(shape.words).split())
    assert "830 messages between brokers instead of 2,000: 58.5% fewer" in text
    assert "static is not among them: Why not." in text
    for number in ("770", "852", "416.00", "84.1 kB", "-58.4%"):
        assert number in text, number


def test_between_brokers_is_one_number_everywhere(billed):
    """Terminal, page, picture and JSON; control plane, coordination, last hop and false positives stand apart."""
    mixed = Bill({BillKey("c1", "c2", kind, None): 2**at for at, kind in enumerate(KIND)})
    expected = mixed.between_brokers()
    assert expected == sum(2 ** list(KIND).index(kind) for kind in (KIND.PUBLICATION, KIND.RESULT, KIND.MERGED))
    billed = replace(billed, bills={"ours": mixed, "naive": mixed}, least=None)
    Console(file=(terminal := io.StringIO()), width=200).print(bills_table(billed.bills, "naive"))
    (row,) = (line.split() for line in terminal.getvalue().splitlines() if "between brokers" in line)
    shape = Shape()
    shape.feed(bill_page(billed))
    words = [" ".join(word.split()) for word in shape.words if word.strip()]
    found = {
        "terminal": row[-1],
        "headline": re.match(r"([\d,]+) messages between brokers", billed.headline)[1],
        "card": words[words.index("messages between brokers") - 1],
        "bar": words[words.index("naive", words.index("By policy")) + 1],
        "table": words[words.index("between brokers") + 1],
        "json": str(bill_json(Replayed(None, mixed, 0.0), None, None)["between_brokers"]),
    }
    assert found == dict.fromkeys(found, str(expected))


def test_one_of_a_kind_is_in_the_singular_on_the_page():
    small = toronto()
    del small["topics"]["incidents"]
    small["overlay"] = {"brokers": ["c1", "c2"], "links": [["c1", "c2"]]}
    small["publishers"] = [{"id": "p", "at": "c1", "topic": "traffic"}]
    small["subscribers"] = [{"id": "u", "at": "c2"}]
    small["subscriptions"] = [{"id": "s", "subscriber": "u", "sql": "SELECT * FROM traffic"}]
    one = Bill({BillKey("c1", "c2", KIND.PUBLICATION, 0): 1, BillKey("c1", "c2", KIND.SUBSCRIPTION, None): 1})
    rows = {"notifications": 1, "quarantine": 1}
    shape = Shape()
    shape.feed(bill_page(Billed(Deployment.of(small), {"ours": one, "naive": one}, rows)))
    text = " ".join(" ".join(shape.words).split())
    assert "2 brokers, 1 link, 1 topic, 1 publisher, 1 subscription of 1 subscriber" in text
    assert "1 message of ours was settled before the first publication and is not in the picture" in text
    assert not [words for words in shape.words if re.search(r"(?<![\d,.])1 [a-z ]*(message|row|link)s\b", words)]


def test_money_has_a_name_only_if_it_was_given_one(billed):
    unnamed = replace(billed, deployment=replace(billed.deployment, prices=Prices(default=0.5)))
    page = bill_page(unnamed)
    assert "cost with the last hop" in page
    assert "EUR" not in page


def test_a_link_costs_what_crosses_it(billed):
    links = bill_page(billed).split("<h2>The busiest links</h2>")[1]
    rows = {
        cells[0].replace("&gt;", ">"): cells[-2:]
        for row in re.findall(r"<tr>(.*?)</tr>", links)
        if (cells := re.findall(r"<td[^>]*>(.*?)</td>", row))
    }
    assert rows == {"c1>c2": ["43.0 kB", "215.00"], "e1>c1": ["40.0 kB", "200.00"], "c2>e3": ["200 B", "1.00"]}


def test_savings_are_against_the_right_bills(billed):
    _, rows = savings_rows(billed.savings, billed.ours, billed.naive)
    assert rows[0][2:] == ["1,802", "-10.0%", "902", "+8.4%"]
    assert rows[2][2:] == ["not used", "-", "782", "would be -6.0%"]
    assert rows[-1] == ["all together", "", "832", "-58.4%", "2,002", "+140.6%"]


def test_all_that_crosses_links_has_a_colour():
    bill = Bill({BillKey("a", "b", kind, None): 1 for kind in KIND})
    assert sum((shade.of(bill) for shade in SHADES), Bill()) == bill.over_links()


def test_links_are_as_wide_as_their_messages(billed):
    ground = ground_of(billed.deployment.overlay, frozenset(["e1"]), frozenset(["e3"]), billed.bills)
    assert ground.most == 1000

    def widths(name):
        root = ElementTree.fromstring(bill_map(ground, billed.bills[name], name))
        found = {}
        for group in root.iter("g"):
            title = group.find("title").text.split(":")[0]
            found[title] = sum(float(line.get("stroke-width")) for line in group.iter("line"))
        return found

    ours, naive = widths("ours"), widths("naive")
    assert naive["e1 to c1"] == pytest.approx(WIDEST)
    assert ours["c1 to c2"] == pytest.approx(WIDEST * 430 / 1000, abs=0.02)
    assert ours.keys() == naive.keys() == {"e1 to c1", "c1 to c2", "c2 to e3"}


def test_time_bars_hold_all_messages_with_a_time():
    many = Bill({BillKey("a", "b", KIND.PUBLICATION, at * MINUTE): at % 7 for at in range(1000)})
    root = ElementTree.fromstring(over_time(many, many, MINUTE))
    counts = [int(title.text.split(": ")[1].split()[0].replace(",", "")) for title in root.iter("title")]
    assert sum(counts) == many.total()
    assert len(counts) <= MOST_BARS


def test_nothing_in_time_is_no_drawing():
    settled = Bill({BillKey("a", "b", KIND.ADVERTISEMENT, None): 3})
    assert over_time(settled, settled, MINUTE) is None


def test_an_overlay_without_links_or_messages_can_be_drawn():
    alone = Deployment.of(
        {"name": "alone", "overlay": {"brokers": ["a"]}, "topics": {"t": {"time": "ts", "fields": {"ts": "timestamp"}}}}
    )
    page = bill_page(Billed(alone, {"ours": Bill(), "naive": Bill()}, {}))
    assert "0 messages between brokers instead of 0." in page


def test_the_picture_stands_by_itself_with_both_bills_on_it(billed):
    root = ElementTree.fromstring(bill_picture(billed))
    texts = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "830 messages between brokers instead of 2,000: 58.5% fewer" in texts
    assert "with Sparing: 832 messages of all kinds" in texts
    assert "naive: 2,002 messages of all kinds" in texts
    assert {shade.name for shade in SHADES} <= set(texts)
    assert "a <city> & more" in root.find("{http://www.w3.org/2000/svg}title").text
    assert len(list(root.iter("{http://www.w3.org/2000/svg}g"))) >= 2
