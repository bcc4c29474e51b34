"""Whatever a description says, it is a deployment or a `DeploymentError`; nothing else comes out."""

import copy
from collections.abc import Callable
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparing.deployment.deployment import Deployment
from sparing.deployment.mistakes import DeploymentError, Mistake
from tests.deployment.examples import TORONTO, toronto
from tests.tries import tries

Path = tuple[str | int, ...]


def paths(value: Any, path: Path = ()) -> list[Path]:
    """The paths of all parts of a description."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(inner for key, item in parts for inner in paths(item, (*path, key)))]


def ranked() -> dict[str, Any]:
    """The example with a publisher that wants the best subscriptions only."""
    description = toronto()
    best = {"top_k": 3, "rank": {"by": "subscription.weight * severity", "fair": True}}
    description["publishers"][1] |= best
    description["subscriptions"][1]["attributes"] = {"weight": 2, "tier": "gold"}
    return description


PATHS = paths(ranked())[1:]
WORDS = st.one_of(
    st.sampled_from(["e1", "traffic", "no such thing", "id", "at", "kafka", "csv", ""]), st.text(max_size=8)
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), WORDS, st.dates(), st.datetimes(), st.binary()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.integers(), inner, max_size=3)
)


def mutated(change: str, path: Path, value: Any, word: Any) -> dict[str, Any]:
    """The example with one part renamed, removed, doubled or replaced."""
    description = ranked()
    owner: Any = description
    for step in path[:-1]:
        owner = owner[step]
    key = path[-1]
    if change == "replace":
        owner[key] = value
    elif change == "remove":
        del owner[key]
    elif isinstance(owner, list):
        owner.append(copy.deepcopy(owner[key]))
    else:
        owner[word] = owner.pop(key) if change == "rename" else owner[key]
    return description


def deployment_or_mistakes(make: Callable[[], Deployment]) -> Deployment | tuple[Mistake, ...]:
    """What comes out; any other exception is for the test to fail with."""
    try:
        return make()
    except DeploymentError as error:
        return error.mistakes


@given(
    st.sampled_from(["replace", "remove", "rename", "double"]), st.sampled_from(PATHS), VALUES, WORDS | st.integers()
)
@settings(max_examples=tries(200), deadline=None)
def test_any_change_gives_a_deployment_or_an_error(change, path, value, word):
    outcome = deployment_or_mistakes(lambda: Deployment.of(mutated(change, path, value, word)))
    assert isinstance(outcome, Deployment) or all(mistake.message.strip() for mistake in outcome)


@given(st.integers(0, len(TORONTO)), st.integers(0, 12), st.text("{}[]:,-#&*!|>'\"%@ \n\tab1~", max_size=6))
@settings(max_examples=tries(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_edit_of_the_text_gives_a_deployment_or_an_error(tmp_path, at, length, text):
    path = tmp_path / "edited.yaml"
    path.write_text(TORONTO[:at] + text + TORONTO[at + length :])
    outcome = deployment_or_mistakes(lambda: Deployment.read(path))
    assert isinstance(outcome, Deployment) or all(mistake.message.startswith(str(path)) for mistake in outcome)


@given(st.dictionaries(WORDS, VALUES) | VALUES)
@settings(max_examples=tries(50), deadline=None)
def test_anything_at_all_gives_a_deployment_or_an_error(description):
    assert deployment_or_mistakes(lambda: Deployment.of(description))


def test_the_two_forms_of_the_example_agree():
    assert yaml.safe_load(TORONTO.replace("2026-01-01T00:00:00Z", "'2026-01-01T00:00:00Z'")) == toronto()
