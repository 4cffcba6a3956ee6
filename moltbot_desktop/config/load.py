"""Reads the settings at start: `<home>/moltbot.json`, and what worked last time beside it.

Reading never writes the person's file. After each reading, the parts that are good are kept in
`config.lastgood.json` as they were written (variables not filled in, so no secret lands there);
a part that is broken later is taken from it, and the person is told what to correct.

The way: text, `$include`, older names (`legacy`), `env`, then each part of `Config` by itself
with its variables filled in.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.environment import environment_mistakes, environment_with
from moltbot_desktop.config.includes import NotIncluded, WholeSettings, with_includes
from moltbot_desktop.config.json5_text import UnusableText, parse_settings, parse_value
from moltbot_desktop.config.legacy import Moved, migrated
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.config.problems import ConfigProblem, Wording
from moltbot_desktop.config.repeated import repeated_keys
from moltbot_desktop.config.sections import (
    Mistake,
    check_part,
    mistakes_between,
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
from moltbot_desktop.config.strangers import unknown_keys, unused_keys
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
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


@dataclass(frozen=True)
class LoadedConfig:
    """The settings that hold, and what is wrong with the file.

    Attributes:
        unused: keys of the reference that are kept and do nothing in this version.
        environment: of the process, with what `env` in the file adds.
        files: all that were read, or would have been if they were there; the first is
            moltbot.json itself.
        moved: settings that stand under an older name; `config migrate` writes them anew.
    """

    config: Config
    warnings: tuple[ConfigProblem, ...] = ()
    unused: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    files: tuple[Path, ...] = ()
    moved: tuple[Moved, ...] = ()


Record = Mapping[str, JsonObject]
"""Attribute of `Config` -> its settings as they were written when they last worked."""


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
    environment = os.environ if environment is None else environment
    return _Reader(home, environment, Wording(home / CONFIG_NAME, language)).load()


def read_file(path: Path) -> JsonValue:
    """What a file of settings says.

    Raises:
        OSError, UnusableText: it cannot be read.
    """
    return parse_value(read_plain(path, MOST_STATE))


# ----------------------------------------------------------------------------- judging, pure


@dataclass(frozen=True)
class Judged:
    """What holds of a file, and its mistakes.

    Attributes:
        values: by attribute of `Config`.
        good: the parts without any mistake, as they were written.
    """

    values: Mapping[str, object]
    good: Record
    mistakes: tuple[Mistake, ...]

    def config(self, raw: JsonObject) -> Config:
        return Config().with_parts(self.values, raw)


def judged(
    raw: JsonObject,
    environment: Mapping[str, str],
    record: Record,
    missing: Iterable[NotIncluded] = (),
) -> Judged:
    """Check each part of `raw`; one with a mistake, or that could not be read as a whole, is
    completed from the `record` of what last worked."""
    checked = {name: check_part(name, raw, environment) for name in parts()}
    torn = {name for name in parts() for one in missing if _touches(name, one.path)}
    values: dict[str, object] = {}
    good: dict[str, JsonObject] = {}
    for name, part in checked.items():
        kept = record.get(name, {})
        if part.mistakes:
            values[name] = part_from_record(name, kept, environment)
        elif name in torn:
            values[name] = part_from_record(name, {**kept, **part.written}, environment)
        else:
            values[name], good[name] = part.value, part.written
    mistakes = [one for part in checked.values() for one in part.mistakes]
    mistakes += mistakes_between(Config().with_parts(values, raw))
    mistakes += environment_mistakes(raw)
    return Judged(values, good, tuple(mistakes))


def _touches(attribute: str, missing: str) -> bool:
    """Whether what is missing at a path may belong to a part of `Config`."""
    part = parts()[attribute]
    own = part.path or part.settings[0].path
    inside, around = f"{own}.", f"{missing}."
    return not missing or around.startswith(inside) or inside.startswith(around)


# ----------------------------------------------------------------------------- the files


@dataclass(frozen=True)
class _Reader:
    home: Path
    process: Mapping[str, str]
    words: Wording

    def load(self) -> LoadedConfig:
        path = self.words.file
        try:
            data = read_plain(path, MOST_STATE)
            raw = parse_settings(data)
        except FileNotFoundError:
            return LoadedConfig(Config(), environment=self.process, files=(path,))
        except OSError as error:
            return self._whole_fallback(self.words.unreadable(error))
        except UnusableText as error:
            return self._whole_fallback(self.words.unparsable(error))
        return self._judged(with_includes(raw, path, read_file), data.decode("utf-8-sig"))

    def _judged(self, whole: WholeSettings, text: str) -> LoadedConfig:
        today = migrated(whole.raw)
        environment = environment_with(today.raw, self.process)
        record = self._read_record()
        found = judged(today.raw, environment, record, whole.missing)
        problems = [
            *map(self.words.not_included, whole.missing),
            *dict.fromkeys(map(self.words.mistake, found.mistakes)),
            *map(self.words.unknown, unknown_keys(today.raw)),
            *map(self.words.repeated, repeated_keys(text)),
            *self.words.moved(today.moved),
            *self._keep_record(record, {**record, **found.good}),
        ]
        return LoadedConfig(
            found.config(today.raw),
            tuple(problems),
            unused_keys(today.raw),
            environment,
            (self.words.file, *whole.files),
            today.moved,
        )

    def _whole_fallback(self, problem: ConfigProblem) -> LoadedConfig:
        record = self._read_record()
        values = {
            name: part_from_record(name, record.get(name, {}), self.process) for name in parts()
        }
        return LoadedConfig(
            Config().with_parts(values, {}),
            (problem,),
            environment=self.process,
            files=(self.words.file,),
        )

    def _read_record(self) -> Record:
        """The last good parts; an unusable record counts as none, it is only a spare."""
        try:
            value: JsonValue = json.loads(read_plain(self.home / LAST_GOOD_NAME, MOST_STATE))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(value, dict) or value.get("version") != _RECORD_VERSION:
            return {}
        kept = value.get("sections")
        if not isinstance(kept, dict):
            return {}
        return {name: one for name, one in kept.items() if isinstance(one, dict)}

    def _keep_record(self, old: Record, new: Record) -> Iterator[ConfigProblem]:
        if new == old:
            return
        data = json.dumps({"version": _RECORD_VERSION, "sections": new}, indent=2).encode()
        try:
            write_atomic(self.home / LAST_GOOD_NAME, data + b"\n")
        except StorageError as error:
            yield self.words.not_kept(error.message, error.hint)
