"""What holds of the claims of every paper."""

import pickle

import pytest

from sparing_lab.commands.study import NAMES
from sparing_lab.study.verdicts import Verdict
from tests.lab.study.studies import claims, made_up, module, nothing


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_appears_once_with_a_verdict_and_a_reason(name):
    found = claims(name, made_up(name))
    assert len({(claim.what, claim.where) for claim in found}) == len(found)
    for claim in found:
        assert (claim.ours is None) == (claim.verdict is Verdict.NOT_MEASURED), claim
        assert claim.judged.why[0] == claim.judged.why[0].upper()
        assert claim.judged.why.endswith(".")
        assert "\n" not in claim.judged.why


@pytest.mark.parametrize("name", NAMES)
def test_claims_do_not_depend_on_measurements(name):
    with_rows, without = (
        [(claim.what, claim.where, claim.printed) for claim in claims(name, found)]
        for found in (made_up(name), nothing(name))
    )
    assert with_rows == without


@pytest.mark.parametrize("name", NAMES)
def test_without_measurements_nothing_is_reproduced(name):
    found = [claim for claim in claims(name, nothing(name)) if claim.ours is not None]
    # The slides' example is worked out, not measured.
    assert {claim.where for claim in found} == ({"example of MEFA", "related works"} if name == "mefa" else set())


@pytest.mark.parametrize("name", NAMES)
def test_experiments_can_be_pickled(name):
    study = module(name, "study").STUDY
    cells = study.cells("small")
    measure, arrived = pickle.loads(pickle.dumps((study.measure, cells)))
    assert measure is study.measure
    assert list(map(repr, arrived)) == list(map(repr, cells))
