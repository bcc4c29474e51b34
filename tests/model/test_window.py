"""Windows, judged by trying every start."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.model.window import NWR, TimeWindow, window_starts
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
    assert len(starts) <= window.most


@given(strategies.time_windows())
def test_most_is_reached_somewhere(window):
    assert max(len(window.starts(time)) for time in range(window.slide)) == window.most


@given(st.lists(st.tuples(st.integers(-(10**15), 10**15), strategies.time_windows())))
def test_a_column_of_times_has_the_starts_of_each(pairs):
    times = np.array([time for time, _ in pairs], dtype=np.int64)
    parts = [np.array([getattr(w, name) for _, w in pairs], dtype=np.int64) for name in ("duration", "slide", "start")]
    pair, starts = window_starts(times, *parts)
    found = sorted(zip(pair.tolist(), starts.tolist(), strict=True))
    assert found == [(at, start) for at, (time, window) in enumerate(pairs) for start in window.starts(time)]


def test_sampling_leaves_gaps():
    window = TimeWindow(duration=2, slide=24)
    assert [time for time in range(48) if window.starts(time)] == [0, 1, 24, 25]


def test_windows_are_decided_by_end_then_subscription():
    assert sorted([NWR(20, "a", 0), NWR(10, "b", 0), NWR(10, "a", 5)])[0] == NWR(10, "a", 5)
