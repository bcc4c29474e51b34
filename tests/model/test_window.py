"""Windows, judged by trying every start."""

from hypothesis import given
from hypothesis import strategies as st

from sparing.model.window import TimeWindow
from tests import strategies


def every_start(window, time):
    """Starts of the windows that hold a time, by trying all that could."""
    reach = window.duration + 2 * window.slide
    return [
        s
        for s in range(time - reach, time + reach)
        if (s - window.start) % window.slide == 0 and s <= time < s + window.duration
    ]


@given(strategies.time_windows(), st.integers(-200, 200))
def test_starts_are_those_of_the_windows_that_hold_the_time(window, time):
    starts = window.starts(time)
    assert starts == every_start(window, time)
    assert len(starts) <= window.max_overlap


@given(strategies.time_windows())
def test_most_is_reached_somewhere(window):
    assert max(len(window.starts(time)) for time in range(window.slide)) == window.max_overlap


def test_sampling_leaves_gaps():
    window = TimeWindow(duration=2, slide=24)
    assert [time for time in range(48) if window.starts(time)] == [0, 1, 24, 25]
