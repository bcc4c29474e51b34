"""Interest groups: sets of subscriptions that no publication can tie to another set.

What is decided in one group never depends on another, so groups are worked on in parallel and the result is exact.
Boxes that share no value in one field can never match the same publication: a sweep along that field cuts them
apart. Each part is cut again along the other fields, until no field cuts any further.
"""

from __future__ import annotations

from collections.abc import Sequence

from sparing.model.box import Box
from sparing.model.constraint import Range


def interest_groups(boxes: Sequence[Box], together: Sequence[str | None] | None = None) -> list[list[int]]:
    """The groups, each as ascending box numbers, in the order of their first members.

    Boxes with the same name in `together` (None: no name) are kept in one group even if they could be cut apart. The
    cost is n log n for every field and level of cutting.
    """
    named = together or [None] * len(boxes)
    fields = sorted({field for box in boxes for field in box.fields})
    groups = []
    undivided = [list(range(len(boxes)))] if boxes else []
    while undivided:
        members = undivided.pop()
        for field in fields:
            parts = _cut(field, members, boxes, named)
            if len(parts) > 1:
                undivided.extend(parts)
                break
        else:
            groups.append(sorted(members))
    return sorted(groups)


def _cut(field: str, members: list[int], boxes: Sequence[Box], named: Sequence[str | None]) -> list[list[int]]:
    """The parts whose members overlap, directly or through others, in their constraints on one field."""
    constraints = {number: boxes[number].on(field) for number in members}
    leader = {number: number for number in members}

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    def join(one: int, other: int) -> None:
        leader[find(other)] = find(one)

    first_named: dict[str, int] = {}
    for number in members:
        name = named[number]
        if name is not None:
            join(first_named.setdefault(name, number), number)
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
