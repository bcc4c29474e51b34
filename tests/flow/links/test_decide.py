"""Rules are called by their numbers, also from compiled loops."""

from collections import namedtuple

import numpy as np
import pytest
from numba import njit

from sparing.flow.links import POLICIES
from sparing.flow.links.decide import RULES, chain, number_of
from sparing.flow.windows.kernels.arrays import NUMBERS, RULE

Numbered = namedtuple("Numbered", ["numbers"])


@njit
def first(arrays, link, nwr, count):
    return False


@njit
def second(arrays, link, nwr, count):
    return link + nwr + count == 6


@njit
def third(arrays, link, nwr, count):
    return count > 3


@pytest.mark.parametrize("called", [chain, lambda rules: njit(chain(rules))], ids=["as it is", "compiled"])
def test_a_rule_is_called_by_its_number(called):
    numbers, choose = np.zeros(NUMBERS, dtype=np.int64), called([first, second, third])
    asked = [(1, 2, 3), (1, 2, 4)]
    found = []
    for numbers[RULE] in range(3):
        found.append([bool(choose(Numbered(numbers), *question)) for question in asked])
    assert found == [[False, False], [True, False], [False, True]]


def test_every_policy_has_a_rule_with_a_number():
    assert {number_of(policy) for policy in POLICIES.values()} == set(range(len(RULES)))
