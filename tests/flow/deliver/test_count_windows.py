"""Count windows, fed in pieces."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.deliver.count_windows import CountTail
from sparing.model.window import CountWindow

sizes = st.integers(1, 6)


@given(st.lists(st.integers(0, 7), max_size=6), sizes, sizes)
def test_windows_do_not_depend_on_the_pieces(pieces, size, shift):
    """However the rows come, windows are every `size` of them, a new one every `shift`; no row is kept in vain."""
    tail, found, fed = CountTail(), [], 0
    for piece in pieces:
        found += tail.extend(np.arange(fed, fed + piece), CountWindow(size, shift))
        fed += piece
    expected = [list(range(start, start + size)) for start in range(0, fed - size + 1, shift)]
    assert [window.tolist() for window in found] == expected
    following = len(expected) * shift  # where the next window starts
    assert tail.rows.tolist() == list(range(following, fed))
    assert tail.skip == max(following - fed, 0)
