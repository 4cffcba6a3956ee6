"""One SKILL.md: the block between the first two ``---`` lines, and the instructions after it.

What a skill says about itself is untrusted text: it is bounded, its white space is folded, and
keys this version does not know are kept and do nothing.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moltbot_desktop.config.json5_text import UnusableText, parse_value
from moltbot_desktop.core.errors import SkillInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.skills.metadata import (
    Invocation,
    SkillMetadata,
    own_part,
    read_invocation,
    read_metadata,
)
from moltbot_desktop.skills.texts import PHRASES, SkillTrouble

if TYPE_CHECKING:
    from moltbot_desktop.skills import safe_yaml
else:
    safe_yaml = LateModule("moltbot_desktop.skills.safe_yaml")

MAX_FILE_BYTES = 1_000_000
MAX_FRONT_MATTER_BYTES = 24_000  # YAML takes 8 ms for each thousand that somebody wrote on purpose
MAX_NAME = 64
MAX_DESCRIPTION = 1_024
MAX_JSON5 = 8_000
"""Characters of metadata in JSON5: its parser is slow, and the text is anybody's."""
_JSON5_LINES = re.compile(
    r"^metadata:[ \t]*(\{.*\}[ \t]*$|\n[ \t]+\{.*(?:\n(?:[ \t].*)?)*)", re.MULTILINE
)
_OWN_KEYS = ("name", "description", "metadata")


@dataclass(frozen=True)
class SkillText:
    """A parsed SKILL.md.

    Attributes:
        description: one line, at most `MAX_DESCRIPTION` characters.
        metadata: the value under `metadata`: a map, or "" when there is none.
        other: the remaining keys.
        instructions: what follows the front matter.
        content_hash: SHA-256 of the whole file.
    """

    name: str
    description: str
    metadata: JsonValue
    other: JsonObject
    instructions: str
    content_hash: str

    @property
    def own_metadata(self) -> JsonObject:
        """The program's part of the metadata, as it is written."""
        return own_part(self.metadata)

    @property
    def said(self) -> SkillMetadata:
        """The program's part of the metadata, understood."""
        return read_metadata(self.metadata, homepage=_one_line(self.other.get("homepage", "")))

    @property
    def invocation(self) -> Invocation:
        return read_invocation(self.other)


def parse_skill(data: bytes, *, language: Language = Language.ENGLISH) -> SkillText:
    """The skill in the bytes of a SKILL.md.

    Raises:
        SkillInvalid: it cannot be used; the message says why in `language`.
    """
    try:
        return _parsed(data)
    except SkillTrouble as trouble:
        raise as_skill_invalid(trouble, language) from trouble


def as_skill_invalid(trouble: SkillTrouble, language: Language) -> SkillInvalid:
    reason = PHRASES.say(trouble.phrase, language, **trouble.slots)
    advice = PHRASES.say(f"{trouble.phrase}_do", language, **trouble.slots)
    return SkillInvalid(reason, hint=advice)


def _parsed(data: bytes) -> SkillText:
    if len(data) > MAX_FILE_BYTES:
        raise SkillTrouble("too_large", kilobytes=MAX_FILE_BYTES // 1000)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SkillTrouble("not_utf8") from error
    front_matter, instructions = _split(text)
    front_matter, metadata = _without_json5(front_matter)
    values = safe_yaml.parse_front_matter(front_matter)
    if metadata is None:
        metadata = values.get("metadata", "")
    if isinstance(metadata, str) and (written := _json5(metadata)) is not None:
        metadata = written
    return SkillText(
        _name(values),
        _description(values),
        metadata,
        {name: value for name, value in values.items() if name not in _OWN_KEYS},
        instructions.strip(),
        hashlib.sha256(data).hexdigest(),
    )


def _without_json5(front_matter: str) -> tuple[str, JsonValue | None]:
    """Metadata in braces, on one line or on indented ones below, is JSON5, as in the reference;
    YAML would read most of it, yet not all (``{moltbot:{always:true}}``, a comment), and lose which
    value is a number. It is taken out, its lines stay. None when there is none, or when only YAML
    can say what it is."""
    match = _JSON5_LINES.search(front_matter)
    value = _json5(match[1].strip()) if match is not None else None
    if match is None or value is None:
        return front_matter, None
    lines = "\n" * match[0].count("\n")
    return f"{front_matter[: match.start()]}{lines}{front_matter[match.end() :]}", value


def _json5(text: str) -> JsonObject | None:
    if len(text) > MAX_JSON5 or not text.lstrip().startswith("{"):
        return None
    try:
        value = parse_value(text.encode("utf-8", "replace"))
    except UnusableText:
        return None
    return value if isinstance(value, dict) else None


def _split(text: str) -> tuple[str, str]:
    """Front matter and the rest. The front matter keeps its first ``---`` as an empty line, so
    that line numbers in messages are those of the file."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip() != "---":
        raise SkillTrouble("no_front_matter")
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() == "---"), None)
    if end is None:
        raise SkillTrouble("no_front_matter")
    front_matter = "\n".join(["", *lines[1:end]])
    if len(front_matter.encode()) > MAX_FRONT_MATTER_BYTES:
        raise SkillTrouble("front_matter_too_large", kilobytes=MAX_FRONT_MATTER_BYTES // 1000)
    return front_matter, "\n".join(lines[end + 1 :])


def _one_line(value: JsonValue) -> str:
    """A text without line breaks and control characters; "" for a list or a map."""
    if not isinstance(value, str):
        return ""
    visible = "".join(one if one.isprintable() else " " for one in value)
    return " ".join(visible.split())


def _name(values: JsonObject) -> str:
    name = _one_line(values.get("name", ""))
    if not name or len(name) > MAX_NAME:
        raise SkillTrouble("no_name", longest=MAX_NAME)
    return name


def _description(values: JsonObject) -> str:
    description = _one_line(values.get("description", ""))
    if not description:
        raise SkillTrouble("no_description")
    if len(description) > MAX_DESCRIPTION:
        return description[: MAX_DESCRIPTION - 1] + "…"
    return description
