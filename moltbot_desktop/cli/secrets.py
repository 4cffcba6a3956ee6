"""`moltbot-desktop secrets`: keys for models at other addresses.

A value is typed without being shown, or comes from a pipe; it is never an argument, because
arguments end up in the shell's history and in the list of processes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases

_LONGEST_KEY = 100_000
_PHRASES = Phrases(
    english={
        "prompt": "Value of {name} (not shown): ",
        "kept": 'Kept. To use it, write "keyring:{name}" into moltbot.json.',
        "removed": "Removed {name}.",
        "not_there": "There is no secret named {name}.",
        "none": "No secrets yet. Add one with: moltbot-desktop secrets set NAME",
        "no_value": "No value was given; nothing was changed.",
        "no_value_hint": "Type it at the prompt, or pipe it in.",
    },
    chinese={
        "prompt": "{name} 的值（不会显示）：",
        "kept": '已保存。要使用它，请在 moltbot.json 中写 "keyring:{name}"。',
        "removed": "已删除 {name}。",
        "not_there": "没有名为 {name} 的密钥。",
        "none": "还没有密钥。添加：moltbot-desktop secrets set 名称",
        "no_value": "没有输入值；什么都没有改变。",
        "no_value_hint": "请在提示后输入，或通过管道传入。",
    },
)


class Secrets(Protocol):
    """The store, as far as this command uses it (`security.secrets.SecretStore`)."""

    def set(self, name: str, value: str) -> None: ...

    def remove(self, name: str) -> bool: ...

    def names(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Streams:
    """Where a value comes from and words go to.

    Attributes:
        ask: reads a line from the terminal without showing it (`getpass.getpass`).
    """

    input: TextIO
    output: TextIO
    ask: Callable[[str], str]


def run_secrets(
    secrets: Secrets, arguments: Arguments, streams: Streams, language: Language
) -> int:
    """Carry out `secrets set|list|remove`; returns the exit code, 1 when there was nothing to
    remove.

    Raises:
        UserInputInvalid: no value, or a name or value that cannot be one.
        SecretsUnavailable, StorageError: the store does not work.
    """

    def tell(key: str) -> None:
        streams.output.write(_PHRASES.say(key, language, name=arguments.name) + "\n")

    match arguments.action:
        case "set":
            secrets.set(arguments.name, _value(arguments.name, streams, language))
            tell("kept")
        case "remove":
            known = secrets.remove(arguments.name)
            tell("removed" if known else "not_there")
            return 0 if known else 1
        case _:
            _list(secrets.names(), arguments.json, streams.output, tell)
    return 0


def _value(name: str, streams: Streams, language: Language) -> str:
    if streams.input.isatty():
        try:
            value = streams.ask(_PHRASES.say("prompt", language, name=name))
        except (EOFError, KeyboardInterrupt):
            value = ""
    else:
        value = streams.input.readline(_LONGEST_KEY)
    value = value.strip()
    if not value:
        raise UserInputInvalid(
            _PHRASES.say("no_value", language), hint=_PHRASES.say("no_value_hint", language)
        )
    return value


def _list(names: Sequence[str], as_json: bool, output: TextIO, tell: Callable[[str], None]) -> None:
    if as_json:
        output.write(json.dumps(list(names), ensure_ascii=False) + "\n")
    elif names:
        output.writelines(f"{name}\n" for name in names)
    else:
        tell("none")
