from datetime import UTC, datetime, timedelta, timezone

import pytest

from sparing.model.errors import SparingError
from sparing.workloads.settings import WorkloadSettings, parse_ratio
from tests.messages import refused


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": -1},
        {"rate": 0.0},
        {"rate": float("nan")},
        {"duration": float("inf")},
        {"rate": 0.001, "duration": 1.0},
        {"window": -10.0},
        {"slide": 0.0001},
        {"subscriptions": -1},
        {"aggregate": (0, 0)},
        {"sliding": 1.5},
        {"missing": -0.1},
        {"selectivity": 0.0},
        {"disorder": -1.0},
        {"bad": 2.0},
    ],
)
def test_invalid_settings_are_rejected_in_one_sentence(wrong):
    with pytest.raises(SparingError) as caught:
        WorkloadSettings(**wrong)
    assert str(caught.value).endswith(".")
    assert str(caught.value).count(". ") == 0


@pytest.mark.parametrize("text", ["", "1", "1:2:3", "a:b", "-1:2", "1.5:1"])
def test_malformed_ratios_are_rejected(text):
    with refused("ratio"):
        parse_ratio(text)


def test_the_start_may_have_any_time_zone():
    noon = datetime(2026, 5, 1, 12, 0, 0, 700_000)
    in_toronto = datetime(2026, 5, 1, 8, 0, 0, 700_000, tzinfo=timezone(timedelta(hours=-4)))
    assert WorkloadSettings(start=noon).origin == WorkloadSettings(start=noon.replace(tzinfo=UTC)).origin
    assert WorkloadSettings(start=in_toronto).origin == WorkloadSettings(start=noon).origin == 1_777_636_800_700_000
