"""Tables in Markdown: alignment of columns, escaped bars."""

import re

from sparing.report.markdown import markdown_table


def test_text_columns_are_given_by_number_or_name():
    rows = [["a", "1", "met"]]
    assert markdown_table(["what", "found", "verdict"], rows).splitlines()[1] == "| --- | ---: | ---: |"
    assert markdown_table(["what", "found", "verdict"], rows, ("what", "verdict")).splitlines()[1] == (
        "| --- | ---: | --- |"
    )


def test_bars_in_cells_are_escaped():
    table = markdown_table(["a|b", "what | it is"], [["one|two", "`generate x | y`"]])
    assert {len(re.split(r"(?<!\\)\|", line)) for line in table.splitlines()} == {4}
