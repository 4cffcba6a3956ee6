"""One SKILL.md: the block between the first two ``---`` lines, and the instructions after it.

What a skill says about itself is untrusted text: it is bounded, its white space is folded, and
keys this version does not know are kept and do nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.core.errors import SkillInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.skills.safe_yaml import parse_front_matter
from moltbot_desktop.skills.texts import PHRASES, SkillTrouble

MAX_FILE_BYTES = 1_000_000
MAX_FRONT_MATTER_BYTES = 64_000
MAX_NAME = 64
MAX_DESCRIPTION = 1_024
_METADATA_KEYS = ("moltbot", "clawdbot", "openclaw")
_OWN_KEYS = ("name", "description", "metadata")


@dataclass(frozen=True)
class SkillText:
    """A parsed SKILL.md.

    Attributes:
        description: one line, at most `MAX_DESCRIPTION` characters.
        metadata: the value under `metadata`, as it is written: a map (of texts, lists, maps), a
            text (JSON5 in quotes), or "" when there is none.
        other: the remaining keys.
        instructions: what follows the front matter.
        content_hash: SHA-256 of the whole file; trust and change detection go by it.
    """

    name: str
    description: str
    metadata: JsonValue
    other: JsonObject
    instructions: str
    content_hash: str

    @property
    def own_metadata(self) -> JsonObject:
        """The program's part of a metadata map, under whichever of its names it stands."""
        if isinstance(self.metadata, Mapping):
            for key in _METADATA_KEYS:
                value = self.metadata.get(key)
                if isinstance(value, Mapping):
                    return value
        return {}

    @property
    def offered_to_model(self) -> bool:
        """False for skills that only a person may start (``disable-model-invocation: true``)."""
        names = ("disable-model-invocation", "disable_model_invocation")
        values = (self.other.get(name, "") for name in names)
        return not any(isinstance(one, str) and one.strip().lower() == "true" for one in values)


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
    values = parse_front_matter(front_matter)
    return SkillText(
        _name(values),
        _description(values),
        values.get("metadata", ""),
        {name: value for name, value in values.items() if name not in _OWN_KEYS},
        instructions.strip(),
        hashlib.sha256(data).hexdigest(),
    )


def _split(text: str) -> tuple[str, str]:
    """Front matter and the rest. The front matter keeps its first ``---`` as an empty line, so
    that line numbers in messages are those of the file."""
    lines = text.replace("\r\n", "\n").split("\n")
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
