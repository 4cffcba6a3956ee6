"""Front matter as plain values: the part of YAML that cannot surprise. Touches PyYAML.

Every scalar stays the text it is written as: YAML's own guesses (`no` is false, `1_0` is ten,
`2026-01-01` is a date) have no use here. Aliases, anchors, tags and merge keys are refused, which
leaves no way to build objects or to blow up a small file; depth and size are bounded.

One kindness: files in the wild have ``description: Use when: …``, which YAML refuses and the
reference's line parser accepts. Such lines are tried again in quotes.
"""

from __future__ import annotations

import re

import yaml

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.skills.texts import SkillTrouble

MAX_DEPTH = 8
_PLAIN_WITH_COLON = re.compile(r"""^([A-Za-z][\w-]*):[ \t]+([^"'\[{|>&*!#%@`\s].*:.*)$""")


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
    match = _PLAIN_WITH_COLON.match(line.rstrip())
    if match is None:
        return line
    escaped = match.group(2).replace("'", "''")
    return f"{match.group(1)}: '{escaped}'"


def _trouble(error: yaml.YAMLError) -> SkillTrouble:
    """Only the place: the library's message quotes the file, which may be anybody's."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        return SkillTrouble("yaml_no_place")
    return SkillTrouble("yaml", line=mark.line + 1, column=mark.column + 1)
