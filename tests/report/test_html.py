"""HTML pages: text is escaped, tables keep their columns, templates and plots are loaded on demand."""

import subprocess
import sys
from xml.etree import ElementTree

from sparing.report.html import environment


def part(macro, *values):
    """Return the element of a macro."""
    return ElementTree.fromstring(getattr(environment().get_template("parts.html.j2").module, macro)(*values).strip())


def test_text_is_escaped():
    hostile = "</td><script>x</script>"
    table = part("table", [hostile, "n"], [[hostile, "1"]])
    assert [cell.text for cell in table.iter("th")] == [hostile, "n"]
    assert [cell.text for cell in table.iter("td")] == [hostile, "1"]
    assert part("heading", hostile).text == hostile
    folded = part("folded", hostile, hostile)
    assert [folded.find("summary").text, folded.find("summary").tail.strip()] == [hostile, hostile]


def test_text_columns_are_left_aligned_and_numbers_right_aligned():
    for row in part("table", ["a", "b", "c"], [["x", "y", "1"], ["z", "", "2"]], 2).iter("tr"):
        assert [cell.get("class") for cell in row] == ["left", "left", None]


def test_commands_start_without_templates_and_plots():
    program = """
import sys
for name in ("jinja2", "matplotlib"):
    sys.modules[name] = None  # to import it is an error now
import sparing.report.bill_picture, sparing.report.marking_map, sparing.report.plots, sparing.report.tables
from sparing.cli import main
sys.argv = ["sparing", "--help"]
main()
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert "replay" in found.stdout
