"""`moltbot-desktop config`: the settings file, read, changed and checked.

    config get                      config get agents.defaults.timeoutSeconds
    config set ui.theme dark        config set agents.list[0].name "Molty"
    config unset ui.theme           config validate        config migrate        config file
    config schema > ~/.moltbot/moltbot.schema.json

With `"$schema": "./moltbot.schema.json"` in the settings an editor completes and checks them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue

_PHRASES = Phrases(
    english={
        "default": "Not written in {file}; this is the default.",
        "set": "{place} is {value} now.",
        "unset": "{place} is taken away; its default holds.",
        "running": "A running Moltbot Desktop notices it, and says so where it takes a new start.",
        "anew": "The file was written anew without its comments; as it was it is in {file}.bak.",
        "in_order": "{file} is in order.",
        "no_file": "{file} does not exist; everything has its default.",
        "moved": "{old} is {new} now.",
        "moved_kept": "As it was the file is in {file}.bak.",
        "not_moved": "Nothing to do: {file} has the names of today.",
    },
    chinese={
        "default": "{file} 中没有写；这是默认值。",
        "set": "{place} 现在是 {value}。",
        "unset": "已去掉 {place}；现在使用默认值。",
        "running": "正在运行的 Moltbot Desktop 会注意到；需要重新启动的会在那里说明。",
        "anew": "文件已重新写过，注释没有保留；原来的内容在 {file}.bak 中。",
        "in_order": "{file} 没有问题。",
        "no_file": "{file} 不存在；全部使用默认值。",
        "moved": "{old} 现在是 {new}。",
        "moved_kept": "原来的文件在 {file}.bak 中。",
        "not_moved": "无需改动：{file} 用的已经是现在的名字。",
    },
)


class ShownSetting(Protocol):
    """A setting; `written` is false for a default."""

    @property
    def value(self) -> JsonValue: ...

    @property
    def written(self) -> bool: ...


class Written(Protocol):
    """What a change did to the file; `kept` is false when comments were lost."""

    @property
    def kept(self) -> bool: ...


class MovedSetting(Protocol):
    @property
    def old(self) -> str: ...

    @property
    def new(self) -> str: ...


class SettingProblem(Protocol):
    """`path` is "" for the file as a whole."""

    @property
    def path(self) -> str: ...

    @property
    def message(self) -> str: ...

    @property
    def hint(self) -> str: ...

    @property
    def serious(self) -> bool: ...


class SettingsBook(Protocol):
    """The settings file (`config.editing.SettingsFile`). All raise MoltbotError."""

    @property
    def path(self) -> Path: ...

    def shown(self, place: str = "") -> ShownSetting: ...

    def set(self, place: str, text: str) -> Written: ...

    def unset(self, place: str) -> Written: ...

    def migrate(self) -> Sequence[MovedSetting]: ...

    def problems(self) -> Sequence[SettingProblem]: ...


@dataclass(frozen=True)
class ConfigTools:
    """What the command works with.

    Attributes:
        schema: the JSON Schema of the file.
        of_plugins: what in it does not fit the plugins that are on.
    """

    book: SettingsBook
    schema: Callable[[], JsonObject]
    of_plugins: Callable[[], Sequence[SettingProblem]]


@dataclass(frozen=True)
class ConfigOutput:
    """Where answers go, and what is said beside them."""

    output: TextIO
    errors: TextIO
    language: Language
    json: bool

    def say(self, key: str, **slots: object) -> None:
        """A sentence; with `--json` the object says it all."""
        if not self.json:
            self.output.write(_PHRASES.say(key, self.language, **slots) + "\n")

    def aside(self, key: str, **slots: object) -> None:
        """A sentence that is not part of the answer."""
        self.errors.write(_PHRASES.say(key, self.language, **slots) + "\n")

    def print(self, value: JsonValue) -> None:
        self.output.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def run_config(tools: ConfigTools, arguments: Arguments, output: ConfigOutput) -> int:
    """Carry out `config get|set|unset|validate|schema|file|migrate`; the exit code, 1 when
    `validate` found a mistake.

    Raises:
        UserInputInvalid, ConfigInvalid: there is no such setting, or it does not fit.
        StorageError: the file cannot be used.
    """
    book = tools.book
    match arguments.action:
        case "get":
            return _get(book, arguments.name, output)
        case "set":
            return _set(book, arguments.name, arguments.text, output)
        case "unset":
            return _unset(book, arguments.name, output)
        case "validate":
            return _validate(tools, output)
        case "schema":
            output.print(tools.schema())
        case "file":
            output.output.write(f"{json.dumps(str(book.path)) if output.json else book.path}\n")
        case _:
            return _migrate(book, output)
    return 0


def _get(book: SettingsBook, place: str, output: ConfigOutput) -> int:
    found = book.shown(place)
    if output.json:
        output.print({"path": place, "value": found.value, "written": found.written})
        return 0
    if isinstance(found.value, str):
        output.output.write(found.value + "\n")
    else:
        output.print(found.value)
    if not found.written:
        output.aside("default", file=book.path)
    return 0


def _set(book: SettingsBook, place: str, text: str, output: ConfigOutput) -> int:
    written = book.set(place, text)
    value = book.shown(place).value
    if output.json:
        output.print({"path": place, "value": value, "commentsKept": written.kept})
        return 0
    output.say("set", place=place, value=json.dumps(value, ensure_ascii=False))
    _after(book, written, output)
    return 0


def _unset(book: SettingsBook, place: str, output: ConfigOutput) -> int:
    written = book.unset(place)
    if output.json:
        output.print({"path": place, "commentsKept": written.kept})
        return 0
    output.say("unset", place=place)
    _after(book, written, output)
    return 0


def _after(book: SettingsBook, written: Written, output: ConfigOutput) -> None:
    if not written.kept:
        output.say("anew", file=book.path)
    output.say("running")


def _validate(tools: ConfigTools, output: ConfigOutput) -> int:
    book = tools.book
    problems = [*book.problems(), *tools.of_plugins()]
    serious = any(problem.serious for problem in problems)
    if output.json:
        found: list[JsonValue] = [
            {
                "path": problem.path,
                "message": problem.message,
                "hint": problem.hint,
                "serious": problem.serious,
            }
            for problem in problems
        ]
        output.print({"valid": not serious, "problems": found})
        return int(serious)
    for problem in problems:
        output.output.write(f"{problem.message}\n    {problem.hint}\n")
    if not problems:
        output.say("in_order" if book.path.exists() else "no_file", file=book.path)
    return int(serious)


def _migrate(book: SettingsBook, output: ConfigOutput) -> int:
    moved = book.migrate()
    if output.json:
        output.print([{"old": one.old, "new": one.new} for one in moved])
        return 0
    for one in moved:
        output.say("moved", old=one.old, new=one.new)
    output.say("moved_kept" if moved else "not_moved", file=book.path)
    return 0
