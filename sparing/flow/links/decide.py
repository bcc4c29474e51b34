"""The call of a policy's rule from compiled code.

Compiled loops cannot call a function chosen at run time, so `aggregate` is compiled as a chain of conditions on the
rule's number. Policies with the same rule share a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.extending import overload, register_jitable

from sparing.flow.links import POLICIES
from sparing.flow.links.policy import LinkPolicy, Rule, look_up
from sparing.flow.windows.kernels.arrays import RULE, WindowArrays

RULES: tuple[Rule, ...] = tuple(dict.fromkeys((*(policy.rule for policy in POLICIES.values()), look_up)))


def number_of(policy: LinkPolicy) -> int:
    """Return the number of a policy's rule."""
    return RULES.index(policy.rule)


def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:
    """Return True to send one partial result of the held items, False to forward them. For compiled functions."""
    return bool(RULES[arrays.numbers[RULE]](arrays, link, nwr, count))


@overload(aggregate)
def _aggregate(arrays: Any, link: Any, nwr: Any, count: Any) -> Any:  # noqa: ARG001
    return chain(RULES)


def chain(rules: Sequence[Rule]) -> Rule:
    """Return a function that compiles to a call of the rule with the number `arrays.numbers[RULE]`."""
    chosen = rules[-1]
    for number in reversed(range(len(rules) - 1)):
        chosen = _either(number, rules[number], chosen)
    return chosen


def _either(number: int, rule: Rule, otherwise: Rule) -> Rule:
    def choose(arrays: Any, link: Any, nwr: Any, count: Any) -> Any:  # Numba requires the annotations of `_aggregate`
        if arrays.numbers[RULE] == number:
            return rule(arrays, link, nwr, count)
        return otherwise(arrays, link, nwr, count)

    chosen: Rule = register_jitable(choose)
    return chosen
