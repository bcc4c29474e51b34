"""Bills of a deployment's trace under its own policy, under other policies, and without each technique."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from pyspark.sql import SparkSession

from sparing.deployment.deployment import Deployment
from sparing.deployment.techniques import NAIVE, OURS, Saving, naive, techniques
from sparing.model.bill import Bill
from sparing.model.errors import SparingError
from sparing.model.policy import DecisionRule, EventMerging, Policy
from sparing.spark.run import ReplayResult, replay

Keep = Callable[[ReplayResult], None]
Step = Callable[[str], AbstractContextManager[None]]


@dataclass
class ComparisonResult:
    """The run under a deployment's own policy, all bills by name (its own first, the naive one last), and savings.

    `refused` has the policies that cannot run the deployment, with the reason.
    """

    ours: ReplayResult
    bills: dict[str, Bill]
    savings: list[Saving] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


class Comparison:
    """Runs a deployment under several policies, once under each."""

    def __init__(self, spark: SparkSession, deployment: Deployment, step: Step) -> None:
        self._spark, self._deployment, self._step = spark, deployment, step
        self._bills: dict[Policy, Bill] = {}
        self._techniques = techniques(deployment)

    def compare(self, decisions: Iterable[str] | None, keep: Keep) -> ComparisonResult:
        """Return all bills; `decisions` limits the link policies. `keep` gets the own run before its rows are freed."""
        policy = self._deployment.policy
        with self._step(f"Replaying {self._deployment.name} under its own policy"):
            ours = replay(self._spark, self._deployment, bound=True)
        keep(ours)
        ours.delivered.forget()
        self._bills[policy] = ours.bill
        found = ComparisonResult(ours, {OURS: ours.bill})
        for name, other in self._others(decisions, {technique.name for technique in self._techniques}).items():
            try:
                found.bills[name] = self.bill(other, name)
            except SparingError as error:
                found.refused[name] = str(error)
        found.bills[NAIVE], found.savings = self.savings()
        return found

    def savings(self) -> tuple[Bill, list[Saving]]:
        """Return the naive bill, and the bills that show the savings of each technique."""
        policy, found = self._deployment.policy, []
        no_technique = naive(policy, self._techniques)
        naive_bill = self.bill(no_technique, "none of the techniques")
        for technique in self._techniques:
            if technique.used(policy):
                alone = self.bill(technique.taken_from(policy, no_technique), f"{technique.name} alone")
                without = self.bill(technique.left_out_of(policy), f"all but {technique.name}")
                found.append(Saving(technique, alone=alone, without=without))
            else:
                found.append(Saving(technique, added=self.bill(technique.added_to(policy), f"{technique.name}, too")))
        return naive_bill, found

    def _others(self, decisions: Iterable[str] | None, relevant: set[str]) -> dict[str, Policy]:
        """Return other link policies and merging techniques, if they are relevant for the deployment."""
        policy, found = self._deployment.policy, dict[str, Policy]()
        if "aggregate or forward" in relevant:
            rules = [DecisionRule(name) for name in (DecisionRule if decisions is None else decisions)]
            found |= {rule.value: replace(policy, decision=rule) for rule in rules if rule is not policy.decision}
        if "merged events" in relevant:
            found |= {rule.value: replace(policy, events=rule) for rule in EventMerging if rule is not policy.events}
        return found

    def bill(self, policy: Policy, name: str) -> Bill:
        """Return the bill under a policy; `name` is for the progress display."""
        if policy not in self._bills:
            with self._step(f"Replaying it under {name}"):
                run = replay(self._spark, replace(self._deployment, policy=policy))
                run.delivered.forget()
            self._bills[policy] = run.bill
        return self._bills[policy]
