"""Prices in a deployment file: of links or for all, for messages or for bytes."""

import pytest

from sparing.deployment.deployment import Deployment
from sparing.deployment.mistakes import DeploymentError
from sparing.model.bill import Bill, BillKey, MessageKind
from tests.deployment.examples import toronto
from tests.messages import missing

KIND = MessageKind
BILL = Bill(
    {
        BillKey("c1", "c2", KIND.PUBLICATION, 0): 100,
        BillKey("c2", "c1", KIND.RESULT, 0): 10,
        BillKey("c1", "c2", KIND.FALSE_POSITIVE, 0): 40,  # a part of the publications: must not count again
        BillKey("c2", "e3", KIND.PUBLICATION, None): 1,
        BillKey("e3", "alice", KIND.NOTIFICATION, 0): 7,
    }
)


def priced(prices=None, link=None):
    description = toronto()
    if prices is not None:
        description["prices"] = prices
    if link is not None:
        description["overlay"]["links"][0] = ["c1", "c2", {"price": link}]
    return Deployment.of(description).prices


def test_without_prices_there_are_none():
    assert priced() is None


def test_a_price_per_message():
    prices = priced({"currency": "CAD", "link": 0.5, "last_hop": 2}, link=3)
    assert prices.currency == "CAD"
    assert prices.bytes_of(BILL) is None
    assert prices.cost_of(BILL) == 110 * 3 + 1 * 0.5 + 7 * 2


def test_the_price_of_one_link_is_enough():
    prices = priced(link=0.25)
    assert prices.cost_of(BILL) == 110 * 0.25
    assert not prices.currency, "nobody named one"


def test_sizes_alone_give_bytes():
    prices = priced({"bytes": 200})
    assert prices.bytes_of(BILL) == 118 * 200
    assert prices.cost_of(BILL) is None


def test_a_price_per_kilobyte_of_sizes_by_kind():
    prices = priced({"per": "kilobyte", "link": 2, "bytes": {"publication": 500, "default": 50}})
    assert prices.bytes_of(BILL) == 101 * 500 + 17 * 50
    assert prices.cost_of(BILL) == pytest.approx(2 * (101 * 500 + 10 * 50) / 1000)


@pytest.mark.parametrize(
    ("prices", "parts"),
    [
        ({"per": "megabyte", "link": 1}, "prices.per megabyte bytes: 200"),
        ({"bytes": {"publication": 100}}, "prices.bytes advertisement default"),
        ({"link": -1}, "link prices number 0 -1"),
        ({"bytes": -1}, "bytes prices number"),
        ({"bytes": {"letter": 1}}, "bytes prices number publication default"),
        ({"per": "mile"}, "mile per message kilobyte megabyte gigabyte"),
    ],
)
def test_mistakes_are_named(prices, parts):
    with pytest.raises(DeploymentError) as error:
        priced(prices)
    assert missing(str(error.value), parts) == []
