"""The site can be built, leads to every page, and fetches nothing from elsewhere."""

import os
import re
import subprocess
import sys

import pytest

from tests.docs.pages import NAMES, ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site. Strict: a link that leads nowhere is a failure."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=quiet, check=False, timeout=120, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_is_there_and_can_be_reached(site):
    pages = {name.removeprefix("docs/").removesuffix(".md") for name in NAMES if name.startswith("docs/")}
    pages = {page.replace("README", "index") for page in pages}
    assert pages == {str(page.relative_to(site).with_suffix("")) for page in site.glob("**/*.html")} - {"404"}
    home, decisions = (site / "index.html").read_text(), (site / "decisions" / "index.html").read_text()
    for page in pages:
        name = page.removeprefix("decisions/")
        assert f'href="{page}.html"' in home or f'href="{name}.html"' in decisions, page


def test_reading_it_fetches_nothing_from_elsewhere(site):
    for page in site.glob("**/*.html"):
        text = page.read_text()
        loaded = re.findall(
            r"<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=[\"']?((?:https?:)?//[^\"'> ]+)", text
        )
        assert loaded == [], page
        assert 'class="mermaid"' not in text, f"{page}: drawings of this sort are drawn by a script from elsewhere"
    for sheet in site.glob("**/*.css"):
        assert not re.search(r"(?:@import\s+|url\()[\"']?(?:https?:)?//", sheet.read_text()), sheet


def test_examples_are_set_as_such(site):
    for page in site.glob("**/*.html"):
        assert "```" not in re.sub(r"<(script|code)\b.*?</\1>", "", page.read_text(), flags=re.DOTALL), page
