"""Counts have the noun that goes with them, wherever a sentence holds one."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import sparing

PACKAGE = Path(sparing.__file__).parent
FIXED = ("study", "bench")  # their titles hold numbers of settings, which are never 1
THINGS = (
    "advertisement|bad row|broker|byte|change|cluster|content descriptor|entrie|event|fact|file|hop|link|message|"
    "notification|pair|partial result|publication|publisher|result|row|subscriber|subscription|topic|window"
)
PLURAL = re.compile(rf" (more )?({THINGS})s\b")


def test_no_sentence_has_a_plural_after_any_number():
    found = []
    for path in PACKAGE.rglob("*.py"):
        part = path.relative_to(PACKAGE)
        if part.parts[0] not in FIXED:
            tree = ast.parse(path.read_text())
            sentences = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
            found += [f"{part}:{sentence.lineno}" for sentence in sentences if bad(sentence)]
    assert not found, "use sparing.model.counted"


def bad(sentence: ast.JoinedStr) -> bool:
    """Whether a value in a sentence, other than a constant, is followed by a plural."""
    return any(
        isinstance(value, ast.FormattedValue)
        and isinstance(text, ast.Constant)
        and PLURAL.match(str(text.value))
        and not ast.unparse(value.value).startswith("counted(")
        and not ast.unparse(value.value).isupper()
        for value, text in pairwise(sentence.values)
    )
