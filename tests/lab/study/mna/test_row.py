"""Measurements survive the way through a CSV file."""

from dataclasses import replace

from sparing_lab.study.mna.row import Row
from tests.lab.study.mna.rows import TINY, results, row


def test_csv_gives_back_what_it_was_given():
    rows = results().rows
    odd = replace(row(TINY.with_ratio(1.5), "wad"), walk_seconds=0.1 + 0.2, selectivity=1 / 3)
    assert Row.from_csv(Row.to_csv([*rows, odd])) == [*rows, odd]


def test_csv_has_a_line_for_every_row_and_a_header():
    lines = Row.to_csv(results().rows).splitlines()
    assert lines[0].startswith("workload,rate,subscriptions,window,slide,duration,seed,policy,")
    assert len(lines) == 1 + len(results().rows)


def test_a_flat_row_can_be_read():
    found = row(TINY.cell("stock", "sliding"), "adock")
    assert Row.of(found.flat()) == found
    assert found.seconds == 4.0
