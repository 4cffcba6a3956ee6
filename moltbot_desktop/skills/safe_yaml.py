"""Front matter as plain values: the part of YAML that cannot surprise. Touches PyYAML.

Every scalar stays the text it is written as: YAML's own guesses (`no` is false, `1_0` is ten,
`2026-01-01` is a date) have no use here. Aliases, anchors, tags and merge keys are refused, which
leaves no way to build objects or to blow up a small file; depth and size are bounded.

One kindness: files in the wild have ``description: Use when: …``, ``description: `gh` for issues``
or ``description: [beta] Keeps notes``, which YAML refuses and the reference's line parser accepts.
Lines that are not YAML on their own are tried again in quotes.
"""

from __future__ import annotations

import re

import yaml

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.skills.texts import SkillTrouble

MAX_DEPTH = 8
_LINE = re.compile(r"^([A-Za-z][\w-]*):[ \t]+(\S.*)$")
_GOES_ON = re.compile(r"""[|>&!#]|"[^"]*$|'[^']*$""")
"""Values that may go on in the next line, or that say something to YAML."""
_MOST_QUOTED = 2_000


class _PlainLoader(yaml.SafeLoader):
    """Composes nodes and refuses what is not plain; constructs nothing."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise SkillTrouble("forbidden", what="*alias", line=line)
        if getattr(event, "anchor", None) is not None:
            raise SkillTrouble("forbidden", what="&anchor", line=line)
        if getattr(event, "tag", None) is not None:
            raise SkillTrouble("forbidden", what="!tag", line=line)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise SkillTrouble("too_deep", depth=MAX_DEPTH)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def parse_front_matter(text: str) -> JsonObject:
    """The settings in `text`: names to texts, lists and maps of texts.

    Raises:
        SkillTrouble: it is not YAML of the allowed kind.
    """
    try:
        return _parsed(text)
    except yaml.YAMLError as error:
        quoted = "\n".join(map(_quoted, text.split("\n")))
        if quoted == text:
            raise _trouble(error) from error
    try:
        return _parsed(quoted)
    except yaml.YAMLError as error:
        raise _trouble(error) from error


def _parsed(text: str) -> JsonObject:
    loader = _PlainLoader(text)
    try:
        node = loader.get_single_node()
    finally:
        loader.dispose()
    value = _plain(node) if node is not None else {}
    if not isinstance(value, dict):
        raise SkillTrouble("not_a_mapping")
    return value


def _plain(node: yaml.Node) -> JsonValue:
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return {_name(key): _plain(value) for key, value in node.value}
    return str(node.value)


def _name(node: yaml.Node) -> str:
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.ScalarNode):
        raise SkillTrouble("forbidden", what="?", line=line)
    if node.value == "<<" and node.style is None:
        raise SkillTrouble("forbidden", what="<<", line=line)
    return str(node.value)


def _quoted(line: str) -> str:
    match = _LINE.match(line.rstrip()) if len(line) <= _MOST_QUOTED else None
    if match is None or not _is_whole(match[2]) or _is_yaml(line):
        return line
    text = match[2]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    escaped = text.replace("'", "''")
    return f"{match[1]}: '{escaped}'"


def _is_whole(value: str) -> bool:
    """Whether the value ends where its line does."""
    closed = all(value.count(one) == value.count(other) for one, other in ("[]", "{}"))
    return not _GOES_ON.match(value) and (closed or value[0] not in "[{")


def _is_yaml(line: str) -> bool:
    try:
        _parsed(line)
    except yaml.YAMLError:
        return False
    return True


def _trouble(error: yaml.YAMLError) -> SkillTrouble:
    """Only the place: the library's message quotes the file, which may be anybody's."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        return SkillTrouble("yaml_no_place")
    return SkillTrouble("yaml", line=mark.line + 1, column=mark.column + 1)
