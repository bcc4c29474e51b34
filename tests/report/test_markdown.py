"""Tables in Markdown: a bar in a cell does not end it, wherever the cell comes from."""

import re

from sparing.report.markdown import markdown_table


def test_columns_of_words_by_number_or_by_name():
    rows = [["a", "1", "met"]]
    assert markdown_table(["what", "found", "verdict"], rows).splitlines()[1] == "| --- | ---: | ---: |"
    assert markdown_table(["what", "found", "verdict"], rows, ("what", "verdict")).splitlines()[1] == (
        "| --- | ---: | --- |"
    )


def test_a_bar_does_not_end_a_cell():
    table = markdown_table(["a|b", "what | it is"], [["one|two", "`generate x | y`"]])
    assert {len(re.split(r"(?<!\\)\|", line)) for line in table.splitlines()} == {4}
