"""What each technique saved, alone and by not being left out, and all together."""

from __future__ import annotations

from collections.abc import Sequence

from sparing.deployment.techniques import Saving
from sparing.model.bill import Bill
from sparing.report.amounts import change


def savings_rows(savings: Sequence[Saving], ours: Bill, naive: Bill) -> tuple[list[str], list[list[str]]]:
    """What each technique saved, alone and by not being left out, and all together."""
    mine, theirs = ours.over_links().total(), naive.over_links().total()
    rows = []
    for saving in savings:
        cells = [saving.technique.name, saving.technique.paper]
        if saving.alone is None or saving.without is None:
            added = (saving.added or Bill()).over_links().total()
            rows.append([*cells, "not used", "-", f"{added:,}", f"would be {change(added, mine)}"])
            continue
        alone, without = saving.alone.over_links().total(), saving.without.over_links().total()
        rows.append([*cells, f"{alone:,}", change(alone, theirs), f"{without:,}", change(without, mine)])
    rows.append(["all together", "", f"{mine:,}", change(mine, theirs), f"{theirs:,}", change(theirs, mine)])
    return ["technique", "paper", "alone", "against naive", "left out", "against ours"], rows
