"""The slow and obvious judge of the data plane: what must be delivered, and what it costs.

Results are worked out from all publications at once, with no overlay in sight. Bills come from plain walks along paths:
`naive_bill` for subscriber-edge needs nothing but sets of links; `slow_walk` keeps every link's matching graph as
dictionaries of sets and works under any policy, without marks and without batches.
"""

from __future__ import annotations

import json
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sparing.control.plan import Plan
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.model.subscription import Subscription
from sparing.model.types import float_code
from sparing.model.window import CountWindow, TimeWindow
from tests.judges.boxes import lies_in
from tests.judges.policies import NWR, Judge, View


@dataclass(frozen=True)
class Publication:
    """One publication of a topic with the fields x (int), y (double) and s (string), each perhaps missing."""

    id: str
    time: int
    at: str
    x: int | None = None
    y: float | None = None
    s: str | None = None
    topic: str = "t"

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that are there."""
        return {name: value for name in "xys" if (value := getattr(self, name)) is not None}


# What is delivered

Result = tuple[str, int, int, str]  # subscription id, start, end, payload as sorted JSON


def _values(found: Sequence[Publication], name: str) -> list[Any]:
    return [value for p in found if (value := getattr(p, name)) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


COMPUTE: Mapping[str, Callable[[Sequence[Publication]], Any]] = {  # name of an output -> what it is
    "n": len,
    "count y": lambda found: len(_values(found, "y")),
    "sum x": lambda found: sum(xs) if (xs := _values(found, "x")) else None,
    "avg y": lambda found: _mean(_values(found, "y")),
    "min y": lambda found: min(_values(found, "y"), default=None),
    "max s": lambda found: max(_values(found, "s"), default=None),
    "median y": lambda found: statistics.median(ys) if (ys := _values(found, "y")) else None,
    "distinct s": lambda found: len(set(_values(found, "s"))),
}


def neighbours(links: Iterable[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    """Node -> nodes that one undirected link leads to."""
    table: dict[Any, list[Any]] = defaultdict(list)
    for one, other in links:
        table[one].append(other)
        table[other].append(one)
    return table


def path(links: Iterable[tuple[Any, Any]], start: Any, goal: Any) -> list[tuple[Any, Any]] | None:
    """The directed links of the way from one node to another with the fewest links, by breadth first; None: no way."""
    way = _path(tuple(links), start, goal)
    return None if way is None else list(way)


@lru_cache(maxsize=1024)
def _path(links: tuple[tuple[Any, Any], ...], start: Any, goal: Any) -> tuple[tuple[Any, Any], ...] | None:
    table = neighbours(links)
    before, front = {start: start}, [start]
    while front:
        further = []
        for node in front:
            for far in table[node]:
                if far not in before:
                    before[far] = node
                    further.append(far)
        front = further
    if goal not in before:
        return None
    way: list[tuple[Any, Any]] = []
    while goal != start:
        way.append((before[goal], goal))
        goal = before[goal]
    return tuple(way[::-1])


def tree_of(plan: Plan) -> list[tuple[str, str]]:
    """The links of the plan's delivery tree, each in one direction."""
    names, routes = plan.routes.brokers, plan.routes
    return [(names[a], names[b]) for a, b in zip(routes.source, routes.target, strict=True) if a < b]


def way(plan: Plan, start: str, goal: str) -> list[tuple[str, str]] | None:
    """The directed links that the plan takes from one broker to another; None: no way."""
    routes, names = plan.routes, plan.routes.brokers
    at, end, found = routes.number[start], routes.number[goal], list[tuple[str, str]]()
    while at != end:
        link = int(routes.link_of[at, end])
        if link < 0:
            return None
        found.append((names[routes.source[link]], names[routes.target[link]]))
        at = int(routes.target[link])
    return found


def home(plan: Plan, number: int) -> str:
    """The broker that serves a subscription."""
    return plan.routes.brokers[plan.broker_of[number]]


def matching(plan: Plan, number: int, publications: Iterable[Publication]) -> list[Publication]:
    """The publications that a subscription gets, by time and id."""
    subscription = plan.subscriptions[number]
    first, last = subscription.valid_from, subscription.valid_until
    found = [
        p
        for p in publications
        if p.topic == subscription.query.topic
        and lies_in(subscription.query.box, {"x": p.x, "y": None if p.y is None else float_code(p.y), "s": p.s})
        and (first is None or p.time >= first)
        and (last is None or p.time < last)
        and way(plan, p.at, home(plan, number)) is not None
    ]
    return sorted(found, key=lambda p: (p.time, p.id))


def _window_starts(window: TimeWindow, time: int) -> list[int]:
    candidates = range(time - window.duration + 1, time + 1)
    return [start for start in candidates if (start - window.start) % window.slide == 0]


def windows_of(subscription: Subscription, found: Sequence[Publication]) -> dict[tuple[int, int], list[Publication]]:
    """(start, end) -> the publications in it, for time windows and cycles."""
    query = subscription.query
    window = TimeWindow(query.every, query.every) if query.every else query.aggregation.window
    windows: dict[tuple[int, int], list[Publication]] = defaultdict(list)
    for p in found:
        for start in _window_starts(window, p.time):
            windows[start, start + window.duration].append(p)
    return windows


def _count_windows(window: CountWindow, found: Sequence[Publication]) -> list[list[Publication]]:
    starts = range(0, len(found) - window.size + 1, window.shift)
    return [list(found[start : start + window.size]) for start in starts]


def _payload(subscription: Subscription, found: Sequence[Publication]) -> dict[str, Any]:
    query = subscription.query
    if query.every:
        names = query.columns or [(name, name) for name in "xys"]
        events = [{name: p.fields[field] for name, field in names if field in p.fields} for p in found]
        return {"events": events}
    results = {output.name: COMPUTE[output.name](found) for output in query.aggregation.outputs}
    return {name: value for name, value in results.items() if value is not None}


def canonical(payload: Any) -> str:
    """A payload's text in the one spelling that results are compared in."""
    return json.dumps(payload, sort_keys=True)


def is_plain(subscription: Subscription) -> bool:
    """Whether a subscription gets single events, at once."""
    return subscription.query.aggregation is None and not subscription.query.every


def events(plan: Plan, publications: Sequence[Publication]) -> list[tuple[str, str]]:
    """All plain deliveries as (subscription id, publication id), in order."""
    return sorted(
        (subscription.id, p.id)
        for number, subscription in enumerate(plan.subscriptions)
        if is_plain(subscription)
        for p in matching(plan, number, publications)
    )


def results(plan: Plan, publications: Sequence[Publication]) -> list[Result]:
    """All results of windows, count windows and cycles, in order."""
    found = []
    for number, subscription in enumerate(plan.subscriptions):
        if is_plain(subscription):
            continue
        mine = matching(plan, number, publications)
        aggregation = subscription.query.aggregation
        if aggregation is not None and isinstance(aggregation.window, CountWindow):
            full = _count_windows(aggregation.window, mine)
            windows = [((window[0].time, window[-1].time), window) for window in full]
        else:
            windows = list(windows_of(subscription, mine).items())
        found += [(subscription.id, *ends, canonical(_payload(subscription, inside))) for ends, inside in windows]
    return sorted(found)


# What it costs


def _key(plan: Plan, source: str, target: str, kind: MessageKind, time: int) -> BillKey:
    return BillKey(source, target, kind, math.floor(time / plan.bucket) * plan.bucket)


def last_hops(
    plan: Plan, publications: Sequence[Publication], on_time: Sequence[Publication], patience: int = 0
) -> Bill:
    """Notifications: one per plain delivery and one per result, which patience delays (but not count windows)."""
    bill = Bill()
    owner = {s.id: (home(plan, number), s.subscriber) for number, s in enumerate(plan.subscriptions)}
    times = {p.id: p.time for p in publications}
    told = [(subscription, times[id_]) for subscription, id_ in events(plan, publications)]
    number = {s.id: n for n, s in enumerate(plan.subscriptions)}
    for subscription, _, end, _ in results(plan, on_time):
        aggregation = plan.subscriptions[number[subscription]].query.aggregation
        counted = aggregation is not None and isinstance(aggregation.window, CountWindow)
        wait = patience and not counted and patience * delay(plan, home(plan, number[subscription]))
        told.append((subscription, end + wait))
    for subscription, time in told:
        bill[_key(plan, *owner[subscription], MessageKind.NOTIFICATION, time)] += 1
    return bill


def used(subscription: Subscription, p: Publication) -> bool:
    """Whether a subscription can use a publication that it matches: if it has time windows, it must lie in one."""
    aggregation = subscription.query.aggregation
    if aggregation is None or isinstance(aggregation.window, CountWindow):
        return True
    return bool(_window_starts(aggregation.window, p.time))


def crossed_at_once(
    plan: Plan, publications: Sequence[Publication], raw: Callable[[Subscription], bool]
) -> dict[str, set[tuple[str, str]]]:
    """Publication id -> the union of its paths to the brokers of subscriptions that must have it raw and use it."""
    crossed: dict[str, set[tuple[str, str]]] = {p.id: set() for p in publications}
    for number, subscription in enumerate(plan.subscriptions):
        if raw(subscription):
            for p in matching(plan, number, publications):
                if used(subscription, p):
                    crossed[p.id].update(way(plan, p.at, home(plan, number)) or ())
    return crossed


def naive_bill(plan: Plan, publications: Sequence[Publication]) -> Bill:
    """Subscriber-edge: every publication once on every link of the tree that reaches the brokers that use it."""
    bill = last_hops(plan, publications, publications)
    crossed = crossed_at_once(plan, publications, lambda _: True)
    for p in publications:
        for source, target in crossed[p.id]:
            bill[_key(plan, source, target, MessageKind.PUBLICATION, p.time)] += 1
    return bill


def must_be_raw(subscription: Subscription) -> bool:
    """Whether single publications must get to the last broker, whatever the links decide."""
    aggregation = subscription.query.aggregation
    return aggregation is None or not aggregation.decomposable


@dataclass
class SlowWalk:
    """The bill of a policy, and how much of the hard path it went through."""

    bill: Bill
    forwarded: int = 0  # publications forwarded by a decision
    half_settled: int = 0  # those of them that an earlier decision on the same link had counted for another NWR
    forwarded_results: int = 0
    asked: list[tuple[str, str, int, int]] = field(default_factory=list)  # link, subscription, publications, results
    decided: dict[tuple[str, int], list[tuple[str, str, int, int, bool]]] = field(default_factory=dict)  # by NWR
    _settled: dict[tuple[tuple[str, str], str], int] = field(default_factory=lambda: defaultdict(int))


def slow_walk(plan: Plan, publications: Sequence[Publication], policy: Judge, late: Collection[str] = ()) -> SlowWalk:
    """Decide on every link, NWR by NWR; publications whose ids are `late` only travel at once.

    `graph[link][publication]` are the undecided NWRs beyond the link, `partials[link][nwr]` the partial results that
    wait, each as the set of ids in it. Whatever arrives for an NWR must be each matching publication exactly once.
    """
    on_time = [p for p in publications if p.id not in late]
    walk = SlowWalk(last_hops(plan, publications, on_time, policy.patience))
    times = {p.id: p.time for p in publications}
    topics = {p.id: p.topic for p in publications}
    number = {s.id: n for n, s in enumerate(plan.subscriptions)}
    link_number = link_numbers(plan)

    at_once = crossed_at_once(plan, publications, must_be_raw)
    for id_, links in at_once.items():
        for link in links:
            walk.bill[_key(plan, *link, MessageKind.PUBLICATION, times[id_])] += 1

    graphs: dict[tuple[str, str], dict[str, set[NWR]]] = defaultdict(lambda: defaultdict(set))
    degrees: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    partials: dict[tuple[str, str], dict[NWR, list[set[str]]]] = defaultdict(lambda: defaultdict(list))
    arrived: dict[NWR, list[set[str]]] = defaultdict(list)
    wanted: dict[NWR, set[str]] = {}
    windows: dict[str, list[NWR]] = defaultdict(list)

    def come_to_rest(id_: str, at: str, nwrs: Iterable[NWR], time: int) -> None:
        places: dict[tuple[str, str], set[NWR]] = defaultdict(set)
        for nwr in nwrs:
            ahead = [
                link for link in way(plan, at, home(plan, number[nwr.subscription])) or [] if link not in at_once[id_]
            ]
            if ahead:
                places[ahead[0]].add(nwr)
            else:
                arrived[nwr].append({id_})
        for link, here in places.items():
            graphs[link][id_] = here
            degrees[link][id_] = len(here)
            policy.arrived(link, topics[id_], time)

    def hand_on(ids: set[str], at: str, nwr: NWR) -> None:
        ahead = way(plan, at, home(plan, number[nwr.subscription]))
        if ahead:
            partials[ahead[0]][nwr].append(ids)
        else:
            arrived[nwr].append(ids)

    for at, subscription in enumerate(plan.subscriptions):
        query = subscription.query
        if is_plain(subscription) or (query.aggregation and isinstance(query.aggregation.window, CountWindow)):
            continue
        for (start, end), inside in windows_of(subscription, matching(plan, at, on_time)).items():
            nwr = NWR(end, subscription.id, start)
            wanted[nwr] = {p.id for p in inside}
            for p in inside:
                windows[p.id].append(nwr)

    coming = sorted(on_time, key=lambda p: (p.time, p.id))
    for due, nwr, _, link in _turns(plan, wanted, number, policy.patience):
        while coming and coming[0].time < due:
            p = coming.pop(0)
            come_to_rest(p.id, p.at, windows[p.id], p.time)
        graph = graphs[link]
        raw = sorted(id_ for id_, nwrs in graph.items() if nwr in nwrs)
        waiting = partials[link].get(nwr, [])
        if not raw and not waiting:
            continue
        results = {n: len(found) for n, found in partials[link].items()}
        subscription = number[nwr.subscription]
        topic = plan.subscriptions[subscription].query.topic
        # What is on a link for other topics is another matter.
        mine = {id_: nwrs for id_, nwrs in graph.items() if nwrs and topics[id_] == topic}
        view = View(link, link_number[link], due, topic, nwr, subscription, mine, degrees[link], results)
        aggregate = policy.aggregate(view)
        walk.asked.append((">".join(link), nwr.subscription, len(raw), len(waiting)))
        decision = (*link, len(raw), len(waiting), aggregate)
        walk.decided.setdefault((nwr.subscription, nwr.end), []).append(decision)
        partials[link].pop(nwr, None)
        if aggregate:
            walk.bill[_key(plan, *link, MessageKind.RESULT, due)] += 1
            for id_ in raw:
                graph[id_].remove(nwr)
                walk._settled[link, id_] += 1
            hand_on(set(raw).union(*waiting), link[1], nwr)
            continue
        if waiting:
            walk.bill[_key(plan, *link, MessageKind.RESULT, due)] += len(waiting)
            walk.forwarded_results += len(waiting)
        for ids in waiting:
            hand_on(ids, link[1], nwr)
        if raw:
            walk.bill[_key(plan, *link, MessageKind.PUBLICATION, due)] += len(raw)
        for id_ in raw:
            walk.forwarded += 1
            walk.half_settled += walk._settled[link, id_] > 0
            undecided = graph.pop(id_)
            # One mark relies on this order. With trees per source, a patient link is deeper for one goal than for
            # another and may decide a later NWR first; patient walks carry no marks: one process hosts them.
            assert (policy.patience and not plan.shared) or min(undecided) >= nwr
            come_to_rest(id_, link[1], undecided, due)
    for p in coming:
        come_to_rest(p.id, p.at, windows[p.id], p.time)
    for nwr, ids in wanted.items():
        assert sorted(id_ for found in arrived[nwr] for id_ in found) == sorted(ids)
    return walk


def link_numbers(plan: Plan) -> dict[tuple[str, str], int]:
    """Link -> its number in the plan."""
    names, ends = plan.routes.brokers, zip(plan.routes.source, plan.routes.target, strict=True)
    return {(names[a], names[b]): number for number, (a, b) in enumerate(ends)}


def depths(plan: Plan, goal: str) -> dict[tuple[str, str], int]:
    """Link -> the most links on a way to a goal before it. Every broker has a publisher."""
    found: dict[tuple[str, str], int] = {}
    for broker in plan.routes.brokers:
        for depth, link in enumerate(way(plan, broker, goal) or ()):
            found[link] = max(depth, found.get(link, 0))
    return found


def delay(plan: Plan, broker: str) -> int:
    """The most links on a way to a broker."""
    return max((depth + 1 for depth in depths(plan, broker).values()), default=0)


def _turns(
    plan: Plan, nwrs: Iterable[NWR], number: Mapping[str, int], patience: int
) -> list[tuple[int, NWR, int, tuple[str, str]]]:
    """When which NWR is decided on which link: (time, NWR, depth of the link, link), in order."""
    turns = []
    for nwr in nwrs:
        for link, depth in depths(plan, home(plan, number[nwr.subscription])).items():
            turns.append((nwr.end + patience * depth, nwr, depth, link))
    return sorted(turns)
