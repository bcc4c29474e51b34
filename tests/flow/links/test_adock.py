"""ADOCK's one matching per link, and the other rules, against their literal twins: any graph, and larger cases."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sparing.flow.walk import Walk
from sparing.model.bill import total
from sparing.model.box import Box
from sparing.model.constraint import one_of
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Aggregation, Query, Subscription
from sparing.model.types import END_OF_TIME, STRING
from sparing.model.window import TimeWindow
from tests.flow.links.graphs import Inputs, decided_messages, fewest_messages
from tests.flow.links.known import ADOCK, BAT, PATIENCE, STATIC, WAD, WAD_LIVE
from tests.flow.links.seeded import seeded_case
from tests.flow.strategies import OUTPUTS, batches, judge_of, plan_of, results_of
from tests.judges import overlay as judge
from tests.judges.overlay import Publication
from tests.judges.policies import maximum_matching
from tests.tries import tries

LINE = Overlay(("b1", "b2", "b3"), (Link("b1", "b2"), Link("b2", "b3")))
STEP = 100
RULES = [ADOCK, WAD, WAD_LIVE, replace(BAT, period=40), replace(PATIENCE, patience=4)]
EVERY_RULE = pytest.mark.parametrize("policy", RULES, ids=lambda policy: policy.name)


# Any graph on one link


def one_link(graph, steps, results=()):
    """A case with any matching graph on the link b2-b3: each publication has its own text, and NWRs list such texts.

    `graph` has the NWRs of each publication, `steps` how many NWRs have ended when it is made. For each of `results`
    b1 has a publication that is for it alone, so that a partial result comes to b2 when it is decided.
    """
    made = [("b2", nwrs, step) for nwrs, step in zip(graph, steps, strict=True)]
    made += [("b1", {nwr}, 0) for nwr in results]
    wanted = {}
    for n, (_, nwrs, _) in enumerate(made):
        for nwr in nwrs:
            wanted.setdefault(nwr, []).append(f"text {n}")
    subscriptions = []
    for nwr, texts in wanted.items():
        window = TimeWindow((nwr + 1) * STEP, 100 * STEP)
        aggregation = Aggregation((OUTPUTS["n"],), window)
        query = Query("t", Box.of({"s": one_of(STRING, texts)}), aggregation=aggregation)
        subscriptions.append(Subscription(f"N{nwr:02}", "A", query))
    plan = plan_of(LINE, {"A": ("b3",)}, tuple(subscriptions))
    return plan, [Publication(f"p{n:02}", step * STEP + n, at, s=f"text {n}") for n, (at, _, step) in enumerate(made)]


def graphs(most=14, nwrs=9):
    some = st.frozensets(st.integers(0, nwrs - 1), min_size=1, max_size=4)
    return st.lists(some, min_size=1, max_size=most)


@given(graphs())
@settings(max_examples=tries(100))
def test_adock_is_optimal_with_complete_knowledge(graph):
    """Hence its name: if everything has come before the first end, as many messages as a maximum matching has edges."""
    plan, publications = one_link(graph, [0] * len(graph))
    size = maximum_matching([(n, nwr) for n, nwrs in enumerate(graph) for nwr in nwrs])
    event(f"matching of {min(len(graph), 9)} publications: {size}")
    for policy in (ADOCK, STATIC):
        delivered = Walk(plan, policy).feed(batches(plan, publications))
        assert delivered.bill.between_brokers() == size
        assert results_of(plan, [delivered]) == judge.results(plan, publications)


@given(graphs(), st.frozensets(st.integers(0, 8), max_size=3), st.data())
@settings(max_examples=tries(200))
def test_adock_takes_the_decisions_of_algorithm_1_as_items_come_in_between(graph, results, data):
    """One matching that is kept up decides as two new ones for each decision do."""
    steps = sorted(data.draw(st.lists(st.integers(0, 8), min_size=len(graph), max_size=len(graph))))
    plan, publications = one_link(graph, steps, results)
    slow = judge.slow_walk(plan, publications, judge_of(ADOCK))
    event(f"forwarded: {min(slow.forwarded, 3)}, half settled: {min(slow.half_settled, 3)}, results: {len(results)}")
    assert Walk(plan, ADOCK).feed(batches(plan, publications)).bill == slow.bill


@pytest.mark.parametrize(("first", "last", "forwarded"), [(0, 60, 0), (1, 60, 0), (0, 59, 0), (1, 59, 59)])
@pytest.mark.parametrize("seed", range(3))
def test_long_alternating_paths(first, last, forwarded, seed):
    """Publication n is in NWRs n - 1 and n, of 60: one path through all, and whatever its ends are decides everywhere.

    With both end publications there are 61, so the NWRs are the only minimum cover; with one of them it is a tie;
    with neither, the 59 publications are. They come in any order.
    """
    path = [frozenset({n - 1, n} & set(range(60))) for n in range(first, last + 1)]
    order = np.random.default_rng(seed).permutation(len(path))
    plan, publications = one_link([path[n] for n in order], [0] * len(path))
    delivered = Walk(plan, ADOCK).feed(batches(plan, publications))
    expected = {"publication": forwarded} if forwarded else {"result": 60}
    assert delivered.bill.by_kind() == {"notification": 60, **expected}


# Larger cases


@EVERY_RULE
@pytest.mark.parametrize("seed", range(6))
def test_rules_cost_what_their_literal_twins_cost(seed, policy):
    """And no link sends less than a minimum vertex cover of what came to it."""
    plan, publications = seeded_case(seed)
    delivered = Walk(plan, policy).feed(batches(plan, publications))
    inputs = Inputs(judge_of(policy))
    slow = judge.slow_walk(plan, publications, inputs)
    assert delivered.bill == slow.bill
    assert results_of(plan, [delivered]) == judge.results(plan, publications)
    assert decided_messages(plan, publications, delivered.bill) >= fewest_messages(inputs.graphs)


@EVERY_RULE
@pytest.mark.parametrize("seed", range(4))
def test_cuts_in_the_middle_of_many_windows_make_no_difference(seed, policy):
    """After each cut what rules know of a link is worked out again: degrees, the matching, who is saturated."""
    plan, publications = seeded_case(seed)
    whole = Walk(plan, policy).feed(batches(plan, publications)).bill
    last = max(p.time for p in publications)
    untils = [*np.sort(np.random.default_rng(seed).integers(0, last + 60, 12)).tolist(), END_OF_TIME]
    walk, parts, before = Walk(plan, policy), [], -1
    for until in untils:
        part = [p for p in publications if before <= p.time < until]
        parts.append(walk.feed(batches(plan, part), until).bill)
        before = until
    assert total(parts) == whole
