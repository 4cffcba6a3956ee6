"""Reads the settings at start: `<home>/moltbot.json`, and what worked last time beside it.

The person's file is never written. After each reading, the sections that are good are kept in
`config.lastgood.json` as they were written (variables not filled in, so no secret lands there);
a section that is broken later is taken from it, and the person is told what to correct.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.json5_text import UnusableText, parse_settings
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.config.sections import (
    CheckedPart,
    Mistake,
    UnsetVariable,
    check_part,
    part_from_record,
)
from moltbot_desktop.config.settings import (
    Config,
    ModelsConfig,
    RemindersConfig,
    UiConfig,
    json_schema,
    parts,
)
from moltbot_desktop.config.strangers import UnknownKey, unknown_keys, unused_keys
from moltbot_desktop.config.texts import PHRASES
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.storage.files import write_atomic

__all__ = [
    "AgentConfig",
    "Config",
    "ConfigProblem",
    "LoadedConfig",
    "MemoryConfig",
    "ModelsConfig",
    "RemindersConfig",
    "UiConfig",
    "json_schema",
    "load_config",
]

CONFIG_NAME = "moltbot.json"
LAST_GOOD_NAME = "config.lastgood.json"
_RECORD_VERSION = 1
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


@dataclass(frozen=True)
class LoadedConfig:
    """The settings that hold, and what is wrong with the file.

    Attributes:
        unused: keys of the reference that are kept and do nothing in this version.
    """

    config: Config
    warnings: tuple[ConfigProblem, ...] = ()
    unused: tuple[str, ...] = ()


Record = Mapping[str, JsonObject]
"""Section attribute -> its settings as they were written when they last worked."""


def load_config(
    home: Path,
    *,
    environment: Mapping[str, str] | None = None,
    language: Language = Language.ENGLISH,
) -> LoadedConfig:
    """Read the settings of the state folder `home`. Never raises for what is in the files.

    A missing file means the defaults. `environment` is for ``${NAME}``, the process's by default;
    `language` is that of the problems' texts.
    """
    reader = _Reader(home, os.environ if environment is None else environment, language)
    return reader.load()


@dataclass(frozen=True)
class _Reader:
    home: Path
    environment: Mapping[str, str]
    language: Language

    @property
    def path(self) -> Path:
        return self.home / CONFIG_NAME

    def load(self) -> LoadedConfig:
        try:
            raw = parse_settings(self.path.read_bytes())
        except FileNotFoundError:
            return LoadedConfig(Config())
        except OSError as error:
            reason = error.strerror or type(error).__name__
            return self._whole_fallback(self._say("unreadable", file=self.path, reason=reason))
        except UnusableText as error:
            return self._unparsable(error)
        return self._checked(raw)

    def _checked(self, raw: JsonObject) -> LoadedConfig:
        record = self._read_record()
        checked = {name: check_part(name, raw, self.environment) for name in parts()}
        values = {name: self._value(name, one, record) for name, one in checked.items()}
        problems = self._mistakes(checked.values())
        problems += [self._unknown(key) for key in unknown_keys(raw)]
        good = {name: one.written for name, one in checked.items() if not one.mistakes}
        problems += self._keep_record(record, {**record, **good})
        config = Config().with_parts(values, raw)
        return LoadedConfig(config, tuple(problems), unused_keys(raw))

    def _value(self, name: str, checked: CheckedPart, record: Record) -> object:
        if not checked.mistakes:
            return checked.value
        return part_from_record(name, record.get(name, {}), self.environment)

    # ------------------------------------------------------------------------- fallback

    def _whole_fallback(self, message: str, line: int = 0) -> LoadedConfig:
        record = self._read_record()
        values = {
            name: part_from_record(name, record.get(name, {}), self.environment) for name in parts()
        }
        hint = self._say("fallback_at", line=line) if line else self._say("fallback")
        problem = ConfigProblem("", message, hint, serious=True)
        return LoadedConfig(Config().with_parts(values, {}), (problem,))

    def _unparsable(self, error: UnusableText) -> LoadedConfig:
        reason = self._say(error.phrase, **error.slots)
        phrase = "unparsable_at" if error.line else "unparsable"
        message = self._say(
            phrase, file=self.path, reason=reason, line=error.line, column=error.column
        )
        return self._whole_fallback(message, error.line)

    def _read_record(self) -> Record:
        """The last good sections; an unusable record counts as none, it is only a spare."""
        try:
            value: JsonValue = json.loads((self.home / LAST_GOOD_NAME).read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(value, dict) or value.get("version") != _RECORD_VERSION:
            return {}
        kept = value.get("sections")
        if not isinstance(kept, dict):
            return {}
        return {name: one for name, one in kept.items() if isinstance(one, dict)}

    def _keep_record(self, old: Record, new: Record) -> list[ConfigProblem]:
        if new == old:
            return []
        data = json.dumps({"version": _RECORD_VERSION, "sections": new}, indent=2).encode()
        try:
            write_atomic(self.home / LAST_GOOD_NAME, data + b"\n")
        except StorageError as error:
            message = self._say("not_kept", reason=error.message)
            return [ConfigProblem("", message, error.hint, serious=False)]
        return []

    # ------------------------------------------------------------------------- words

    def _say(self, key: str, **values: object) -> str:
        return PHRASES.say(key, self.language, **values)

    def _mistakes(self, checked: Iterable[CheckedPart]) -> list[ConfigProblem]:
        """One problem per mistake; a wrong group is a mistake of every section inside it."""
        problems = (self._mistake(mistake) for one in checked for mistake in one.mistakes)
        return list(dict.fromkeys(problems))

    def _mistake(self, mistake: Mistake) -> ConfigProblem:
        if isinstance(mistake, UnsetVariable):
            message = self._say("variable", path=mistake.path, name=mistake.name)
            hint = self._say("variable_hint", name=mistake.name, file=self.path)
        else:
            expected = self._say(mistake.expected, **mistake.slots)
            found = self._found(mistake.found)
            message = self._say("wrong", path=mistake.path, expected=expected, found=found)
            hint = self._say("wrong_hint", file=self.path)
        return ConfigProblem(mistake.path, message, hint, serious=True)

    def _unknown(self, key: UnknownKey) -> ConfigProblem:
        phrase = "unknown_near" if key.near else "unknown"
        message = self._say(phrase, path=key.path, near=key.near)
        return ConfigProblem(key.path, message, self._say("unknown_hint", file=self.path), False)

    def _found(self, value: JsonValue) -> str:
        """A wrong value in a few words."""
        if value is None:
            return self._say("value_null")
        if isinstance(value, Mapping):
            return self._say("value_group")
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            cut = value[:_LONGEST_FOUND] + "…" if len(value) > _LONGEST_FOUND else value
            return repr(cut)
        if isinstance(value, int | float):
            return _short_number(value)
        return self._say("value_list")


def _short_number(value: int | float) -> str:
    try:
        return str(value) if abs(value) < 1e15 else f"{float(value):g}"
    except OverflowError:
        return "1e309"
