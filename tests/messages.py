"""What a message must say, however it is worded: the names, numbers and code that a reader needs."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sparing.model.errors import SparingError


def missing(message: str, parts: str) -> list[str]:
    """Those of some words that a message does not have as words of their own."""
    return [part for part in parts.split() if not re.search(rf"(?<!\w){re.escape(part)}(?!\w)", message)]


def says(text: str, parts: str) -> bool:
    """Whether some line of an output has all of some words."""
    return any(not missing(line, parts) for line in text.splitlines())


@contextmanager
def refused(parts: str) -> Iterator[None]:
    """A mistake of the user is told, with some words."""
    with pytest.raises(SparingError) as caught:
        yield
    assert missing(str(caught.value), parts) == []
