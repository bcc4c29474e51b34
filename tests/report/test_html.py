"""Pages from parts: text is escaped, tables keep their columns, pages and figures are loaded when they are needed."""

import subprocess
import sys
from xml.etree import ElementTree

from sparing.report import html


def test_text_is_escaped():
    hostile = "</td><script>x</script>"
    table = ElementTree.fromstring(html.table([hostile, "n"], [[hostile, "1"]]))
    assert [cell.text for cell in table.iter("th")] == [hostile, "n"]
    assert [cell.text for cell in table.iter("td")] == [hostile, "1"]
    assert ElementTree.fromstring(html.heading(hostile)).text == hostile
    folded = ElementTree.fromstring(html.folded(hostile, html.paragraph(hostile)))
    assert [folded.find(tag).text for tag in ("summary", "p")] == [hostile, hostile]


def test_words_stand_left_and_numbers_right():
    table = ElementTree.fromstring(html.table(["a", "b", "c"], [["x", "y", "1"], ["z", "", "2"]], left=2))
    for row in table.iter("tr"):
        assert [cell.get("class") for cell in row] == ["left", "left", None]


def test_a_page_has_its_parts_in_order():
    text = html.page("a < b", [html.heading("one"), "<p>two</p>"], ".x { color: red; }")
    assert "<title>a &lt; b</title>" in text
    assert text.index(".x { color: red; }") < text.index("<h2>one</h2>") < text.index("<p>two</p>")


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
