"""DS (distance and similarity): attachment of subscribers and leaf brokers with several candidate brokers.

Every item starts at the nearest broker. Moving item i to broker j lowers the unique range at j and costs hops. The move
with the largest range per hop is made repeatedly, while that is more than gamma; moves without extra hops come first.
Every move is made at most once, so the algorithm ends, and no item returns to its first broker. As in the slides, only
the broker that an item moves to counts. Source: mefa.txt, "Subscription tree construction", the greedy algorithm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from sparing.control.folding.ranges import RangePieces, pieces_of
from sparing.control.routes import Routes
from sparing.control.trees.attachment import SIMILARITY, AttachmentReason, sources
from sparing.control.trees.do import do
from sparing.control.trees.shared_tree import shared_tree
from sparing.control.trees.unique_range import TopicBoxes
from sparing.model.overlay import Overlay
from sparing.model.subscription import Advertisement, Subscription
from sparing.model.topic import Topic


class Move(NamedTuple):
    """A move of an item to another broker."""

    item: int
    before: int
    after: int
    range_saved: float  # decrease of the unique range at broker `after`
    hops_more: float  # than at broker `before`


def attach(
    first: Sequence[int],
    candidates: Sequence[Sequence[int]],
    hops: Sequence[Sequence[float]],
    pieces: RangePieces,
    gamma: float,
    owner: Sequence[int] | None = None,
) -> tuple[list[int], list[Move]]:
    """Return the final broker of each item, and the moves.

    Item i has the brokers `candidates[i]`, at distances `hops[i]`, and starts at `first[i]`. `owner` is the item of
    each subscription (None: item i has subscription i).

    Ties: the larger range, then the lower item, then the lower broker.
    """
    whose = np.arange(len(first)) if owner is None else np.asarray(owner, dtype=np.int64)
    return _greedy(first, candidates, hops, [TopicBoxes(pieces, whose, len(first))], gamma)


def ds(
    routes: Routes,
    candidates: Mapping[str, tuple[str, ...]],
    subscriptions: Iterable[Subscription],
    advertisements: Iterable[Advertisement],
    topics: Mapping[str, Topic],
    gamma: float,
) -> tuple[dict[str, str], tuple[AttachmentReason, ...]]:
    """Return the broker of each subscriber, and the reasons for those with several candidates."""
    wanted, advertised = list(subscriptions), list(advertisements)
    homes, near = do(routes, candidates, wanted, advertised)
    options = {who: {broker: 0.0} for who, broker in homes.items()} | {r.who: r.alternatives for r in near}
    owners = [subscription.subscriber for subscription in wanted]
    moved = _moved(homes, options, owners, wanted, advertised, topics, gamma=gamma)
    reasons = tuple(moved.get(reason.who, reason) for reason in near)
    return homes | {reason.who: reason.broker for reason in reasons}, reasons


def ds_tree(
    overlay: Overlay,
    candidates: Mapping[str, tuple[str, ...]],
    subscriptions: Iterable[Subscription],
    advertisements: Iterable[Advertisement],
    topics: Mapping[str, Topic],
    gamma: float,
) -> tuple[frozenset[tuple[str, str]], tuple[AttachmentReason, ...]]:
    """Return the links of the shared tree after leaf brokers are attached, and the reasons for those with a choice.

    A leaf without publishers may be attached to any neighbour that is not a leaf. It brings the subscriptions of its
    subscribers (attached by distance); a broker has its own subscriptions and those of its leaves. Other brokers keep
    their links, so the tree stays spanning.
    """
    wanted, advertised = list(subscriptions), list(advertisements)
    tree = shared_tree(overlay)
    routes = Routes.of(overlay.brokers, tree)
    served_by, _ = do(routes, candidates, wanted, advertised)
    at: dict[str, list[Subscription]] = {broker: [] for broker in overlay.brokers}
    for subscription in wanted:
        at[served_by[subscription.subscriber]].append(subscription)
    ends: dict[str, list[str]] = {broker: [] for broker in overlay.brokers}
    for one, other in tree:
        ends[one].append(other)
        ends[other].append(one)
    leaves = {broker for broker, mine in ends.items() if len(mine) == 1}
    publishing = {ad.broker for ad in advertised}
    homes, options = {}, {}
    for broker in sorted(overlay.brokers):
        stays = broker not in leaves or ends[broker][0] in leaves
        homes[broker] = broker if stays else ends[broker][0]
        hosts = [homes[broker]]
        if not stays and broker not in publishing:
            hosts = [neighbour for neighbour in overlay.neighbours[broker] if neighbour not in leaves]
        goals = sources(at[broker], advertised) if len(hosts) > 1 else []
        options[broker] = {host: sum(routes.distance(host, goal) + 1 for goal in goals) for host in hosts}
    owners = [served_by[subscription.subscriber] for subscription in wanted]
    moved = _moved(homes, options, owners, wanted, advertised, topics, gamma=gamma)
    reasons = tuple(
        moved.get(leaf, AttachmentReason(leaf, homes[leaf], options[leaf]))
        for leaf in sorted(homes)
        if len(options[leaf]) > 1
    )
    moved_leaves = {leaf: reason.broker for leaf, reason in moved.items()}
    links = {(one, other) for one, other in tree if one not in moved_leaves and other not in moved_leaves}
    links |= {(min(pair), max(pair)) for pair in moved_leaves.items()}
    return frozenset(links), tuple(replace(reason, kind="broker") for reason in reasons)


def _moved(
    homes: Mapping[str, str],
    options: Mapping[str, Mapping[str, float]],
    owners: Sequence[str],
    subscriptions: Sequence[Subscription],
    advertisements: Sequence[Advertisement],
    topics: Mapping[str, Topic],
    *,
    gamma: float,
) -> dict[str, AttachmentReason]:
    """Return the reasons of items that moved; `owners` has the item of each subscription."""
    names = sorted(homes)
    brokers = sorted({broker for mine in options.values() for broker in mine})
    number = {broker: at for at, broker in enumerate(brokers)}
    topic_boxes = _topic_boxes(names, options, owners, subscriptions, advertisements, topics) if gamma < inf else []
    last, moves = _greedy(
        [number[homes[name]] for name in names],
        [[number[broker] for broker in options[name]] for name in names],
        [list(options[name].values()) for name in names],
        topic_boxes,
        gamma,
    )
    saved = {move.item: move.range_saved for move in moves}
    found = {}
    for item, saving in sorted(saved.items()):
        name, broker = names[item], brokers[last[item]]
        more = _extra_hops(options[name][broker], options[name][homes[name]])
        found[name] = AttachmentReason(name, broker, options[name], SIMILARITY, saving, more)
    return found


def _topic_boxes(
    names: Sequence[str],
    options: Mapping[str, Mapping[str, float]],
    owners: Sequence[str],
    subscriptions: Sequence[Subscription],
    advertisements: Sequence[Advertisement],
    topics: Mapping[str, Topic],
) -> list[TopicBoxes]:
    """Return the boxes per topic that items with a choice subscribe to; ranges of different topics never overlap."""
    item = {name: at for at, name in enumerate(names)}
    choosing = {name for name, mine in options.items() if len(mine) > 1}
    pairs = list(zip(owners, subscriptions, strict=True))
    found = []
    for topic in sorted({subscription.query.topic for owner, subscription in pairs if owner in choosing}):
        mine = [
            (item[owner], subscription.query.box) for owner, subscription in pairs if subscription.query.topic == topic
        ]
        within = [ad.box for ad in advertisements if ad.topic == topic]
        pieces = pieces_of([box for _, box in mine], topics[topic].fields, within)
        found.append(TopicBoxes(pieces, np.array([owner for owner, _ in mine]), len(names)))
    return found


def _greedy(
    first: Sequence[int],
    candidates: Sequence[Sequence[int]],
    hops: Sequence[Sequence[float]],
    topic_boxes: Sequence[TopicBoxes],
    gamma: float,
) -> tuple[list[int], list[Move]]:
    at = np.array(first, dtype=np.int64)
    far = [dict(zip(brokers, mine, strict=True)) for brokers, mine in zip(candidates, hops, strict=True)]
    # X of the slides, in the order in which ties are broken.
    moves_left = [(item, broker) for item, mine in enumerate(far) for broker in sorted(mine) if broker != first[item]]
    items, brokers = np.array(moves_left, dtype=np.int64).reshape(-1, 2).T
    left = np.ones(len(moves_left), dtype=bool)
    saved = np.zeros(len(moves_left))
    more = np.array([_extra_hops(far[item][broker], far[item][first[item]]) for item, broker in moves_left])

    def update(broker: int, overlapping: np.ndarray | None = None) -> None:
        rows = np.flatnonzero(left & (brokers == broker) & (True if overlapping is None else overlapping[items]))
        if len(rows):
            saved[rows] = sum(
                (boxes.saved_ranges(items[rows], at == broker) for boxes in topic_boxes), np.zeros(len(rows))
            )

    for broker in np.unique(brokers).tolist():
        update(broker)
    moves: list[Move] = []
    while (row := _best(saved, more, left, gamma)) is not None:
        item, before, after = int(items[row]), int(at[items[row]]), int(brokers[row])
        moves.append(Move(item, before, after, float(saved[row]), float(more[row])))
        left[row], at[item] = False, after
        overlapping = np.logical_or.reduce([boxes.overlapping(item) for boxes in topic_boxes])
        update(before, overlapping)
        update(after, overlapping)
        for other in np.flatnonzero(items == item).tolist():
            more[other] = _extra_hops(far[item][int(brokers[other])], far[item][after])
    return at.tolist(), moves


def _best(saved: np.ndarray, more: np.ndarray, left: np.ndarray, gamma: float) -> int | None:
    """Return the move with the largest range per hop, if that is more than gamma."""
    rows = np.flatnonzero(left & (saved > 0) & (more < inf))
    free = more[rows] <= 0
    ratio = np.where(free, inf, saved[rows] / np.where(free, 1.0, more[rows]))
    rows, ratio = rows[ratio > gamma], ratio[ratio > gamma]
    if not len(rows):
        return None
    rows = rows[ratio == ratio.max()]
    return int(rows[np.argmax(saved[rows])])


def _extra_hops(there: float, here: float) -> float:
    """Return the extra hops of one broker over another; unreachable brokers are equally far."""
    return 0.0 if there == here else there - here
