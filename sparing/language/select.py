"""Select lists -> columns of a plain subscription, or outputs of an aggregate one."""

from __future__ import annotations

from decimal import Decimal

from sparing.language.errors import LanguageError, or_nearest
from sparing.language.names import Scope
from sparing.language.syntax import Argument, Array, Call, Literal, LiteralKind, Name, SelectItem, Star
from sparing.model.functions import FUNCTION_NAMES, function
from sparing.model.sketches import DEFAULT_ACCURACY, PERCENTILES, SKETCHES, Number, Setting
from sparing.model.subscription import Output
from sparing.model.window import CountWindow, TimeWindow

Columns = tuple[tuple[str, str], ...]


def columns_of(scope: Scope, items: list[SelectItem]) -> Columns | None:
    """Return the name in the payload and the field of each entry; None for `*`."""
    columns: list[tuple[str, str]] = []
    taken: set[str] = set()
    for item in items:
        what = item.what
        if isinstance(what, Call):
            _known(scope, what)
            raise _refused(
                scope,
                item,
                f"{what.name.lower()} needs windows: add GROUP BY window({scope.time}, '10 seconds').",
            )
        if isinstance(what, Star):
            scope.check_prefix(what)
            if len(items) > 1:
                raise _refused(scope, item, "* includes every field: write either * or a list of fields.")
            if item.alias is not None:
                raise _refused(scope, item, "* cannot be renamed.")
            return None
        field = scope.field(what)
        columns.append((_free(scope, item, item.alias or field, taken), field))
    return tuple(columns)


def outputs_of(scope: Scope, items: list[SelectItem], window: TimeWindow | CountWindow) -> tuple[Output, ...]:
    """Return the outputs of a select list. `window` and its fields are allowed: every notification has them."""
    outputs: list[Output] = []
    taken: set[str] = set()
    for item in items:
        what = item.what
        if isinstance(what, Call):
            name, output = _aggregate(scope, what)
            name = _free(scope, item, item.alias or name, taken)
            outputs.append(Output(name, output.function, output.field))
        elif isinstance(what, Star):
            raise _refused(scope, item, "With windows, the select list takes aggregate functions such as count(*).")
        elif not (isinstance(window, TimeWindow) and _is_window(what)):
            field = scope.field(what)
            raise _refused(
                scope, item, f"With windows, a field must be inside an aggregate function, such as max({field})."
            )
        elif item.alias is not None:
            raise _refused(scope, item, "Every notification has its window's start and end: they cannot be renamed.")
    if not outputs:
        raise LanguageError(
            "The select list has no aggregate function: add one, such as count(*).",
            scope.text,
            items[0].start,
            items[-1].end,
        )
    return tuple(outputs)


def _is_window(name: Name) -> bool:
    if name.qualifier is None:
        return name.name.lower() == "window"
    return name.qualifier.lower() == "window" and name.name.lower() in ("start", "end")


def _aggregate(scope: Scope, call: Call) -> tuple[str, Output]:
    """Return an output and its name in Spark."""
    name = _known(scope, call)
    field: str | None = None
    if not call.arguments or (len(call.arguments) > 1 and name not in SKETCHES):
        raise _refused(scope, call, f"{name} takes one field.")
    match call.arguments[0]:
        case Name() as argument:
            field = scope.field(argument)
        case Literal(LiteralKind.EXACT, 1) if name == "count" and not call.distinct:
            pass
        case Star():
            pass
        case argument:
            takes = "*, 1 or a field" if name == "count" else "a field"
            raise LanguageError(f"{name} takes {takes}.", scope.text, argument.start, argument.end)
    settings = [_setting(scope, argument) for argument in call.arguments[1:]]
    result = function(name, None if field is None else scope.type(field), call.distinct, settings)
    if isinstance(result, str):
        raise _refused(scope, call, f"{result}.")
    shown = [*settings, DEFAULT_ACCURACY][:2] if name in PERCENTILES else []  # Spark shows the default accuracy, too
    inside = ", ".join([field or "1", *map(_setting_text, shown)])
    spark_name = f"{name}({'DISTINCT ' if call.distinct else ''}{inside})"
    return spark_name, Output(spark_name, result, field)


def _setting(scope: Scope, node: Argument) -> Setting:
    """Return a number or an array of numbers."""
    if isinstance(node, Array):
        return tuple(_number(scope, item) for item in node.items)
    return _number(scope, node)


def _number(scope: Scope, node: Argument) -> Number:
    if isinstance(node, Literal) and node.kind in (LiteralKind.EXACT, LiteralKind.FLOATING):
        number: Number = node.value
        return number
    raise LanguageError("A number is expected here, such as 0.5.", scope.text, node.start, node.end)


def _setting_text(setting: Setting) -> str:
    """Return a setting in Spark's notation."""
    if isinstance(setting, tuple):
        return f"array({', '.join(map(_setting_text, setting))})"
    return f"{setting:f}" if isinstance(setting, Decimal) else str(setting)


def _known(scope: Scope, call: Call) -> str:
    """Return the name of an existing function, in lower case."""
    name = call.name.lower()
    if name not in FUNCTION_NAMES:
        end = call.start + len(call.name)
        raise LanguageError(
            f"Aggregate function {call.name} does not exist; {or_nearest(name, FUNCTION_NAMES)}",
            scope.text,
            call.start,
            end,
        )
    return name


def _free(scope: Scope, item: SelectItem, name: str, taken: set[str]) -> str:
    """Return the name of an entry, which must be unique."""
    if name.lower() in taken:
        raise _refused(scope, item, f"Two columns are named {name}: rename one with AS.")
    taken.add(name.lower())
    return name


def _refused(scope: Scope, node: SelectItem | Call, message: str) -> LanguageError:
    return LanguageError(message, scope.text, node.start, node.end)
