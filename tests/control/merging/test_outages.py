"""Outages: every merged topic needs a running broker."""

from __future__ import annotations

from sparing.control.merging.outages import check_outages
from sparing.model.merge import Outage
from tests.flow.events.world import Sub, plan_for
from tests.messages import refused

LINKS = [("p", "q"), ("q", "r"), ("r", "z")]  # the tree of the topic has p and q


def check(*outages: Outage) -> None:
    check_outages(plan_for(LINKS, [Sub("s", "q", 4)], ["p"], outages=outages))


def test_an_outage_of_all_brokers_is_an_error() -> None:
    with refused("p q"):
        check(Outage(0, "p", 10), Outage(5, "q", 7))
    with refused("p"):
        check(Outage(3, "q"), Outage(100, "p", 101))


def test_outages_of_one_broker_at_a_time_are_valid() -> None:
    check(Outage(0, "p", 5), Outage(5, "q"))
    check(Outage(0, "p"), Outage(0, "r"), Outage(0, "z"))


def test_every_connected_part_needs_a_running_broker() -> None:
    plan = plan_for([("p", "q"), ("y", "z")], [Sub("s", "q", 4)], ["p", "z"], outages=[Outage(0, "z", 1)])
    with refused("z"):
        check_outages(plan)
