"""The paper's example of notification cycles, its Figure 2.

The text says: 13 brokers; the highest common factor of all cycles is 8, with which the center has messages issued; at
time 16, av2 sends to b4 and b5 but not to b6. The rest is our reading: three active aggregators in a row, av1 in the
middle, the ten others around them, and cycles with which all of that is so.
"""

from __future__ import annotations

from math import gcd

from sparing.control.merging.cycles import factors
from sparing.control.plan import Plan
from sparing.flow.events.context import MergeContext
from sparing.model.policy import Policy
from tests.flow.events.world import Eyes, Sub, plan_for, walk
from tests.judges.events import Said

LINKS = [
    *(("av1", "av2"), ("av1", "av3")),
    *(("av1", "b1"), ("av1", "b2"), ("av1", "b3")),
    *(("av2", "b4"), ("av2", "b5"), ("av2", "b6")),
    *(("av3", "b7"), ("av3", "b8"), ("b8", "b9"), ("b8", "b10")),
]
CYCLES = {
    "b2": [48],
    "b3": [40],
    "b4": [16, 32],
    "b5": [8, 40],
    "b6": [24, 48],
    "b7": [16],
    "b9": [24],
    "b10": [32, 80],
}
SUBS = [Sub(f"{at}-{every}", at, every) for at, some in CYCLES.items() for every in some]


def plan() -> Plan:
    return plan_for(LINKS, SUBS, ["b1", "b9"], Policy(placement=1), within=100)


def test_upward_preference_propagation() -> None:
    here = plan()
    (tree,) = MergeContext(here, "t").trees
    names = here.routes.brokers
    assert len(tree.brokers) == 13
    assert names[tree.center] == "av1"
    assert {names[broker] for broker in tree.roles(1).active} == {"av1", "av2", "av3"}
    told = factors(tree, {here.routes.number[at]: some for at, some in CYCLES.items()})
    found = {(names[one], names[other]): factor for (one, other), factor in told.items()}
    assert [found[b, "av2"] for b in ("b4", "b5", "b6")] == [16, 8, 24]
    assert found["b8", "av3"] == gcd(24, 32, 80) == 8
    at_center = [factor for (_, other), factor in found.items() if other == "av1"]
    assert gcd(*at_center) == 8
    assert ("b1", "av1") not in found  # nobody subscribes there
    assert ("av2", "b4") not in found  # no coordinator can lie there


def test_selective_notification_dissemination() -> None:
    here = plan()
    eyes = Eyes(here)
    reports = [(0, "b1", "a"), (5, "b9", "b"), (13, "b1", "c")]
    walked = walk(here, [Said(t, str(t), at, "x", frozenset({(name, t)})) for t, at, name in reports], watcher=eyes)
    crossed = {(time, one, other) for time, _, one, other in eyes.what("crosses")}
    assert eyes.what("coordinates") == [(0, "coordinates", "av1", "")]
    assert {time for time, *_ in crossed} == {8, 16, 24, 32, 40, 48}  # all of them multiples of the factor
    assert {other for time, one, other in crossed if (time, one) == (8, "av2")} == {"b5"}
    assert {other for time, one, other in crossed if (time, one) == (16, "av2")} == {"b4", "b5"}
    assert {other for time, one, other in crossed if (time, one) == (24, "av2")} == {"b6"}
    at_b6 = [(h.who, h.time, {name for name, _ in h.facts} & set("abc")) for h in walked.heard if h.who[:2] == "b6"]
    assert at_b6 == [("b6-24", 24, {"a", "b", "c"}), ("b6-48", 48, {"a", "b", "c"})]


def test_a_link_is_not_crossed_again_for_what_lies_beyond_it_already() -> None:
    """At 32 and 48, subscribers at b4 and b6 are told what their brokers have had since 16 and 24."""
    here = plan()
    eyes = Eyes(here)
    walked = walk(here, [Said(0, "0", "b1", "x", frozenset({("a", 1)}))], watcher=eyes)
    assert sorted(time for time, _, _, other in eyes.what("crosses") if other == "b4") == [16]
    assert sorted(h.time for h in walked.heard if h.who[:2] == "b4") == [16, 32]
