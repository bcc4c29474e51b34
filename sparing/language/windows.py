"""GROUP BY clauses -> windows."""

from __future__ import annotations

from sparing.language.duration import parse_duration
from sparing.language.errors import LanguageError, or_nearest
from sparing.language.names import Scope
from sparing.language.syntax import Argument, Call, Literal, LiteralKind, Name
from sparing.model.types import LONGEST
from sparing.model.window import CountWindow, TimeWindow

_NAMES = ("window", "count_window")


def window_of(scope: Scope, group: list[Name | Call]) -> TimeWindow | CountWindow:
    """Return the window of a GROUP BY clause."""
    for item in group:
        if isinstance(item, Name):
            raise LanguageError(
                "Grouping by a field is not supported: write a subscription for each of its values.",
                scope.text,
                item.start,
                item.end,
            )
    call = group[0]
    assert isinstance(call, Call)
    if len(group) > 1:
        raise LanguageError("Only one window is allowed: remove the others.", scope.text, group[1].start, group[1].end)
    match call.name.lower():
        case "window":
            return _time_window(scope, call)
        case "count_window":
            return _count_window(scope, call)
        case "session_window":
            raise LanguageError(
                "Session windows are not supported: use window(...), or count_window(...) for numbers of publications.",
                scope.text,
                call.start,
                call.end,
            )
        case name:
            raise LanguageError(
                f"Window function {name} does not exist; {or_nearest(name, _NAMES)}", scope.text, call.start, call.end
            )


def _time_window(scope: Scope, call: Call) -> TimeWindow:
    time = scope.time
    if not 2 <= len(call.arguments) <= 4 or call.distinct:
        raise LanguageError(
            f"window takes the time field, a duration, an optional slide and start: window({time}, '10 seconds').",
            scope.text,
            call.start,
            call.end,
        )
    field, *durations = call.arguments
    if not isinstance(field, Name) or scope.field(field) != time:
        raise LanguageError(
            f"Windows are over the event time of topic {scope.topic}, which is {time}.",
            scope.text,
            field.start,
            field.end,
        )
    duration = _positive(scope, durations[0])
    slide = _positive(scope, durations[1]) if len(durations) > 1 else duration
    start = duration_of(scope.text, durations[2]) if len(durations) > 2 else 0
    if abs(start) >= slide:
        raise LanguageError(
            "The start must be shorter than the slide.", scope.text, durations[2].start, durations[2].end
        )
    return TimeWindow(duration, slide, start)


def _positive(scope: Scope, node: Argument) -> int:
    duration = duration_of(scope.text, node)
    if duration <= 0:
        raise LanguageError("This duration must be greater than zero.", scope.text, node.start, node.end)
    return duration


def duration_of(text: str, node: Argument) -> int:
    """Return the microseconds of a text literal; errors point at the part of the whole text."""
    if not isinstance(node, Literal) or node.kind is not LiteralKind.TEXT:
        raise LanguageError("A duration in quotes is expected here, such as '10 seconds'.", text, node.start, node.end)
    value = str(node.value)
    try:
        duration = parse_duration(value)
        if abs(duration) > LONGEST:
            raise LanguageError("This duration is too long: use at most 36525 days, 100 years.", value, 0, len(value))
        return duration
    except LanguageError as error:
        if text[node.start + 1 : node.end - 1] != value or not value:  # with escapes, the offsets differ
            raise LanguageError(error.message, text, node.start, node.end) from None
        inside = node.start + 1
        raise LanguageError(error.message, text, inside + error.start, inside + error.end) from None


def _count_window(scope: Scope, call: Call) -> CountWindow:
    if not 1 <= len(call.arguments) <= 2 or call.distinct:
        raise LanguageError(
            "count_window takes a number of publications and an optional shift: count_window(100, 10).",
            scope.text,
            call.start,
            call.end,
        )
    numbers = [_count(scope, argument) for argument in call.arguments]
    return CountWindow(numbers[0], numbers[-1])


def _count(scope: Scope, node: Argument) -> int:
    if isinstance(node, Literal) and type(node.value) is int and 1 <= node.value < 1 << 63:
        return node.value
    raise LanguageError("A whole number, 1 or more, is expected here.", scope.text, node.start, node.end)
