"""The deployment's file is edited while it runs as a stream: who stays notices nothing, who comes gets what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.model.errors import SparingError
from sparing.model.subscription import Subscription
from sparing.model.topic import Topic
from sparing.model.types import BEGINNING, END_OF_TIME
from sparing.model.window import CountWindow
from tests.judges import everything
from tests.judges.everything import Delivery, Publication
from tests.together import deployments, running
from tests.together.checks import told_apart
from tests.together.deployments import World
from tests.together.running import Outcome, Step, without_ids


@dataclass(frozen=True)
class Edited:
    """Micro-batches, and the first and last in which each subscription is in the file."""

    steps: list[Step]
    here: dict[str, tuple[int, int]]

    def __repr__(self) -> str:
        parts = [repr(self.here)]
        for step in self.steps:
            parts += [f"--- now {step.now}", repr(step.deployment), *step.lines]
        return "\n".join(parts)


@st.composite
def edited(draw: st.DrawFn) -> Edited:
    """Between micro-batches subscriptions come (once) and go (for good), and links and publishers change."""
    world, policy = draw(deployments.worlds(most=30)), draw(deployments.policies)
    assume(policy["decision"] != "static")
    policy.pop("partitions")  # how many there are may depend on who subscribes, and that cannot change
    what, cuts = world.description, draw(deployments.cuts(world.lines))
    last = len(cuts) - 1
    here = {}
    for entry in what["subscriptions"]:
        one, other = sorted(draw(st.integers(0, last)) for _ in range(2))
        here[entry["id"]] = draw(st.sampled_from([(0, last), (one, last), (0, other), (one, other)]))
    steps, now = [], BEGINNING
    for n, (lines, until) in enumerate(cuts):
        some = [entry for entry in what["subscriptions"] if here[entry["id"]][0] <= n <= here[entry["id"]][1]]
        then = what | {"subscriptions": some, "overlay": _linked(draw, what["overlay"])}
        steps.append(Step(World(then | {"publishers": _offered(draw, then)}, ()).under(policy), lines, now))
        now = until
    return Edited(steps, here)


def _offered(draw: st.DrawFn, what: dict[str, Any]) -> list[dict[str, Any]]:
    """Publishers, some of whom may have left; without subscriptions there is nothing to score."""
    scored = {topic for topic in what["topics"] for entry in what["subscriptions"] if f" FROM {topic}" in entry["sql"]}
    alike = [
        {key: value for key, value in entry.items() if key != "rank" or entry["topic"] in scored}
        for entry in what["publishers"]
    ]
    return [entry for entry in alike if draw(st.integers(0, 7))] or alike[:1]


def _linked(draw: st.DrawFn, overlay: dict[str, Any]) -> dict[str, Any]:
    """The overlay, with a link cut if brokers stay joined."""
    cut = draw(st.none() | st.sampled_from(overlay["links"]))
    links = [link for link in overlay["links"] if link is not cut]
    joined, front = set(), [overlay["brokers"][0]]
    while front:
        at = front.pop()
        joined.add(at)
        front += [one for link in links for one in link[:2] if at in link[:2] and one not in joined]
    return overlay | {"links": links} if len(joined) == len(overlay["brokers"]) else overlay


def homes(deployment: Deployment) -> dict[str, int]:
    """The brokers of those subscriptions that wait for something, which may not move."""
    plan = plan_of(deployment)
    return {
        s.id: int(broker)
        for s, broker in zip(plan.subscriptions, plan.broker_of, strict=True)
        if s.query.aggregation is not None or (s.query.every and plan.topics[s.query.topic].merge is None)
    }


@settings(max_examples=settings().max_examples // 2)
@given(edited())
def test_who_stays_notices_nothing_and_who_comes_gets_what_follows(case: Edited) -> None:
    settled: dict[str, int] = {}
    for step in case.steps:
        now = homes(step.deployment)
        assume(all(settled.get(id_, at) == at for id_, at in now.items()))
        settled |= now
    try:
        outcome = running.stream(case.steps)
    except SparingError as error:
        if "of two interest groups with open windows" not in str(error):
            raise
        event("groups would be tied")
        return
    assert not [reason for _, reason in outcome.aside if reason == "late"]
    published = [everything.admitted(step.deployment, step.lines)[0] for step in case.steps]
    for subscription in {s.id: s for step in case.steps for s in step.deployment.subscriptions}.values():
        topic = case.steps[0].deployment.topics[subscription.query.topic]
        got = [d for d in outcome.deliveries if d.subscription == subscription.id]
        if topic.merge is None:
            check_ordinary(case, subscription, topic, published, outcome, got)
        else:
            check_merged(case, subscription, topic, published, got)


def check_ordinary(
    case: Edited,
    subscription: Subscription,
    topic: Topic,
    published: list[list[Publication]],
    outcome: Outcome,
    got: list[Delivery],
) -> None:
    """A subscription sees what arrives while it is there; when it leaves, what it waits for is let go."""
    first, last = case.here[subscription.id]
    seen: list[Publication] = []
    for n in range(first, last + 1):
        seen += everything.received(case.steps[n].deployment, published[n], outcome.drawn)[subscription.id]
    wanted = everything.told(subscription, topic, sorted(seen, key=lambda p: (p.time, p.id)))
    if last == len(case.steps) - 1:
        assert got == without_ids(wanted)
        return
    wanted = without_ids(d for d in wanted if _over(subscription, d, case.steps[last].now))
    patient = case.steps[0].deployment.policy.decision == "patience"
    assert got == wanted or (patient and set(got) <= set(wanted))


def _over(subscription: Subscription, delivery: Delivery, now: int) -> bool:
    """Whether a notification has come by a time."""
    if delivery.end is None:
        return True
    aggregation = subscription.query.aggregation
    counts = aggregation is not None and isinstance(aggregation.window, CountWindow)
    return delivery.end < now if counts else delivery.end <= now


def check_merged(
    case: Edited, subscription: Subscription, topic: Topic, published: list[list[Publication]], got: list[Delivery]
) -> None:
    """Of events that begin while it is there, a subscription is told all; of those under way when it comes, once."""
    first, last = case.here[subscription.id]
    since, until = case.steps[first].now, END_OF_TIME if last == len(case.steps) - 1 else case.steps[last].now
    reports = [p for some in published for p in some if p.topic == topic.name]
    wanted = everything.told_of_events([subscription], topic, reports)
    if subscription.query.aggregation is not None:
        if (since, until) == (BEGINNING, END_OF_TIME):
            assert got == sorted(wanted)
        return
    values = told_apart(got)
    assert set(values) <= set(told_apart(wanted))
    assert all(times == 1 for times in values.values())
    begun, wanted = ([d for d in some if d.start is not None and d.start >= since] for some in (got, sorted(wanted)))
    # At the very moment at which it leaves, cycles have ended, but reports have not been made.
    assert [d for d in wanted if d.time < until] == [d for d in begun if d.time < until]
    assert set(begun) <= {d for d in wanted if d.time <= until}
