"""The table of savings by technique."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.deployment.techniques import Saving
from sparing.model.bill import Bill
from sparing.report.amounts import change


def savings_rows(savings: Sequence[Saving], ours: Bill, naive: Bill) -> tuple[list[str], list[list[str]]]:
    """Return the savings of each technique alone, the loss without it, and the savings of all, as a table."""
    total, naive_total = ours.over_links().total(), naive.over_links().total()
    rows = []
    for saving in savings:
        cells = [saving.technique.name, saving.technique.paper]
        if saving.alone is None or saving.without is None:
            added = (saving.added or Bill()).over_links().total()
            rows.append([*cells, "not used", "-", f"{added:,}", f"would be {change(added, total)}"])
            continue
        alone, without = saving.alone.over_links().total(), saving.without.over_links().total()
        rows.append([*cells, f"{alone:,}", change(alone, naive_total), f"{without:,}", change(without, total)])
    with_all, with_none = [f"{total:,}", change(total, naive_total)], [f"{naive_total:,}", change(naive_total, total)]
    rows.append(["all together", "", *with_all, *with_none])
    return ["technique", "paper", "alone", "against naive", "left out", "against ours"], rows
