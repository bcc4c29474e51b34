"""The worked examples of mna-aggregation with the message counts printed there: Figures 3, 4 and 5, on one link.

Whatever is sent for an NWR is sent at its end, so each policy's behaviour is written as a list: (publications, results)
for one NWR after the other.
"""

from collections import Counter

import pytest

from sparing.flow.walk import Walk
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Aggregation, Query, Subscription
from sparing.model.types import INT
from sparing.model.window import TimeWindow
from tests.flow.links.known import ADOCK, PUBLISHER_EDGE, STATIC, WAD, WAD_LIVE
from tests.flow.strategies import OUTPUTS, batches, plan_of, results_of
from tests.judges import overlay as judge
from tests.judges.overlay import Publication

STEP = 100  # between the ends of two NWRs
PAIR = Overlay(("b1", "b2"), (Link("b1", "b2"),))
ALL_BUT_FIRST = Box.of({"x": between(INT, 1, None)})


def nwrs(boxes):
    """A plan with one NWR for each box, from b1 to b2; all start at 0, the first ends after one step, and so on."""
    subscriptions = []
    for number, box in enumerate(boxes, 1):
        window = TimeWindow(number * STEP, (len(boxes) + 1) * STEP)
        query = Query("t", box, aggregation=Aggregation((OUTPUTS["n"],), window))
        subscriptions.append(Subscription(f"N{number:02}", "A", query))
    return plan_of(PAIR, {"A": ("b2",)}, tuple(subscriptions), bucket=STEP)


def published(numbers):
    """So many publications in each step; x counts them from 0."""
    at = [(step, n) for step, number in enumerate(numbers) for n in range(number)]
    return [Publication(f"{step}-{n:02}", step * STEP + n, "b1", n) for step, n in at]


def sent(plan, policy, publications):
    """(publications, results) that cross the link at the end of each NWR; the results that arrive must be right."""
    delivered = Walk(plan, policy).feed(batches(plan, publications))
    assert results_of(plan, [delivered]) == judge.results(plan, publications)
    found = Counter()
    for key, number in delivered.bill.items():
        found[key.source, key.kind.value, key.bucket] += number
    ends = [number * STEP for number in range(1, len(plan.subscriptions) + 1)]
    crossed = [(found["b1", "publication", end], found["b1", "result", end]) for end in ends]
    assert total(crossed) == delivered.bill.between_brokers()
    return crossed


def total(crossed):
    return sum(map(sum, crossed))


def figure_3():
    """p1 and p2 match Na, Nb and Nc; p3 and p4 come after the end of Na."""
    return nwrs([Box()] * 3), published([2, 2])


def test_figure_3_static_sends_three_messages():
    plan, publications = figure_3()
    assert total(sent(plan, STATIC, publications)) == 3


@pytest.mark.parametrize(
    ("policy", "crossed"),
    [
        # Two publications against three NWRs: {p1, p2} is the only minimum cover, so they are forwarded. Then p3 and p4
        # against Nb and Nc are a tie: Algorithm 1 aggregates, since Nb is in some minimum cover; the paper's text
        # forwards p3 and p4. Either way 4 messages.
        pytest.param(ADOCK, [(2, 0), (0, 1), (0, 1)], id="ADOCK: aggregates on the tie at Nb"),
        # 1/3 + 1/3 < 1, then twice 1/2 + 1/2 = 1.
        pytest.param(WAD, [(2, 0), (0, 1), (0, 1)], id="WAD: as printed under Figure 3(c)"),
        pytest.param(WAD_LIVE, [(2, 0), (0, 1), (0, 1)], id="wad-live: 1/2 + 1/2, then 1 + 1"),
        pytest.param(PUBLISHER_EDGE, [(0, 1), (0, 1), (0, 1)], id="publisher-edge"),
    ],
)
def test_figure_3(policy, crossed):
    plan, publications = figure_3()
    assert sent(plan, policy, publications) == crossed


def figure_4(n):
    """n - 1 publications, one fewer after every end; at last one for the last NWR alone."""
    return nwrs([Box()] * n), published([*range(n - 1, 0, -1), 1])


@pytest.mark.parametrize("n", range(2, 9))
def test_figure_4_the_worst_of_adock(n):
    """At each end there is one publication fewer than NWRs, so they are the only minimum cover: no tie."""
    plan, publications = figure_4(n)
    expected = [(number, 0) for number in range(n - 1, 0, -1)] + [(0, 1)]
    assert sent(plan, ADOCK, publications) == expected
    assert total(expected) == (n * n - n) // 2 + 1
    assert total(sent(plan, STATIC, publications)) == n


@pytest.mark.parametrize("policy", [WAD, WAD_LIVE], ids=lambda policy: policy.name)
@pytest.mark.parametrize("n", range(2, 9))
def test_figure_4_is_as_bad_for_wad(n, policy):
    """k publications that match k + 1 NWRs weigh less than 1 together."""
    plan, publications = figure_4(n)
    assert total(sent(plan, policy, publications)) == (n * n - n) // 2 + 1


@pytest.mark.parametrize("n", range(2, 9))
def test_figure_4_with_one_publication_more_is_a_tie_and_adock_is_optimal(n):
    """Then there are as many publications as NWRs at the first end; from there on there are more."""
    plan, publications = nwrs([Box()] * n), published([n, *range(n - 2, 0, -1), 1])
    assert sent(plan, ADOCK, publications) == [(0, 1)] * n
    assert total(sent(plan, STATIC, publications)) == n


def figure_5(n):
    """n publications; the first does not match the last NWR, otherwise all match all."""
    return nwrs([Box()] * (n - 1) + [ALL_BUT_FIRST]), published([n])


@pytest.mark.parametrize("n", range(3, 13))
def test_figure_5_the_worst_of_wad(n):
    """1/(n-1) + (n-1)/n > 1 for all NWRs but the last, which has (n-1)/n: n - 1 publications for one result."""
    plan, publications = figure_5(n)
    expected = [(0, 1)] * (n - 1) + [(n - 1, 0)]
    assert sent(plan, WAD, publications) == expected
    assert total(expected) == 2 * (n - 1)
    assert total(sent(plan, STATIC, publications)) == n


@pytest.mark.parametrize("policy", [ADOCK, WAD_LIVE], ids=lambda policy: policy.name)
@pytest.mark.parametrize("n", range(3, 13))
def test_figure_5_is_no_trap_for_those_who_look_at_what_is_left(n, policy):
    """As many NWRs as publications: ADOCK aggregates on the tie. Live degrees of n - 1 publications go down to 1."""
    plan, publications = figure_5(n)
    assert sent(plan, policy, publications) == [(0, 1)] * n
