"""The slow and obvious judge of merged events: who must be told what and when, with no overlay in sight.

Works on the list of all reports of a topic at once. A report is (time, id, key, facts), a fact (field, value).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

Facts = frozenset[tuple[str, Any]]
Holds = Callable[[Facts], bool]  # whether a condition holds for what is known so far


@dataclass(frozen=True)
class Said:
    """One report."""

    time: int
    id: str
    at: str
    key: str
    facts: Facts


@dataclass(frozen=True)
class Wish:
    """What a subscriber wants: `holds` is its filter, `urgent` what does not wait for the cycle `every` (0: at once)."""

    id: str
    at: str
    every: int
    holds: Holds
    urgent: Holds | None = None


@dataclass(frozen=True)
class Heard:
    """What a subscriber is told about the event of a key that began at some time."""

    who: str
    key: str
    began: int
    time: int
    facts: Facts


def events_of(reports: Iterable[Said], within: int) -> list[list[Said]]:
    """The reports of each event."""
    found: list[list[Said]] = []
    latest: dict[str, list[Said]] = {}
    for report in sorted(reports, key=lambda r: (r.time, r.id)):
        event = latest.get(report.key)
        if event is None or report.time > event[0].time + within:
            event = latest[report.key] = []
            found.append(event)
        event.append(report)
    return found


def deliveries(reports: Iterable[Said], within: int, wishes: Iterable[Wish]) -> set[Heard]:
    """Everything that subscribers must be told."""
    wishes = list(wishes)
    return {heard for event in events_of(reports, within) for wish in wishes for heard in _told(event, wish)}


def _told(event: list[Said], wish: Wish) -> Iterable[Heard]:
    began, key = event[0].time, event[0].key
    moments: list[tuple[int, int, Facts]] = [(r.time, 1, r.facts) for r in event]
    if wish.every:
        last = event[-1].time
        ends = range(began + wish.every, last + wish.every + 1, wish.every)
        moments += [(end, 0, frozenset()) for end in ends]  # a cycle ends before what is reported at that time
    known: Facts = frozenset()
    told: Facts = frozenset()
    matched, roused = False, False
    for time, is_report, facts in sorted(moments, key=lambda m: m[:2]):
        known |= facts
        if wish.urgent is not None and wish.holds(known) and wish.urgent(known):
            roused = True
        if is_report and wish.every and not roused:
            continue
        matched = matched or wish.holds(known)
        if matched and known - told:
            yield Heard(wish.id, key, began, time, known - told)
            told = known
