"""Every example of every page is executed: by the page's reader, or by a test that is named here.

Pages are read in order (tests/docs/reader.py says how). What follows are the exceptions: examples that a test of its
own looks at more closely, and commands that are only parsed, with the reason.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from sparing.cli import build
from tests.docs.pages import NAMES, Block, blocks, text_of
from tests.docs.reader import Reader, check_command, commands, starts_spark, uses_spark


class Claim(NamedTuple):
    """Examples of a page, of one sort or with some text in them, that a test of their own executes."""

    page: str
    info: str
    within: str
    test: str


CLAIMS = [
    Claim(
        "docs/architecture.md",
        "text",
        "cli",
        "tests.docs.test_architecture.test_the_picture_has_the_layers_of_the_contract",
    ),
    Claim("docs/deployment.md", "text", "city.yaml:", "tests.docs.test_deployment.test_the_mistakes_that_are_shown"),
    Claim("docs/events.md", "json", '"latest"', "tests.docs.test_events.test_the_payload"),
    Claim("docs/events.md", "yaml", "outages:", "tests.docs.test_events.test_the_outage_that_is_shown"),
    Claim("docs/language.md", "text", "SELECT item", "tests.docs.test_language.test_the_grammar_in_one_line"),
    Claim("docs/language.md", "sql", "", "tests.docs.test_language.test_queries_are_read"),
    Claim("docs/language.md", "sql where", "", "tests.docs.test_language.test_conditions_mean_the_same"),
    Claim("docs/language.md", "sql refused", "", "tests.docs.test_language.test_what_is_refused"),
    Claim("docs/language.md", "sql score", "", "tests.docs.test_language.test_scores_are_read"),
    Claim("docs/language.md", "sql score refused", "", "tests.docs.test_language.test_what_is_refused_in_a_score"),
    Claim("docs/links.md", "text", "subscriber-edge", "tests.docs.test_links.test_the_replay"),
    Claim("docs/links.md", "yaml", "name: waiting", "tests.docs.test_links.test_patience"),
    Claim("docs/links.md", "json", "08:00:10.1Z", "tests.docs.test_links.test_patience"),
    Claim(
        "docs/operations.md",
        "sql spark",
        "",
        "tests.docs.test_operations.test_tables_have_the_columns_listed_and_payloads_can_be_read",
    ),
    Claim("docs/operations.md", "text", "policy.decision", "tests.docs.test_streams.test_what_is_said_of_edits"),
    Claim("docs/operations.md", "json", '"level"', "tests.docs.test_streams.test_the_line_of_a_log"),
    Claim("docs/operations.md", "python", "foreachBatch", "tests.docs.test_streams.test_a_query_of_ones_own"),
    Claim("docs/walk.md", "yaml", "", "tests.docs.test_walk.test_the_bill"),
    Claim("docs/walk.md", "json", "", "tests.docs.test_walk.test_the_bill"),
    Claim("docs/walk.md", "text", "alice: slow", "tests.docs.test_walk.test_the_drawing"),
    Claim("docs/walk.md", "text", "foreachBatch", "tests.docs.test_pages.test_named_files_are_there"),
]

PARSED_ONLY = {  # pattern of commands -> why they are not run here
    r"make (?!demo)\w+": "sets up or checks the whole project; CI runs it",
    r"\.venv/bin/pre-commit install": "changes the user's checkout",
    r"export \w+=\S+": "sets a variable of the user's shell",
    r"venv-pack .*": "packs a whole environment",
    r"sparing run .*--master spark://.*": "needs a cluster",
    r"sparing run .*local-cluster.*": "starts worker processes, a minute; tests/spark does it",
    r"mvn dependency:copy .*": "fetches the connector from the network; tests/spark/io/test_kafka.py does it",
    r"sparing run cars\.yaml(?!.*--once).*": "goes on until it is stopped; the tutorial has a stream that is",
    r"sparing bench .*": "takes minutes; tests/lab/bench runs each with small numbers",
    r"sparing quarantine publish .*": "needs corrected rows; tests/spark/tools/test_repair_commands.py does it",
    r"sparing study .*": "takes minutes; tests/lab/study measures small parts",
    r"sparing generate stock quotes .*": "its trace is walked without Spark by tests.docs.test_links",
    r"sparing replay quotes/deployment\.yaml .*": "six replays; tests.docs.test_links walks them without Spark",
}

INSTEAD = {"make demo": "sparing demo"}  # command -> what it comes to, once everything is set up
PARSED_PAGES = {"docs/cli.md": "the examples of the reference name files that the reader has"}
SMALLER = {"docs/decisions/0020-one-path-between-two-brokers.md": ("1_000", "100")}  # page -> number, a smaller one
BEGINS_WITH = {"docs/operations.md": "README.md"}  # page -> the page whose files its reader has saved


OUTPUTS = {("text", "sh"), ("text", "python")}  # an example, and the last one above it that prints


def claimed(block: Block) -> bool:
    return any((c.page, c.info) == (block.page, block.info) and c.within in block.text for c in CLAIMS)


def is_run(command: str) -> bool:
    return not any(re.fullmatch(pattern, command) for pattern in PARSED_ONLY)


def read_on(page: str) -> list[Block]:
    """The examples of a page that its reader executes."""
    large, small = SMALLER.get(page, ("", ""))
    return [
        block._replace(text=block.text.replace(large, small) if large else block.text)
        for block in blocks(page)
        if not claimed(block) and page not in PARSED_PAGES
    ]


def needs_spark(block: Block) -> bool:
    if block.info == "python":
        return uses_spark(block)
    return block.info == "sh" and any(starts_spark(INSTEAD.get(one, one)) for one in commands(block) if is_run(one))


COMMANDS = sorted({command for name in NAMES for block in blocks(name, "sh") for command in commands(block)})
INLINE = sorted({(name, code) for name in NAMES for code in re.findall(r"`(sparing [a-z][^`]*)`", text_of(name))})
READ = [
    pytest.param(name, marks=[pytest.mark.spark] if any(map(needs_spark, read_on(name))) else [])
    for name in NAMES
    if read_on(name)
]


@pytest.mark.parametrize("page", READ)
def test_a_reader_gets_what_the_page_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    reader = Reader(tmp_path, monkeypatch, lambda: request.getfixturevalue("spark"), INSTEAD)
    if page in BEGINS_WITH:
        reader.has_files_of(BEGINS_WITH[page])
    reader.read(read_on(page), is_run)


@pytest.mark.parametrize("page", NAMES)
def test_every_example_is_executed_by_somebody(page: str) -> None:
    fences = re.findall(r"^\s*(?:```|~~~)", text_of(page), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(page)), "an example is indented, or never ends"
    above = None
    for block in read_on(page):
        known = block.file or block.info in ("sh", "yaml", "python") or (block.info, above) in OUTPUTS
        assert known, (
            f"{block.name}: nobody executes this. Name the file that it is saved as in the paragraph above, put it "
            "right below the command that prints it, or name the test that looks at it in CLAIMS."
        )
        above = block.info if block.info in ("sh", "python") else above


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.page}: {claim.info} {claim.within}")
def test_tests_that_are_named_are_there(claim: Claim) -> None:
    module, _, test = claim.test.rpartition(".")
    assert callable(getattr(import_module(module), test))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_understood(command: str) -> None:
    check_command(command)


@pytest.mark.parametrize(("page", "code"), INLINE)
def test_commands_in_passing_have_the_options_that_are_named(page: str, code: str) -> None:
    command: Any = typer.main.get_command(build())
    for word in code.split()[1:]:
        if not hasattr(command, "list_commands") or word not in command.list_commands(None):
            break
        command = command.get_command(None, word)
    options = {option for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"--[a-z-]+", code)) <= options
