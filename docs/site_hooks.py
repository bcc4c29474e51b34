"""What mkdocs has to know of our pages, so that they read the same on the site as in the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_FENCE = re.compile(r"^(```\w+) [\w ]+$", re.MULTILINE)  # ```sql where: the second word is for the tests
_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)]*)\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page for the site: fences with one word, and no links to files that are not part of it."""
    folder = Path(page.file.src_uri).parent

    def kept(link: re.Match[str]) -> str:
        inside = len(folder.parts) >= link[2].count("../")
        return link[0] if inside else link[1]

    return _LINK.sub(kept, _FENCE.sub(r"\1", markdown))
