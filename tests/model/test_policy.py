from dataclasses import fields, replace
from enum import StrEnum

import pytest

from sparing.model.policy import (
    Covering,
    DecisionRule,
    EventMerging,
    Folding,
    PlacementRule,
    Policy,
    keys,
    keys_of_state,
)


def test_values_may_be_given_by_name():
    named = Policy(covering="none", folding="mefa", decision="wad-live", placement="replay", trees="ds")
    assert named == Policy(
        covering=Covering.NONE,
        folding=Folding.MEFA,
        decision=DecisionRule.WAD_LIVE,
        placement=PlacementRule.REPLAY,
        trees="ds",
    )
    assert replace(named, events="siena").events is EventMerging.SIENA
    assert Policy(placement=2).placement == 2
    enums = [key.name for key in fields(Policy) if isinstance(key.default, StrEnum)]
    assert all(isinstance(getattr(named, name), StrEnum) for name in enums)


@pytest.mark.parametrize(
    "key", ["trees", "tree", "matchmaker", "decision", "covering", "folding", "events", "placement"]
)
def test_other_names_are_refused(key):
    with pytest.raises(ValueError, match="'oracle' is not a valid"):
        Policy(**{key: "oracle"})


def test_what_is_merged_where_follows_from_the_way_of_merging():
    given = {"placement": 2, "active_aggregators": 4}
    found = {way: (p.merges, p.actives, p.places) for way in EventMerging if (p := Policy(events=way, **given))}
    assert found == {
        EventMerging.CAEVA: (True, 4, 2),
        EventMerging.AGELE: (True, 1, 0),
        EventMerging.SIENA: (False, 1, 0),
    }


def test_the_state_of_a_stream_depends_on_links_folds_and_merging_only():
    assert keys_of_state() == {
        "link policy": ["decision", "patience"],
        "way of folding": ["folding", "theta", "delta", "hop", "rate"],
        "way of merging events": ["events", "placement", "active_aggregators", "partitions"],
    }
    assert {key.name for key in fields(Policy)} - {key.name for key in keys()} == {"least_saving"}
