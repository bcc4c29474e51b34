"""Plain values of a YAML text, with the line of every key.

Scalars follow YAML 1.2, so that names stay text: `no`, `on`, `007`, `1:30` and dates are text, only
`true` and `false` are booleans. Keys are always text. A repeated key in a mapping is a mistake.
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
    """PyYAML's loader (compiled if available), with the scalars of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 (PyYAML's own attribute)


for _tag, (_pattern, _first) in _SCALARS.items():
    _Loader.add_implicit_resolver(_PREFIX + _tag, re.compile(rf"(?:{_pattern.pattern})\Z"), _first)


class Document:
    """The value of a YAML text and the lines of its parts."""

    def __init__(self, text: str, source: str, mistakes: Mistakes) -> None:
        self.source = source
        self._mistakes = mistakes
        self._values: dict[int, Any] = {}
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
                reason = "there is a tab in the indentation; use spaces"
            mistakes.add(self._place(mark.line + 1 if mark else 1), f"This is not valid YAML: {reason}")
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            mistakes.add(self._place(line), f"The character {chr(error.character)!r} is not allowed in YAML")

    def place(self, path: Path) -> Place:
        """Return the place of a path of keys and positions, or of its longest existing prefix."""
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
        """Return the value of a node; a node with several aliases is converted once."""
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self._values:
            return self._values[id(node)]
        if id(node) in self._open:
            self._mistakes.add(
                self._place(self._line(node)), "This part contains itself through an alias: remove the alias"
            )
            return None
        self._open.add(id(node))
        if node.tag not in (_PREFIX + "map", _PREFIX + "seq"):
            self._unknown_tag(node)
        value: Any
        if isinstance(node, yaml.MappingNode):
            value = self._mapping(node)
        else:
            value = [self._value(item) for item in node.value]
        self._values[id(node)] = value
        return value

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key, item in node.value:
            line = self._line(key)
            if not isinstance(key, yaml.ScalarNode):
                self._mistakes.add(self._place(line), "A key must be text, not a list or a mapping")
            elif key.tag == _MERGE:
                for source in _merged(item):
                    value = self._value(source)
                    merged = (value if isinstance(value, dict) else {}) | merged
            elif key.value in own:
                repeated = f"The key '{key.value}' appears twice (first on line {lines[key.value]}): remove one of them"
                self._mistakes.add(self._place(line), repeated)
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
            self._mistakes.add(self._place(self._line(node)), f"'{text[:40]}' is not a valid {kind}")
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
    """Return the node tree. The compiled composer is recursive, so the depth of the text is checked first."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_NESTED:
            mark: Any = event.start_mark  # the compiled parser has its own type of marks
            raise yaml.MarkedYAMLError(problem=f"more than {MOST_NESTED} nested levels", problem_mark=mark)
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
    """Yield the mappings of a merge key `<<`: one, or a list of them."""
    yield from node.value if isinstance(node, yaml.SequenceNode) else [node]


def _step(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the node with the line of a key or position, and the node of its value."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    if isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            if key.value == step:
                return key, item
        for key, item in node.value:
            if key.tag == _MERGE:
                for source in _merged(item):
                    if (inner := _step(source, step)) is not None:
                        return inner
    return None
