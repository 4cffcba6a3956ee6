"""`moltbot-desktop channels list|login|logout`: which channels there are, and who we are there.

    $ moltbot-desktop channels login telegram
    Bot token: The token that @BotFather gave you for your bot. (not shown):
    Kept. Try it: moltbot-desktop channels test telegram

A key is typed without being shown, or comes line by line from a pipe in the order of the questions;
it is never an argument, because arguments end up in the shell's history and in the list of
processes.
"""

from __future__ import annotations

import json

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.secrets import Streams
from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.channel_setup import AskedField, ChannelStanding, KnownChannel, Setup

_PHRASES = Phrases(
    english={
        "none": "No plugin here brings a channel.",
        "on": "{name} ({label}): on; {accounts}",
        "off": "{name} ({label}): off; moltbot-desktop channels login {name} sets it up",
        "outside": "{name} ({label}): off; from outside, plugin {plugin}",
        "broken": "{name} ({label}): cannot be used: {reason}",
        "no_account": "not set up; moltbot-desktop channels login {name}",
        "hidden": " (not shown)",
        "keep": " (empty: as it is)",
        "leave": " (empty: none)",
        "kept": "Kept. Try it: moltbot-desktop channels test {name}",
        "gone": "Forgotten: {fields}. The account is switched off.",
        "no_keys": "No keys were kept. The account is switched off.",
    },
    chinese={
        "none": "这里没有插件提供渠道。",
        "on": "{name}（{label}）：已打开；{accounts}",
        "off": "{name}（{label}）：未打开；用 moltbot-desktop channels login {name} 设置",
        "outside": "{name}（{label}）：未打开；来自外部插件 {plugin}",
        "broken": "{name}（{label}）：不能用：{reason}",
        "no_account": "还没有设置；moltbot-desktop channels login {name}",
        "hidden": "（不会显示）",
        "keep": "（留空：保持不变）",
        "leave": "（留空：不设置）",
        "kept": "已保存。可以试试：moltbot-desktop channels test {name}",
        "gone": "已忘记：{fields}。账号已关闭。",
        "no_keys": "没有保存过密钥。账号已关闭。",
    },
)


def run_channel_setup(
    setup: Setup, arguments: Arguments, streams: Streams, language: Language
) -> int:
    """Carry out `channels list`, `login CHANNEL [ACCOUNT]` or `logout CHANNEL [ACCOUNT]`.

    Raises:
        UserInputInvalid: no plugin brings that channel, or something that it needs is missing.
        SecretsUnavailable, StorageError, ConfigInvalid: what was typed could not be kept.
    """
    match arguments.action:
        case "login":
            return _log_in(setup, arguments, streams, language)
        case "logout":
            return _log_out(setup, arguments, streams, language)
        case _:
            return _list(setup, arguments, streams, language)


def _list(setup: Setup, arguments: Arguments, streams: Streams, language: Language) -> int:
    known = setup.known()
    if arguments.json:
        rows: list[JsonValue] = [
            {
                "channel": one.id,
                "label": one.label,
                "plugin": one.plugin,
                "state": one.standing.value,
                "reason": one.reason,
                "accounts": list(one.accounts),
            }
            for one in known
        ]
        streams.output.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
        return 0
    for one in known:
        streams.output.write(shown(_line(one, language)) + "\n")
    if not known:
        streams.output.write(_PHRASES.say("none", language) + "\n")
    return 0


def _line(one: KnownChannel, language: Language) -> str:
    accounts = ", ".join(one.accounts)
    if one.standing is ChannelStanding.ON and not accounts:
        accounts = _PHRASES.say("no_account", language, name=one.id)
    slots = {"label": one.label, "plugin": one.plugin, "reason": one.reason}
    return _PHRASES.say(one.standing.value, language, name=one.id, accounts=accounts, **slots)


def _log_in(setup: Setup, arguments: Arguments, streams: Streams, language: Language) -> int:
    fields = setup.asked(arguments.name, arguments.text)
    values = {one.name: _typed(one, streams, language) for one in fields}
    setup.log_in(arguments.name, arguments.text, values)
    if arguments.json:
        kept = [one.name for one in fields if values[one.name]]
        streams.output.write(json.dumps({"kept": kept}, indent=2) + "\n")
    else:
        streams.output.write(_PHRASES.say("kept", language, name=arguments.name) + "\n")
    return 0


def _typed(field: AskedField, streams: Streams, language: Language) -> str:
    if not streams.input.isatty():
        return streams.input.readline(_LONGEST_LINE).strip()
    about = ": ".join(filter(None, (field.label, field.help)))
    notes = ["hidden"] if field.secret else []
    notes += ["keep"] if field.there else [] if field.needed else ["leave"]
    question = about + "".join(_PHRASES.say(note, language) for note in notes) + ": "
    if field.secret:
        return streams.ask(shown(question)).strip()
    streams.output.write(shown(question))
    streams.output.flush()
    return streams.input.readline(_LONGEST_LINE).strip()


_LONGEST_LINE = 100_000


def _log_out(setup: Setup, arguments: Arguments, streams: Streams, language: Language) -> int:
    gone = setup.log_out(arguments.name, arguments.text)
    if arguments.json:
        streams.output.write(json.dumps({"forgotten": list(gone)}, ensure_ascii=False) + "\n")
    elif gone:
        streams.output.write(_PHRASES.say("gone", language, fields=", ".join(gone)) + "\n")
    else:
        streams.output.write(_PHRASES.say("no_keys", language) + "\n")
    return 0
