"""What a link does with what waits on it: a technique per file, found by its name in `DecisionRule`."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from sparing.flow.links.policy import LinkPolicy
from sparing.model.policy import DecisionRule


def _found(decision: DecisionRule) -> LinkPolicy:
    policy: LinkPolicy = import_module(f"{__name__}.{decision.replace('-', '_')}").POLICY
    return policy


POLICIES: dict[str, LinkPolicy] = {decision.value: _found(decision) for decision in DecisionRule}


def policy_of(decision: DecisionRule, patience: int | None = None) -> LinkPolicy:
    """The policy of a name, with a patience of its own if it is a patient one."""
    policy = POLICIES[decision]
    return policy if patience is None or not policy.patience else replace(policy, patience=patience)
