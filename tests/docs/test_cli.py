"""docs/cli.md is what the commands say of themselves."""

import subprocess
import sys

from sparing.cli.reference import reference
from tests.docs.pages import text_of


def test_the_page_is_up_to_date():
    assert text_of("docs/cli.md") == reference(), "run python -m sparing.cli.reference docs/cli.md"


def test_it_is_made_without_spark():
    program = "import sys; sys.modules['pyspark'] = None; from sparing.cli.reference import reference; reference()"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
