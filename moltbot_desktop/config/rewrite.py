"""Changes one setting in the text of a settings file and leaves the rest as the person wrote it.

    with_setting(text, ("ui", "theme"), "dark")      # the new text
    without_setting(text, ("ui", "theme"))

Comments, order and layout stay. What comes out is read again and compared with what it should
say; where the text is too unusual for that, it is written anew from the values, and comments
are lost (`Rewritten.kept` is false).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.config.json5_text import UnusableText, parse_settings
from moltbot_desktop.config.places import (
    Place,
    Step,
    WrongPlace,
    index_in,
    spelled,
    with_value,
    without,
)
from moltbot_desktop.config.spans import Member, Span, Unclear, spans
from moltbot_desktop.core.json import JsonObject, JsonValue

_INDENT = "  "
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_LINE_END = re.compile(r"[ \t]*(?://[^\n\r]*|/\*(?:(?!\*/)[^\n\r])*\*/[ \t]*)?(?=[\r\n]|$)")


@dataclass(frozen=True)
class Rewritten:
    """The text of a settings file after a change.

    Attributes:
        kept: comments and layout are as they were.
    """

    text: str
    kept: bool


def with_setting(text: str, place: Place, value: JsonValue) -> Rewritten:
    """`text` with `value` at `place`; groups and lists on the way are made.

    Raises:
        UnusableText: `text` is no settings file.
        WrongPlace: something on the way is neither group nor list.
    """
    wanted = with_value(parse_settings(text.encode()), place, value)
    try:
        changed = _set(text if text.strip() else "{}\n", place, value)
    except (Unclear, WrongPlace):
        changed = ""
    return _checked(changed, wanted)


def without_setting(text: str, place: Place) -> Rewritten:
    """`text` with nothing at `place`.

    Raises:
        UnusableText: `text` is no settings file.
        KeyError: nothing is there anyway.
    """
    wanted = without(parse_settings(text.encode()), place)
    try:
        changed = _unset(text, place)
    except (Unclear, WrongPlace):
        changed = ""
    return _checked(changed, wanted)


def _checked(changed: str, wanted: JsonValue) -> Rewritten:
    try:
        if changed and _same(parse_settings(changed.encode()), wanted):
            return Rewritten(changed, kept=True)
    except UnusableText:
        pass
    return Rewritten(json.dumps(wanted, indent=2, ensure_ascii=False) + "\n", kept=False)


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Compared as JSON, where 1 and true are not the same."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# ----------------------------------------------------------------------------- setting


def _set(text: str, place: Place, value: JsonValue) -> str:
    span, rest = spans(text), place
    while rest:
        member = _member_at(span, rest[0])
        if member is None:
            return _added(text, span, rest, value)
        span, rest = member.value, rest[1:]
    lead = _lead(text, span.start)
    written = _written(value, lead, quoted=_quotes(spans(text)))
    return text[: span.start] + written + text[span.end :]


def _member_at(span: Span, step: Step) -> Member | None:
    if span.opening == "[":
        index = index_in(len(span.members), step)
        return span.members[index] if index < len(span.members) else None
    if span.opening != "{":
        raise WrongPlace(step)
    names: JsonObject = dict.fromkeys(one.key for one in span.members)
    return span.member(spelled(names, step))


def _added(text: str, span: Span, place: Place, value: JsonValue) -> str:
    """`text` with one more member in the group or list `span`."""
    for step in reversed(place[1:]):
        value = [value] if isinstance(step, int) else {step: value}
    in_lines = "\n" in text[span.start : span.end] or not span.members
    lead = _lead(text, span.start) + (_INDENT if in_lines else "")
    if in_lines and span.members and "\n" in text[span.start : span.members[0].start]:
        lead = _lead(text, span.members[0].start)
    quoted = _quotes(spans(text))
    key = "" if span.opening == "[" else f"{_key(str(place[0]), quoted=quoted)}: "
    new = key + _written(value, lead, quoted=quoted, flat=not in_lines)
    if not span.members:
        inside = text[span.start + 1 : span.end - 1].rstrip()
        between = f"\n{lead}{new}\n{_lead(text, span.start)}"
        return text[: span.start + 1] + inside + between + text[span.end - 1 :]
    last = span.members[-1]
    if not in_lines:
        between = " " if last.comma >= 0 else ", "
        return text[: last.end] + between + new + text[last.end :]
    match = _LINE_END.match(text, last.end)
    at = match.end() if match else last.end
    comma = "," if last.comma < 0 else ""
    trailing = "" if last.comma < 0 else ","
    tail = text[at:] if match else f"\n{_lead(text, span.start)}{text[at:].lstrip()}"
    return (
        f"{text[: last.value.end]}{comma}{text[last.value.end : at]}\n{lead}{new}{trailing}{tail}"
    )


def _lead(text: str, position: int) -> str:
    """The blanks at the beginning of the line of `position`."""
    line = text[text.rfind("\n", 0, position) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _quotes(root: Span) -> bool:
    """Whether names are written in quotes in this file; strict JSON stays strict JSON."""
    return not any(not one.quoted for one in root.members)


def _key(name: str, *, quoted: bool) -> str:
    if not quoted and _NAME.fullmatch(name):
        return name
    return json.dumps(name, ensure_ascii=False)


def _written(value: JsonValue, lead: str, *, quoted: bool, flat: bool = False) -> str:
    """`value` as it stands in a file, its first line without a lead; `flat` is all in one."""
    if flat:
        return _flat(value, quoted=quoted)
    if isinstance(value, Mapping):
        lines = [
            f"{_key(name, quoted=quoted)}: {_written(item, lead + _INDENT, quoted=quoted)}"
            for name, item in value.items()
        ]
        return _in_brackets("{}", lines, lead)
    if isinstance(value, Sequence) and not isinstance(value, str):
        simple = not any(isinstance(item, Mapping | list) for item in value)
        if simple:
            return json.dumps(value, ensure_ascii=False)
        lines = [_written(item, lead + _INDENT, quoted=quoted) for item in value]
        return _in_brackets("[]", lines, lead)
    return json.dumps(value, ensure_ascii=False)


def _flat(value: JsonValue, *, quoted: bool) -> str:
    if isinstance(value, Mapping) and value:
        inner = ", ".join(
            f"{_key(name, quoted=quoted)}: {_flat(item, quoted=quoted)}"
            for name, item in value.items()
        )
        return f"{{ {inner} }}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(_flat(item, quoted=quoted) for item in value)}]"
    return json.dumps(value, ensure_ascii=False)


def _in_brackets(brackets: str, lines: list[str], lead: str) -> str:
    if not lines:
        return brackets
    inner = f",\n{lead}{_INDENT}".join(lines)
    return f"{brackets[0]}\n{lead}{_INDENT}{inner}\n{lead}{brackets[1]}"


# ----------------------------------------------------------------------------- taking away


def _unset(text: str, place: Place) -> str:
    span = spans(text)
    for step in place[:-1]:
        inner = _member_at(span, step)
        if inner is None:
            raise Unclear
        span = inner.value
    member = _member_at(span, place[-1])
    if member is None or (span.opening == "{" and _count(span, member.key) > 1):
        raise Unclear
    start, end = member.start, member.end
    around = text[span.start + 1 : start] + text[end : span.end - 1]
    if not around.strip():
        return text[: span.start + 1] + text[span.end - 1 :]
    before = text[text.rfind("\n", 0, start) + 1 : start]
    rest = _LINE_END.match(text, end)
    if not before.strip() and rest is not None:  # it has its lines for itself
        start -= len(before)
        end = rest.end()
        start, end = (start, end + 1) if text[end : end + 1] == "\n" else (start, end)
    elif member.comma >= 0 and text[end : end + 1] == " ":
        end += 1
    cut = text[:start] + text[end:]
    position = span.members.index(member)
    if member.comma < 0 and position:
        comma = span.members[position - 1].comma
        cut = cut[:comma] + cut[comma + 1 :]
    return cut


def _count(span: Span, key: str) -> int:
    return sum(one.key == key for one in span.members)
