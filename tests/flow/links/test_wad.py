"""WAD is exact at 1: whether weights add up to 1 is decided as if in fractions, however close they come."""

from fractions import Fraction

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sparing.flow.walk import Walk
from sparing.model.bill import MessageKind
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Aggregation, Query, Subscription
from sparing.model.types import INT
from sparing.model.window import TimeWindow
from tests.flow.links.known import WAD, WAD_LIVE
from tests.flow.strategies import OUTPUTS, batches, plan_of
from tests.judges.overlay import Publication
from tests.tries import tries

PAIR = Overlay(("b1", "b2"), (Link("b1", "b2"),))
END = 2  # of the NWR that is decided on
BOTH = pytest.mark.parametrize("policy", [WAD, WAD_LIVE], ids=lambda policy: policy.name)


def window(name, box, *times):
    return Subscription(name, "A", Query("t", box, aggregation=Aggregation((OUTPUTS["n"],), TimeWindow(*times))))


def aggregated(policy, degrees):
    """Whether an NWR is aggregated that publications with these degrees wait for.

    Those with degree d have x = d; another subscription has d - 1 sliding windows for them, which end later.
    """
    subscriptions = [window("first", Box(), END, 10**7)]
    for degree in set(degrees) - {1}:
        box = Box.of({"x": between(INT, degree, degree + 1)})
        subscriptions.append(window(f"only {degree}", box, 10 * (degree - 1), 10, 5))
    plan = plan_of(PAIR, {"A": ("b2",)}, tuple(subscriptions), bucket=1)
    publications = [Publication(f"{n:04}", 1, "b1", degree) for n, degree in enumerate(degrees)]
    bill = Walk(plan, policy).feed(batches(plan, publications), until=END).bill
    crossed = {key.kind: number for key, number in bill.items() if key.source == "b1"}
    assert crossed in ({MessageKind.RESULT: 1}, {MessageKind.PUBLICATION: len(degrees)})
    return MessageKind.RESULT in crossed


def spread(counts):
    return [degree for degree, count in counts.items() for _ in range(count)]


def weight(degrees):
    return sum(Fraction(1, degree) for degree in degrees)


@st.composite
def exactly_one(draw):
    """Degrees whose reciprocals add up to 1: parts of 1, split again and again into equal or unequal ones."""
    degrees = [1]
    for _ in range(draw(st.integers(1, 12))):
        degree = degrees.pop(draw(st.integers(0, len(degrees) - 1)))
        parts = draw(st.integers(1, 11))
        split = [degree * parts] * parts if parts > 1 else [degree + 1, degree * (degree + 1)]
        degrees += split if max(split) <= 200 else [degree]
    return draw(st.permutations(degrees))


@BOTH
@given(degrees=exactly_one(), data=st.data())
@settings(max_examples=tries(60))
def test_sums_of_one_and_just_beside_it(policy, degrees, data):
    assert weight(degrees) == 1
    assert aggregated(policy, degrees)
    at = data.draw(st.integers(0, len(degrees) - 1))
    below = [*degrees[:at], degrees[at] + 1, *degrees[at + 1 :]]
    event(f"lacks 1/{10 ** len(str((1 - weight(below)).denominator))} or more")
    assert not aggregated(policy, below)


@BOTH
@pytest.mark.parametrize(
    ("counts", "enough"),
    [
        ({1: 1}, True),
        ({2: 1, 3: 1, 6: 1}, True),
        ({2: 1, 3: 1, 7: 1}, False),
        ({2: 1, 3: 1, 7: 1, 42: 1}, True),
        ({2: 1, 3: 1, 7: 1, 43: 1, 1807: 1}, False),  # Sylvester: nothing closer to 1 from below with five of them
        ({7: 7}, True),
        ({7: 6}, False),
        ({49: 49}, True),
        ({997: 997}, True),
        ({997: 996}, False),
        ({997: 996, 1000: 1}, False),
    ],
    ids=str,
)
def test_known_sums(policy, counts, enough):
    assert aggregated(policy, spread(counts)) == enough


# Found by the Chinese remainder theorem: a sum of a/p over some primes p that is 1 - k / (their product).
CLOSE = [
    (1.1e-08, {41: 17, 53: 5, 31: 3, 59: 13, 23: 4}),
    (4.9e-11, {59: 3, 31: 8, 23: 2, 17: 4, 19: 3, 37: 6, 41: 2}),
    (3.2e-15, {83: 10, 71: 7, 41: 9, 101: 17, 89: 19, 61: 7, 43: 2, 109: 2}),
    (4.3e-18, {61: 10, 67: 5, 89: 1, 199: 16, 43: 1, 179: 1, 193: 1, 103: 55, 167: 17}),
    (2.1e-20, {191: 7, 257: 91, 233: 11, 107: 19, 199: 5, 89: 7, 223: 16, 251: 14, 197: 28, 181: 2}),
    (1.1e-23, {349: 50, 277: 23, 73: 2, 373: 50, 197: 7, 389: 150, 359: 3, 173: 9, 193: 6, 347: 29, 311: 5}),
    (-8.3e-09, {59: 1, 43: 19, 19: 1, 47: 7, 53: 18}),
    (-3.0e-11, {31: 7, 41: 9, 43: 1, 19: 1, 23: 3, 47: 10, 59: 8}),
    (-4.3e-15, {107: 1, 101: 6, 31: 3, 73: 2, 109: 35, 19: 3, 113: 4, 41: 12}),
    (-3.2e-18, {173: 40, 109: 4, 181: 31, 157: 4, 179: 4, 193: 12, 113: 24, 43: 9, 103: 3}),
    (-2.2e-20, {131: 23, 263: 29, 137: 30, 157: 4, 227: 39, 173: 6, 283: 19, 269: 33, 293: 5, 71: 4}),
]


@BOTH
@pytest.mark.parametrize(("lacks", "counts"), CLOSE, ids=[f"{lacks} below 1" for lacks, _ in CLOSE])
def test_sums_that_doubles_cannot_tell_from_one(policy, lacks, counts):
    degrees = spread(counts)
    assert float(1 - weight(degrees)) == pytest.approx(lacks, rel=0.05)
    assert aggregated(policy, degrees) == (lacks < 0)


def test_degrees_are_those_at_arrival_for_wad_and_those_left_for_wad_live():
    """Two publications are in three NWRs. The first two NWRs have another publication for themselves, which weighs 1.

    So these are aggregated. The last has 1/3 + 1/3 by the degrees at arrival, and 1 + 1 by what is left.
    """
    one, other = Box.of({"x": between(INT, 0, 2)}), Box.of({"x": between(INT, 1, 3)})
    last = Box.of({"x": between(INT, 1, 2)})
    subscriptions = (window("a", one, 10, 1000), window("b", other, 20, 1000), window("c", last, 30, 1000))
    plan = plan_of(PAIR, {"A": ("b2",)}, subscriptions)
    publications = [Publication(str(n), n, "b1", x) for n, x in enumerate((0, 1, 1, 2))]
    kinds = [Walk(plan, policy).feed(batches(plan, publications)).bill.by_kind() for policy in (WAD, WAD_LIVE)]
    assert kinds == [{"notification": 3, "publication": 2, "result": 2}, {"notification": 3, "result": 3}]
