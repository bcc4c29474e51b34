"""The slow and obvious judges of merged events: who must be told what and when, and what that costs the plainest ways.

Works on the list of all reports of a topic at once. A report is (time, id, broker, key, facts), a fact (field, value).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Facts = frozenset[tuple[str, Any]]
Holds = Callable[[Facts], bool]  # whether a condition holds for what is known so far
Messages = Counter[tuple[str, str, int]]  # source, target and time


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
    """What a subscriber wants: `holds` is its filter, `urgent` what does not wait for the cycle `every` (0: at once).

    It is in force for events that begin in `[since, until)`. `fields` are those that it wants to see (None: all); `key`
    tells whether the event of a key can be of interest at all (None: always).
    """

    id: str
    at: str
    every: int
    holds: Holds
    urgent: Holds | None = None
    since: int | None = None
    until: int | None = None
    fields: frozenset[str] | None = None
    key: Callable[[str], bool] | None = None

    def concerned(self, event: Sequence[Said]) -> bool:
        """Whether an event can be of interest."""
        began = event[0].time
        in_force = (self.since is None or began >= self.since) and (self.until is None or began < self.until)
        return in_force and (self.key is None or self.key(event[0].key))


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
    return {
        Heard(wish.id, event[0].key, event[0].time, moment.time, new)
        for event in events_of(reports, within)
        for moment in moments_of(event, wishes)
        for wish, new in moment.told
    }


@dataclass(frozen=True)
class Moment:
    """A cycle ends, or a report is made: what is known of the event after that, and who is told what."""

    time: int
    known: Facts
    told: list[tuple[Wish, Facts]]


@dataclass
class _Knows:
    """What a subscriber has been told, whether its filter has held, and whether the event has been urgent to it."""

    wish: Wish
    facts: Facts = frozenset()
    matched: bool = False
    roused: bool = False

    def tell(self, known: Facts, due: bool) -> Facts:
        """What it is told when some facts are known, and a cycle of its own ends or not."""
        wish = self.wish
        self.roused = self.roused or (wish.urgent is not None and wish.holds(known) and wish.urgent(known))
        if not (due or self.roused or not wish.every):
            return frozenset()
        self.matched = self.matched or wish.holds(known)
        if not self.matched:
            return frozenset()
        new, self.facts = known - self.facts, known
        return frozenset(fact for fact in new if wish.fields is None or fact[0] in wish.fields)


def moments_of(event: Sequence[Said], wishes: Iterable[Wish]) -> Iterable[Moment]:
    """All that happens to an event, in order: at equal times cycles end first, then reports are made."""
    began, last = event[0].time, event[-1].time
    who = [_Knows(wish) for wish in wishes if wish.concerned(event)]
    ends = {end for one in who if (e := one.wish.every) for end in range(began + e, last + e + 1, e)}
    happenings: list[tuple[int, Said | None]] = [(end, None) for end in sorted(ends)]
    happenings += [(report.time, report) for report in event]
    known: Facts = frozenset()
    for time, report in sorted(happenings, key=lambda h: (h[0], h[1] is not None)):
        if report is not None:
            known |= report.facts
        told = []
        for one in who:
            due = report is None and one.wish.every > 0 and (time - began) % one.wish.every == 0
            if new := one.tell(known, due):
                told.append((one.wish, new))
        yield Moment(time, known, told)


# What it costs between brokers: messages by directed link and time


class Paths:
    """The only way between any two brokers of a tree or forest."""

    def __init__(self, links: Iterable[tuple[str, str]]) -> None:
        self.neighbours: dict[str, set[str]] = {}
        for one, other in links:
            self.neighbours.setdefault(one, set()).add(other)
            self.neighbours.setdefault(other, set()).add(one)

    def way(self, source: str, target: str) -> list[str]:
        """The brokers on the way, both ends included; none if there is no way."""
        ways = [[source]]
        for way in ways:
            if way[-1] == target:
                return way
            ways += [[*way, n] for n in sorted(self.neighbours.get(way[-1], ())) if n not in way]
        return []

    def union(self, source: str, goals: Iterable[str]) -> set[tuple[str, str]]:
        """The links on the ways to some brokers, each in its direction."""
        return {link for goal in goals for link in pairwise(self.way(source, goal))}


def siena_bill(reports: Iterable[Said], within: int, wishes: Iterable[Wish], paths: Paths) -> Messages:
    """Every report travels to every broker of somebody who may be interested."""
    wishes, bill = list(wishes), Counter[tuple[str, str, int]]()
    for event in events_of(reports, within):
        goals = {wish.at for wish in wishes if wish.concerned(event)}
        for report in event:
            bill.update((*link, report.time) for link in paths.union(report.at, goals))
    return bill


def agele_bill(
    reports: Iterable[Said], within: int, wishes: Iterable[Wish], paths: Paths, center: str
) -> tuple[Messages, Messages]:
    """Up and down: reports go to the center as they are, and what is new to a link from there to those who are told."""
    wishes, up, down = list(wishes), Counter[tuple[str, str, int]](), Counter[tuple[str, str, int]]()
    for event in events_of(reports, within):
        if any(wish.concerned(event) for wish in wishes):
            for report in event:
                up.update((*link, report.time) for link in paths.union(report.at, [center]))
        crossed: dict[tuple[str, str], Facts] = {}
        for moment in moments_of(event, wishes):
            for link in paths.union(center, {wish.at for wish, _ in moment.told}):
                if crossed.get(link) != moment.known:
                    crossed[link] = moment.known
                    down[(*link, moment.time)] += 1
    return up, down
