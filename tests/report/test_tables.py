"""Tables in the terminal: bills as columns or rows, suppressed messages of merged topics, names with brackets."""

from __future__ import annotations

import pytest
from rich.console import Console

from sparing.control.summary.fold_summary import Cluster
from sparing.control.summary.plan_summary import BrokerSummary, CoveredCount
from sparing.flow.links import POLICIES
from sparing.flow.rank.explain import Candidate, Choice, Hop
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.model.prices import Prices
from sparing.report.amounts import above_least
from sparing.report.choice import candidates_table, hops_table
from sparing.report.plan import brokers_table, clusters_table
from sparing.report.tables import bills_table, figures_table, links_table, rows_table, suppressed_table

SIENA = {("a", "b"): 10, ("b", "c"): 4}
SENT = {
    ("a", "b"): {"publication": 2, "merged": 1, "coordination": 7},
    ("c", "b"): {"coordination": 3},
}


def printed(table: object, width: int = 200) -> str:
    """Return the printed text."""
    console = Console(width=width)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def lines(table: object, width: int = 200) -> list[list[str]]:
    """Return the words of each printed line."""
    return [line.split() for line in printed(table, width).splitlines() if line.strip() and "─" not in line]


def test_suppressed_messages_are_shown_by_link_and_in_total() -> None:
    found = lines(suppressed_table(SIENA, SENT))
    assert found[1:] == [
        ["link", "siena", "publication", "merged", "suppressed", "coordination", "with", "it"],
        ["a>b", "10", "2", "1", "70.0%", "7", "0.0%"],
        ["b>c", "4", "0", "0", "100.0%", "0", "100.0%"],
        ["c>b", "0", "0", "0", "-", "3", "-"],
        ["all", "links", "14", "2", "1", "78.6%", "10", "7.1%"],
    ]


def test_the_total_includes_links_that_are_not_shown() -> None:
    found = lines(suppressed_table(SIENA, SENT, most=1))
    assert [row[0] for row in found[2:]] == ["a>b", "all"]
    assert found[-1] == ["all", "links", "14", "2", "1", "78.6%", "10", "7.1%"]


def test_the_suppressed_share_is_negative_if_merging_costs_more() -> None:
    found = lines(suppressed_table({("a", "b"): 2}, {("a", "b"): {"publication": 2, "merged": 1}}))
    assert found[-1] == ["all", "links", "2", "2", "1", "-50.0%", "0", "-50.0%"]


def test_results_of_windows_count_as_sent_messages() -> None:
    found = lines(suppressed_table({("a", "b"): 4}, {("a", "b"): {"merged": 1, "result": 1}}))
    assert found[1][-6:] == ["merged", "result", "suppressed", "coordination", "with", "it"]
    assert found[-1] == ["all", "links", "4", "0", "1", "1", "50.0%", "0", "50.0%"]


def test_no_share_is_shown_without_messages() -> None:
    assert lines(suppressed_table({}, {}))[-1] == ["all", "links", "0", "0", "0", "-", "0", "-"]


def test_the_row_of_merged_events_is_shown_only_if_a_bill_has_some() -> None:
    raw = Bill({BillKey("a", "b", MessageKind.PUBLICATION, 0): 5})
    both = Bill({BillKey("a", "b", MessageKind.PUBLICATION, 0): 2, BillKey("b", "c", MessageKind.MERGED, 0): 1})
    assert ["merged", "0", "1"] in lines(bills_table({"siena": raw, "caeva": both}))
    assert "merged" not in [row[0] for row in lines(bills_table({"siena": raw}))]
    assert ["between", "brokers", "5", "3"] in lines(bills_table({"siena": raw, "caeva": both}))


ODD = ("west[/x]", "[e]", "[bold]s")  # an unmatched end tag, an unknown tag, an unclosed tag


@pytest.mark.parametrize("name", ODD)
def test_brackets_in_names_are_not_markup(name: str) -> None:
    bill = Bill({BillKey(name, "b", MessageKind.PUBLICATION, 0): 5})
    many = {f"{name}{at}": bill for at in range(6)}
    choice = Choice(
        "p", name, "t", name, 0, 1, None, 1, None, name, False, (Candidate(name, name, name, 1.0, True),),
        (Hop(name, name, 1, 1, 1),),
    )  # fmt: skip
    shown = {
        "bills": bills_table({name: bill}, naive=name),
        "many bills": bills_table(many, naive=f"{name}0"),
        "links": links_table({name: bill}),
        "suppressed": suppressed_table({(name, "b"): 1}, {}),
        "rows": rows_table(name, [name, name], [[name, name]], 80),
        "figures": figures_table(name, [name], [[name]], caption=name),
        "candidates": candidates_table(choice, 1),
        "hops": hops_table(choice, 1),
        "brokers": brokers_table([BrokerSummary(name, 1, CoveredCount(1, 1), CoveredCount(1, 1))]),
        "clusters": clusters_table([Cluster((name,), (name,), 1, 1.0, 1)]),
    }
    times = {
        "bills": 2,
        "many bills": 13,
        "links": 2,
        "rows": 5,
        "figures": 4,
        "candidates": 3,
        "hops": 3,
        "clusters": 2,
    }
    assert {what: printed(table).count(name) for what, table in shown.items()} == {
        what: times.get(what, 1) for what in shown
    }


def test_many_bills_are_rows_that_fit_a_narrow_terminal() -> None:
    names = ["ours", *POLICIES, "agele", "siena", "naive"]
    kinds = {MessageKind.PUBLICATION: 9_876_543, MessageKind.RESULT: 12_345, MessageKind.MERGED: 2_345}
    kinds |= {MessageKind.COORDINATION: 34_567, MessageKind.SUBSCRIPTION: 45_678, MessageKind.NOTIFICATION: 56_789}
    bills = {
        name: Bill({BillKey("a", "b", kind, None): n + at for kind, n in kinds.items()})
        for at, name in enumerate(names)
    }
    prices = Prices("CAD", default=0.002, sizes=dict.fromkeys(MessageKind, 100))
    least, seconds = {("a", "b"): 9_000_000}, dict.fromkeys(names, 12.3)
    table = bills_table(bills, "naive", least, seconds, prices)
    assert all(len(line) <= 80 for line in printed(table, 80).splitlines())
    assert lines(table, 80) == lines(table, 200)
    fewer = {name: Bill({key: n // 10 for key, n in bill.items()}) for name, bill in bills.items()}
    longest = bills_table(fewer, "subscriber-edge", {("a", "b"): 900_000})
    assert lines(longest, 80) == lines(longest, 200)
    found = lines(table, 80)
    assert found.count(["naive", "9,876,554", "12,356", "2,356", "9,891,266", "-"]) == 1
    assert ["ours", "9,876,543", "12,345", "2,345", "9,891,233", "-0.0003%", "+9.90%"] in found
    assert ["wad-live", "34,571", "45,682", "56,793", "12.3", "1.0", "GB", "19,943.00"] in found
    assert [row[0] for row in found if row[0] in names] == [*names, *names]


def test_bills_with_other_merging_are_not_compared_with_the_least_possible() -> None:
    merging = Bill({BillKey("a", "b", MessageKind.MERGED, 0): 20})
    raw = Bill({BillKey("a", "b", MessageKind.PUBLICATION, 0): 30})
    bills = {"ours": merging, "wad": merging, "agele": raw, "siena": raw, "naive": raw}
    assert above_least(bills, 15, 1) == ["+33.3%", "+33.3%", "", "", ""]
    assert above_least({"ours": raw, "naive": raw}, 15, 1) == ["+100.0%", "+100.0%"]
    assert above_least({"siena": raw, "caeva": merging}, 15, 1) == ["+100.0%", ""]


def test_the_title_says_whether_all_links_are_shown() -> None:
    crossed = Bill({BillKey(str(n), "b", MessageKind.PUBLICATION, 0): n for n in range(1, 4)})
    assert printed(links_table({"ours": crossed}, 3)).split()[:3] == ["Messages", "by", "link"]
    assert printed(links_table({"ours": crossed}, 2)).split()[:3] == ["The", "2", "busiest"]
