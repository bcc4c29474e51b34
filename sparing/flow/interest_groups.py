"""Interest groups: sets of subscriptions such that no publication matches subscriptions of two sets.

Decisions in one group never depend on another group, so groups run in parallel and results are exact. Boxes that are
disjoint in one field never match the same publication: a sweep along that field separates them. Each part is divided
again along the other fields, until no field divides it further.
"""

from __future__ import annotations

from collections.abc import Sequence

from sparing.model.box import Box
from sparing.model.constraint import Range


def interest_groups(boxes: Sequence[Box], keep: Sequence[str | None] | None = None) -> list[list[int]]:
    """Return the groups, each as ascending box numbers, in the order of their first members.

    Boxes with the same label in `keep` (None: no label) stay in one group. The cost is n log n for every field and
    level of division.
    """
    labels = keep or [None] * len(boxes)
    fields = sorted({field for box in boxes for field in box.fields})
    groups = []
    undivided = [list(range(len(boxes)))] if boxes else []
    while undivided:
        members = undivided.pop()
        for field in fields:
            parts = _divide(field, members, boxes, labels)
            if len(parts) > 1:
                undivided.extend(parts)
                break
        else:
            groups.append(sorted(members))
    return sorted(groups)


def _divide(field: str, members: list[int], boxes: Sequence[Box], labels: Sequence[str | None]) -> list[list[int]]:
    """Return the parts whose members overlap, directly or through others, in their constraints on one field."""
    constraints = {number: boxes[number].on(field) for number in members}
    leader = {number: number for number in members}

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    def join(one: int, other: int) -> None:
        leader[find(other)] = find(one)

    first_labelled: dict[str, int] = {}
    for number in members:
        label = labels[number]
        if label is not None:
            join(first_labelled.setdefault(label, number), number)
    accept_missing = [number for number, constraint in constraints.items() if constraint.missing]
    for number in accept_missing[1:]:
        join(accept_missing[0], number)

    ranges = [(r, number) for number, constraint in constraints.items() for r in constraint.ranges]
    ranges.sort(key=lambda entry: _start(entry[0]))
    reach: Range | None = None
    first = -1
    for current, number in ranges:
        if reach is not None and _starts_within(current, reach):
            join(first, number)
            if reach[1] is not None and (current[1] is None or current[1] > reach[1]):  # type: ignore[operator]
                reach = (reach[0], current[1])
        else:
            reach, first = current, number
    parts: dict[int, list[int]] = {}
    for number in members:
        parts.setdefault(find(number), []).append(number)
    return list(parts.values())


def _start(span: Range) -> tuple[bool, object]:
    return span[0] is not None, span[0]


def _starts_within(span: Range, reach: Range) -> bool:
    return reach[1] is None or span[0] is None or span[0] < reach[1]  # type: ignore[operator]
