"""Link policies: when a window ends, a link aggregates the items that it holds, or forwards them.

`policy` has the interface and `decide` calls the rules from compiled code. Each other file is one policy, with the name
of its `DecisionRule`.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from sparing.flow.links.policy import LinkPolicy
from sparing.model.policy import DecisionRule


def _load(decision: DecisionRule) -> LinkPolicy:
    policy: LinkPolicy = import_module(f"{__name__}.{decision.replace('-', '_')}").POLICY
    return policy


POLICIES: dict[str, LinkPolicy] = {decision.value: _load(decision) for decision in DecisionRule}


def policy_of(decision: DecisionRule, patience: int | None = None) -> LinkPolicy:
    """Return the policy of a name; `patience` replaces the default if the policy has one."""
    policy = POLICIES[decision]
    return policy if patience is None or not policy.patience else replace(policy, patience=patience)
