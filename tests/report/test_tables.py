"""Tables in the terminal: what merged topics saved, link by link."""

from __future__ import annotations

from rich.console import Console

from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.report.tables import bills_table, suppressed_table

SIENA = {("a", "b"): 10, ("b", "c"): 4}
TAKEN = {
    ("a", "b"): {"publication": 2, "merged": 1, "coordination": 7},
    ("c", "b"): {"coordination": 3},
}


def lines(table: object) -> list[list[str]]:
    """The words of each line that is printed."""
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table)
    return [line.split() for line in capture.get().splitlines() if line.strip() and "─" not in line]


def test_what_is_suppressed() -> None:
    found = lines(suppressed_table(SIENA, TAKEN))
    assert found[1:] == [
        ["link", "siena", "publication", "merged", "suppressed", "coordination", "with", "it"],
        ["a>b", "10", "2", "1", "70.0%", "7", "0.0%"],
        ["b>c", "4", "0", "0", "100.0%", "0", "100.0%"],
        ["c>b", "0", "0", "0", "-", "3", "-"],
        ["all", "links", "14", "2", "1", "78.6%", "10", "7.1%"],
    ]


def test_the_busiest_links_are_shown_and_all_are_summed() -> None:
    found = lines(suppressed_table(SIENA, TAKEN, most=1))
    assert [row[0] for row in found[2:]] == ["a>b", "all"]
    assert found[-1] == ["all", "links", "14", "2", "1", "78.6%", "10", "7.1%"]


def test_merging_can_cost_more_than_it_saves() -> None:
    found = lines(suppressed_table({("a", "b"): 2}, {("a", "b"): {"publication": 2, "merged": 1}}))
    assert found[-1] == ["all", "links", "2", "2", "1", "-50.0%", "0", "-50.0%"]


def test_results_of_aggregates_count() -> None:
    found = lines(suppressed_table({("a", "b"): 4}, {("a", "b"): {"merged": 1, "result": 1}}))
    assert found[1][-6:] == ["merged", "result", "suppressed", "coordination", "with", "it"]
    assert found[-1] == ["all", "links", "4", "0", "1", "1", "50.0%", "0", "50.0%"]


def test_nothing_was_reported() -> None:
    assert lines(suppressed_table({}, {}))[-1] == ["all", "links", "0", "0", "0", "-", "0", "-"]


def test_bills_have_merged_events_only_where_there_are_some() -> None:
    raw = Bill({BillKey("a", "b", MessageKind.PUBLICATION, 0): 5})
    both = Bill({BillKey("a", "b", MessageKind.PUBLICATION, 0): 2, BillKey("b", "c", MessageKind.MERGED, 0): 1})
    assert ["merged", "0", "1"] in lines(bills_table({"siena": raw, "caeva": both}))
    assert "merged" not in [row[0] for row in lines(bills_table({"siena": raw}))]
    assert ["between", "brokers", "5", "3"] in lines(bills_table({"siena": raw, "caeva": both}))
