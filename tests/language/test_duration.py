"""Durations as Spark reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.language.duration import parse_duration
from sparing.language.errors import LanguageError
from tests import strategies


@given(strategies.durations())
def test_a_duration_is_the_sum_of_its_parts(case):
    text, microseconds = case
    assert parse_duration(text) == microseconds


# Accepted by Spark 4.3 as the duration of a window, with the same length.
@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("10 seconds", 10_000_000),
        ("5 MINUTES", 300_000_000),
        ("1 hour 30 minutes", 5_400_000_000),
        ("1 hour -30 minutes", 1_800_000_000),
        ("interval 500 milliseconds", 500_000),
        ("100 microseconds", 100),
        ("1 day", 86_400_000_000),
        ("2 weeks", 1_209_600_000_000),
        ("  10 \t seconds ", 10_000_000),
        ("+5 seconds", 5_000_000),
        ("- 5 seconds", -5_000_000),
        ("1.5 seconds", 1_500_000),
        (".5 second", 500_000),
        ("1. seconds", 1_000_000),
        ("-0.5 seconds", -500_000),
        ("1.1234567 seconds", 1_123_456),
        ("00005 seconds", 5_000_000),
        ("1 second 1 second", 2_000_000),
        ("9223372036854775807 microseconds", 2**63 - 1),
    ],
)
def test_durations_that_spark_accepts(text, microseconds):
    assert parse_duration(text) == microseconds


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", ""),
        ("interval", "interval"),
        ("10", "10"),
        ("10seconds", "10seconds"),
        ("ten seconds", "ten seconds"),
        ("5 minutes,", "5 minutes,"),
        ("5\u00a0seconds", "5\u00a0seconds"),
        ("1 hour 5", "5"),
        ("10 sec", "sec"),
        ("10 ms", "ms"),
        ("1 decade", "decade"),
        ("1 month", "month"),
        ("2 Years", "Years"),
        ("1.5 hours", "1.5"),
        ("0.1234567891 seconds", "0.1234567891"),
        ("9223372036854775808 microseconds", "9223372036854775808 microseconds"),
        ("99999999999999 seconds", "99999999999999 seconds"),
    ],
)
def test_durations_that_spark_rejects_are_underlined(text, part):
    with pytest.raises(LanguageError) as caught:
        parse_duration(text)
    assert text[caught.value.start : caught.value.end] == part


@given(st.text() | st.text("0123456789. -+secondminutea"))
def test_any_text_gives_a_duration_or_a_language_error(text):
    refused = None
    try:
        assert isinstance(parse_duration(text), int)
    except LanguageError as error:
        refused = error
    assert refused is None or 0 <= refused.start <= refused.end <= len(text)
