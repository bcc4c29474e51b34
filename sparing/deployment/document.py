"""YAML text -> plain values, with the line of every key.

Scalars are read as YAML 1.2 reads them, so that names stay names: `no`, `on`, `007`, `1:30` and dates are text, only
`true` and `false` are booleans. Keys are always text. A key given twice in one mapping is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from sparing.deployment.mistakes import Mistakes, Place

Path = Sequence[str | int]

MOST_NESTED = 100

_PREFIX = "tag:yaml.org,2002:"
_MERGE = _PREFIX + "merge"
_TEXT = _PREFIX + "str"
_SCALARS = {
    "null": (re.compile(r"|~|null|Null|NULL"), ["", "~", "n", "N"]),
    "bool": (re.compile(r"true|True|TRUE|false|False|FALSE"), list("tTfF")),
    "int": (re.compile(r"0|-?[1-9][0-9]*"), list("-0123456789")),
    "float": (
        re.compile(r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*)([eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+|[-+]?\.inf|\.nan"),
        list("-+.0123456789"),
    ),
    "merge": (re.compile(r"<<"), ["<"]),
}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """PyYAML's loader (the compiled one where there is one), with the scalars of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's name and way)


for _tag, (_pattern, _first) in _SCALARS.items():
    _Loader.add_implicit_resolver(_PREFIX + _tag, re.compile(rf"(?:{_pattern.pattern})\Z"), _first)


class Document:
    """The value of a YAML text, and the lines of its parts."""

    def __init__(self, text: str, source: str, mistakes: Mistakes) -> None:
        self.source = source
        self._mistakes = mistakes
        self._done: dict[int, Any] = {}
        self._open: set[int] = set()
        self._root: yaml.Node | None = None
        self.value: Any = None
        try:
            self._root = _compose(text)
            if self._root is not None:
                self.value = self._value(self._root)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            reason = ", ".join(filter(None, [error.context, error.problem]))
            if mark is not None and _is_tab(text, mark.line, mark.column):
                reason = "there is a tab where only spaces may stand; indent with spaces"
            mistakes.add(self._place(mark.line + 1 if mark else 1), f"This is not valid YAML: {reason}")
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            mistakes.add(self._place(line), f"The character {chr(error.character)!r} is not allowed in YAML")

    def place(self, path: Path) -> Place:
        """The place of the part at a path of keys and positions, or of the innermost part of the path that is there."""
        node, line = self._root, self._line(self._root)
        for step in path:
            inner = _step(node, step)
            if inner is None:
                break
            line, node = self._line(inner[0]), inner[1]
        return self._place(line)

    def _place(self, line: int) -> Place:
        return Place(f"{self.source}:{line}", line)

    def _line(self, node: yaml.Node | None) -> int:
        return 1 if node is None else int(node.start_mark.line) + 1

    def _value(self, node: yaml.Node) -> Any:
        """The value of a node; nodes that several aliases share are read once."""
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self._done:
            return self._done[id(node)]
        if id(node) in self._open:
            self._mistakes.add(self._place(self._line(node)), "This part contains itself through an alias")
            return None
        self._open.add(id(node))
        if node.tag not in (_PREFIX + "map", _PREFIX + "seq"):
            self._unknown_tag(node)
        value: Any
        if isinstance(node, yaml.MappingNode):
            value = self._mapping(node)
        else:
            value = [self._value(item) for item in node.value]
        self._done[id(node)] = value
        return value

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key, item in node.value:
            line = self._line(key)
            if not isinstance(key, yaml.ScalarNode):
                self._mistakes.add(self._place(line), "A key must be a single word, not a list or a mapping")
            elif key.tag == _MERGE:
                for source in _merged(item):
                    value = self._value(source)
                    merged = (value if isinstance(value, dict) else {}) | merged
            elif key.value in own:
                again = f"The key '{key.value}' is given twice (first on line {lines[key.value]}): keep one of them"
                self._mistakes.add(self._place(line), again)
            else:
                lines[key.value] = line
                own[key.value] = self._value(item)
        return merged | own

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        kind, text = node.tag.removeprefix(_PREFIX), str(node.value)
        if node.tag == _TEXT or kind == "merge":
            return text
        pattern, _ = _SCALARS.get(kind, (None, None))
        if pattern is None:
            self._unknown_tag(node)
            return text
        if not pattern.fullmatch(text) or len(text) > 1_000:
            self._mistakes.add(self._place(self._line(node)), f"'{text[:40]}' cannot be read as {kind}")
            return text
        if kind == "null":
            return None
        if kind == "bool":
            return text.lower() == "true"
        return int(text) if kind == "int" else float(text.replace(".inf", "inf").replace(".nan", "nan"))

    def _unknown_tag(self, node: yaml.Node) -> None:
        tag = node.tag.replace(_PREFIX, "!!")
        self._mistakes.add(self._place(self._line(node)), f"The tag {tag} is not used in a deployment: remove it")


def _compose(text: str) -> yaml.Node | None:
    """The node tree of the text. Composing is recursive, and compiled: what nests too deeply must not get there."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_NESTED:
            mark: Any = event.start_mark  # the compiled reader's marks have a type of their own
            raise yaml.MarkedYAMLError(problem="it nests too deeply to be read", problem_mark=mark)
    loader = _Loader(text)
    try:
        node: yaml.Node | None = loader.get_single_node()
        return node
    finally:
        loader.dispose()


def _is_tab(text: str, line: int, column: int) -> bool:
    lines = text.split("\n")
    return line < len(lines) and lines[line][column : column + 1] == "\t"


def _merged(node: yaml.Node) -> Iterator[yaml.Node]:
    """The mappings that a merge key `<<` names: one, or a list of them."""
    yield from node.value if isinstance(node, yaml.SequenceNode) else [node]


def _step(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """From a node to the part at a key or position: the node that shows its line, and the part itself."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    if isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            if key.value == step:
                return key, item
        for key, item in node.value:
            if key.tag == _MERGE:
                for source in _merged(item):
                    if (found := _step(source, step)) is not None:
                        return found
    return None
