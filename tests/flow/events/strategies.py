"""Strategies for worlds of merged events: trees, subscriptions with cycles, reports, policies, outages.

Everything is small, so that things meet: three keys, values from 0 to 2, cycles of a few microseconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from sparing.control.plan import Plan
from sparing.model.bill import MessageKind
from sparing.model.merge import Outage, RedundancyRule
from sparing.model.policy import EventMerging, PlacementRule, Policy
from sparing.model.types import END_OF_TIME
from tests.flow.events.world import BUCKET, WITHIN, Batch, Sub, Walked, plan_for, with_own
from tests.judges.events import Heard, Paths, Said, deliveries

FIRST, LAST = -10, 50  # reports are made in [FIRST, LAST]

Links = tuple[tuple[str, str], ...]


CAEVA = Policy()


@dataclass(frozen=True)
class World:
    """A forest of brokers with all that happens in it."""

    brokers: tuple[str, ...]
    links: Links
    publishers: tuple[str, ...]
    subs: tuple[Sub, ...]
    reports: tuple[Said, ...]
    policy: Policy = CAEVA
    outages: tuple[Outage, ...] = ()
    compare: RedundancyRule = RedundancyRule.VALUE

    def plan(self) -> Plan:
        """Its plan."""
        return plan_for(self.links, self.subs, self.publishers, self.policy, self.outages, self.compare)

    def parts(self) -> list[World]:
        """Its connected parts, which know nothing of each other."""
        paths = Paths(self.links)
        firsts = {broker: next(b for b in self.brokers if paths.way(b, broker)) for broker in self.brokers}
        found = []
        for first in sorted(set(firsts.values())):
            subs = tuple(sub for sub in self.subs if firsts[sub.at] == first)
            reports = tuple(report for report in self.reports if firsts[report.at] == first)
            found.append(replace(self, subs=subs, reports=reports))
        return found

    def wanted(self) -> set[Heard]:
        """What subscribers must be told, by the judge."""
        return {
            heard
            for part in self.parts()
            for heard in deliveries(with_own(part.reports), WITHIN, [sub.wish() for sub in part.subs])
        }


# Brokers


@st.composite
def forests(
    draw: st.DrawFn, *, least: int = 1, most: int = 12, apart: bool = False
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Brokers and links: a tree, or several if it may fall `apart`. Names do not follow places."""
    size = draw(st.integers(least, most))
    brokers = tuple(draw(st.permutations([f"b{n:02}" for n in range(size)])))
    links = []
    for at in range(1, size):
        back = draw(st.integers(0, at - 1) | st.just(at - 1))  # long chains too
        if not apart or draw(st.integers(0, 4)):
            links.append((brokers[at], brokers[back]))
    return brokers, tuple(links)


# Subscriptions

_ATOMS = {
    "a": ["a >= 1", "a = 1", "a != 2", "a BETWEEN 1 AND 2", "a IS NOT NULL"],
    "b": ["b >= 1", "b IN (0, 2)", "b < 2"],
    "c": ["c = 2", "c <= 1"],
    "k": ["k = 'x'", "k != 'y'", "k IN ('y', 'z')"],
}
_MISSING = {"a": ["a IS NULL"], "b": ["b IS NULL OR b = 1"], "c": ["c IS NULL"]}


@st.composite
def filters(draw: st.DrawFn, *, missing: bool = True, least: int = 0) -> str:
    """Conditions on up to three fields; with `missing`, some hold for a field without a value."""
    fields = draw(st.lists(st.sampled_from("aabbck"), min_size=least, max_size=3, unique=True))
    atoms = []
    for field in fields:
        some = _ATOMS[field] + (_MISSING.get(field, []) if missing else [])
        atoms.append(f"({draw(st.sampled_from(some))})")
    return " AND ".join(atoms) or "true"


_bounds = st.none() | st.none() | st.integers(FIRST, LAST)
_columns = st.sampled_from([None, None, None, ("a",), ("k", "b"), ("c", "ts"), ("a", "b", "c")])


@st.composite
def subscriptions(draw: st.DrawFn, brokers: Sequence[str], *, missing: bool = True) -> tuple[Sub, ...]:
    """One to six, with several at one broker and of one kind quite often."""
    found = []
    for n in range(draw(st.integers(1, 6))):
        every = draw(st.sampled_from([0, 1, 2, 3, 4, 4, 6, 6, 8, 12, 30]))
        urgent = draw(st.none() | st.none() | filters(missing=missing, least=1)) if every else None
        where = draw(st.just("true") | filters(missing=missing))
        bounds = draw(st.just((None, None)) | st.tuples(_bounds, _bounds))
        found.append(Sub(f"s{n}", draw(st.sampled_from(brokers)), every, where, urgent, *bounds, draw(_columns)))
        if not draw(st.integers(0, 4)):
            found.append(replace(found[-1], id=f"s{n}too"))
    return tuple(found)


# Reports


@st.composite
def reports(draw: st.DrawFn, publishers: Sequence[str], *, most: int = 25) -> tuple[Said, ...]:
    """Reports of three keys, some of which say nothing but the key; clocks of publishers may be off."""
    skew = {at: draw(st.sampled_from([0, 0, 0, -3, 5])) for at in publishers}
    value = st.none() | st.integers(0, 2)
    times = st.integers(FIRST - min(skew.values()), LAST - max(skew.values())) | st.integers(0, 9)
    shapes = st.tuples(times, st.sampled_from(publishers), st.sampled_from("xxxyz"), value, value, value)
    found = draw(st.lists(shapes, min_size=1, max_size=most))
    ids = draw(st.permutations([f"i{n:02}" for n in range(len(found))]))
    return tuple(
        Said(
            time + skew[at], id_, at, key, frozenset((f, v) for f, v in zip("abc", said, strict=True) if v is not None)
        )
        for id_, (time, at, key, *said) in zip(ids, found, strict=True)
    )


# Policies

moves = st.sampled_from([PlacementRule.ADAPTIVE, PlacementRule.ADAPTIVE, PlacementRule.REPLAY, PlacementRule.LITERAL])
caeva = st.builds(
    Policy,
    events=st.just(EventMerging.CAEVA),
    placement=moves | st.integers(0, 5),
    active_aggregators=st.integers(1, 4),
    least_saving=st.sampled_from([1.0, 1.0, 3.0]),
)
AGELE, SIENA = Policy(events=EventMerging.AGELE), Policy(events=EventMerging.SIENA)
policies = caeva | caeva | st.sampled_from([AGELE, SIENA])


# Worlds


@st.composite
def worlds(
    draw: st.DrawFn,
    *,
    policy: st.SearchStrategy[Policy] = policies,
    apart: bool = False,
    missing: bool = True,
    compare: RedundancyRule = RedundancyRule.VALUE,
    most: int = 25,
) -> World:
    """Worlds in which nobody fails."""
    brokers, links = draw(forests(apart=apart))
    publishers = draw(st.just(brokers) | st.lists(st.sampled_from(brokers), min_size=1, unique=True).map(tuple))
    subs = draw(subscriptions(brokers, missing=missing))
    if apart:  # who subscribes where nobody publishes is told nothing
        publishers = brokers
    return World(brokers, links, publishers, subs, draw(reports(publishers, most=most)), draw(policy), (), compare)


@st.composite
def frail_worlds(
    draw: st.DrawFn, *, policy: st.SearchStrategy[Policy] = policies, compare: RedundancyRule = RedundancyRule.VALUE
) -> World:
    """Worlds in which aggregators fail, some for good, but one of the publishing brokers never does."""
    world = draw(worlds(policy=policy, missing=False, compare=compare))
    safe = draw(st.sampled_from(world.publishers))
    shapes = st.tuples(st.sampled_from(world.brokers), st.integers(FIRST, LAST), st.none() | st.integers(1, 15))
    some = draw(st.lists(shapes, max_size=6, unique_by=lambda shape: shape[:2]))
    outages = [Outage(at, broker, None if length is None else at + length) for broker, at, length in some]
    return replace(world, outages=tuple(outage for outage in outages if outage.broker != safe))


# Cutting a stream


@st.composite
def batches(draw: st.DrawFn, some: Sequence[Said]) -> list[Batch]:
    """Reports cut into micro-batches, in any order; some arrive before their time, none late."""
    untils = [*sorted(draw(st.lists(st.integers(FIRST, LAST + WITHIN + 12), max_size=5))), END_OF_TIME]
    parts: list[list[Said]] = [[] for _ in untils]
    for report in draw(st.permutations(some)):
        in_time = next(n for n, until in enumerate(untils) if report.time < until)
        parts[draw(st.integers(0, in_time))].append(report)
    return [Batch(tuple(part), until) for part, until in zip(parts, untils, strict=True)]


# What came out


def by_bucket(messages: Counter[tuple[str, str, int]]) -> Counter[tuple[str, str, int]]:
    """What the judge counted by time, by the buckets of the bill."""
    found: Counter[tuple[str, str, int]] = Counter()
    for (source, target, time), count in messages.items():
        found[source, target, time // BUCKET * BUCKET] += count
    return found


def billed(walked: Walked, *kinds: MessageKind) -> Counter[tuple[str, str, int]]:
    """What is on the bill of some kinds, as the judge has it."""
    found: Counter[tuple[str, str, int]] = Counter()
    for key, count in walked.bill.only(*kinds).items():
        assert key.bucket is not None
        found[key.source, key.target, key.bucket] += count
    return found
