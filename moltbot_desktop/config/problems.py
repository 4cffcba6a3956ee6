"""What is wrong with the settings, in words for a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.includes import NotIncluded
from moltbot_desktop.config.json5_text import UnusableText
from moltbot_desktop.config.legacy import Moved
from moltbot_desktop.config.repeated import Repeated
from moltbot_desktop.config.sections import Mistake, UnsetVariable
from moltbot_desktop.config.strangers import UnknownKey
from moltbot_desktop.config.texts import PHRASES
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue

_LONGEST_FOUND = 40


@dataclass(frozen=True)
class ConfigProblem:
    """Something to tell the person about their settings.

    Attributes:
        path: dotted, "" for the file as a whole.
        hint: what to do about it.
        serious: a setting of theirs does not hold, not merely an unknown key.
    """

    path: str
    message: str
    hint: str
    serious: bool


def not_yet_told(
    found: Iterable[ConfigProblem], told: Iterable[ConfigProblem]
) -> tuple[ConfigProblem, ...]:
    """Those of `found` about other places than `told`: several readers see one wrong part."""
    places = {one.path for one in told}
    return tuple(one for one in found if one.path not in places)


@dataclass(frozen=True)
class Wording:
    """Puts problems of the settings in `file` into words."""

    file: Path
    language: Language

    def say(self, key: str, **values: object) -> str:
        return PHRASES.say(key, self.language, **values)

    def mistake(self, mistake: Mistake) -> ConfigProblem:
        if isinstance(mistake, UnsetVariable):
            message = self.say("variable", path=mistake.path, name=mistake.name)
            hint = self.say("variable_hint", name=mistake.name, file=self.file)
        else:
            expected = self.say(mistake.expected, **mistake.slots)
            found = self._found(mistake.found)
            message = self.say("wrong", path=mistake.path, expected=expected, found=found)
            if mistake.expected == "missing":
                message = self.say("is_missing", path=mistake.path)
            own = f"{mistake.expected}_hint"
            hint = self.say(own if own in PHRASES.english else "wrong_hint", file=self.file)
        return ConfigProblem(mistake.path, message, hint, serious=True)

    def unknown(self, key: UnknownKey) -> ConfigProblem:
        phrase = "unknown_near" if key.near else "unknown"
        message = self.say(phrase, path=key.path, near=key.near)
        return ConfigProblem(key.path, message, self.say("unknown_hint", file=self.file), False)

    def repeated(self, key: Repeated) -> ConfigProblem:
        message = self.say("repeated", path=key.path)
        lines = ", ".join(map(str, key.lines))
        hint = self.say("repeated_hint", lines=lines, file=self.file)
        return ConfigProblem(key.path, message, hint, serious=True)

    def moved(self, moved: Iterable[Moved]) -> list[ConfigProblem]:
        """All older names as one problem, which is none as long as they are understood."""
        first = tuple(moved)
        if not first:
            return []
        names = ", ".join(f"{one.old} → {one.new}" for one in first)
        message = self.say("older_names", names=names)
        return [ConfigProblem(first[0].old, message, self.say("older_names_hint"), serious=False)]

    def kept(self, unused: tuple[str, ...]) -> list[ConfigProblem]:
        """What the reference has and this version keeps without using it."""
        if not unused:
            return []
        message = self.say("kept", paths=", ".join(unused))
        return [ConfigProblem(unused[0], message, self.say("kept_hint"), serious=False)]

    def not_included(self, missing: NotIncluded) -> ConfigProblem:
        slots = dict(missing.slots)
        if missing.phrase == "include_unparsable":
            inner = slots["slots"]
            reason = self.say(str(slots["reason"]), **(inner if isinstance(inner, Mapping) else {}))
            slots = {**slots, "reason": reason}
        message = self.say(missing.phrase, **slots)
        if missing.path:
            message = self.say("at", path=missing.path, message=message)
        hint = self.say("include_hint", file=missing.file)
        return ConfigProblem(missing.path, message, hint, serious=True)

    def unreadable(self, error: OSError) -> ConfigProblem:
        reason = error.strerror or type(error).__name__
        message = self.say("unreadable", file=self.file, reason=reason)
        return ConfigProblem("", message, self.say("fallback"), serious=True)

    def unparsable(self, error: UnusableText) -> ConfigProblem:
        reason = self.say(error.phrase, **error.slots)
        phrase = "unparsable_at" if error.line else "unparsable"
        message = self.say(
            phrase, file=self.file, reason=reason, line=error.line, column=error.column
        )
        hint = self.say("fallback_at", line=error.line) if error.line else self.say("fallback")
        return ConfigProblem("", message, hint, serious=True)

    def not_kept(self, reason: str, hint: str) -> ConfigProblem:
        message = self.say("not_kept", reason=reason)
        return ConfigProblem("", message, hint, serious=False)

    def _found(self, value: JsonValue) -> str:
        """A wrong value in a few words."""
        if value is None:
            return self.say("value_null")
        if isinstance(value, Mapping):
            return self.say("value_group")
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            cut = value[:_LONGEST_FOUND] + "…" if len(value) > _LONGEST_FOUND else value
            return repr(cut)
        if isinstance(value, int | float):
            return _short_number(value)
        return self.say("value_list")


def _short_number(value: int | float) -> str:
    try:
        return str(value) if abs(value) < 1e15 else f"{float(value):g}"
    except OverflowError:
        return "1e309"
