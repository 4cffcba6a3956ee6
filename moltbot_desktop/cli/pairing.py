"""`moltbot-desktop channels pairing list|approve|refuse|remove`: who may write to the assistant.

    $ moltbot-desktop channels pairing list
    KX7P2MQD  Ada (7) asks on telegram default, until 11:42
    $ moltbot-desktop channels pairing approve KX7P2MQD
    Ada (7) may write to you on telegram default now.

Works with and without a running assistant: both read the same book. It is for the owner's hand, so
the local socket, which programs use, has nothing of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channels import Sender
from moltbot_desktop.sdk.pairing import Contact, PairingRequest, Pairings

_PHRASES = Phrases(
    english={
        "asks": "{code}  {who} asks on {channel} {account}, until {time}",
        "may": "{who} may write on {channel} {account}, since {time}",
        "nobody": "Nobody asks to be let in, and nobody was. A stranger who writes to the assistant"
        " in private gets a code; it is shown here then.",
        "approved": "{who} may write to the assistant on {channel} {account} now.",
        "refused": "{who} is not let in.",
        "removed": "{who} may not write on {channel} {account} any more.",
        "not_there": "Nobody of that id was let in on {channel}. Ids in allowFrom are changed in"
        " moltbot.json.",
    },
    chinese={
        "asks": "{code}  {who} 在 {channel} {account} 请求获准，{time} 前有效",
        "may": "{who} 可以在 {channel} {account} 写消息，自 {time} 起",
        "nobody": "没有人在等待，也没有人获准。陌生人私下给助手写消息时会得到一个配对码，"
        "到时会显示在这里。",
        "approved": "{who} 现在可以在 {channel} {account} 给助手写消息。",
        "refused": "没有让 {who} 进来。",
        "removed": "{who} 不能再在 {channel} {account} 写消息。",
        "not_there": "在 {channel} 上没有获准的这个 id。"
        "allowFrom 里的 id 请在 moltbot.json 中修改。",
    },
)


def run_pairing(pairings: Pairings, arguments: Arguments, language: Language, out: TextIO) -> int:
    """Carry one of them out; returns the exit code, 1 when there was nothing to remove.

    Raises:
        StorageError: the book cannot be used.
        UserInputInvalid: nobody who waits has that code, or too many wrong ones were tried.
    """
    code = arguments.text, arguments.channel
    match arguments.name:
        case "approve":
            return _told("approved", [pairings.approve(*code)], arguments, language, out)
        case "refuse":
            return _told("refused", [pairings.refuse(*code)], arguments, language, out)
        case "remove":
            gone = pairings.remove(arguments.channel, arguments.text, arguments.to)
            return _told("removed", gone, arguments, language, out)
        case _:
            return _list(pairings, arguments, language, out)


def _list(pairings: Pairings, arguments: Arguments, language: Language, out: TextIO) -> int:
    wanted = arguments.channel
    requests = [one for one in pairings.requests() if wanted in ("", one.channel)]
    contacts = [one for one in pairings.contacts() if wanted in ("", one.channel)]
    if arguments.json:
        rows = {"requests": [*map(_json, requests)], "contacts": [*map(_json, contacts)]}
        out.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
        return 0
    for request in requests:
        time = f"{request.until.astimezone():%H:%M}"
        out.write(_line("asks", request, language, code=request.code, time=time))
    out.writelines(
        _line("may", contact, language, time=_minute(contact.since)) for contact in contacts
    )
    if not (requests or contacts):
        out.write(_PHRASES.say("nobody", language) + "\n")
    return 0


def _told(
    said: str,
    found: Sequence[PairingRequest | Contact],
    arguments: Arguments,
    language: Language,
    out: TextIO,
) -> int:
    if arguments.json:
        out.write(json.dumps([*map(_json, found)], ensure_ascii=False, indent=2) + "\n")
        return 0 if found else 1
    out.writelines(_line(said, one, language) for one in found)
    if not found:
        out.write(_PHRASES.say("not_there", language, channel=arguments.channel) + "\n")
    return 0 if found else 1


def _line(phrase: str, one: PairingRequest | Contact, language: Language, **slots: object) -> str:
    where = {"channel": one.channel, "account": one.account}
    return _PHRASES.say(phrase, language, who=who(one.sender), **where, **slots) + "\n"


def who(sender: Sender) -> str:
    """A name that anybody can take, and the id that nobody can."""
    name, number = (" ".join(shown(text).split()) for text in (sender.name or sender.username,
                                                               sender.id))  # fmt: skip
    return f"{name} ({number})" if name else number


def _json(one: PairingRequest | Contact) -> JsonObject:
    told: dict[str, str] = {
        "channel": one.channel,
        "accountId": one.account,
        "id": one.sender.id,
        "name": one.sender.name,
        "username": one.sender.username,
    }
    if isinstance(one, PairingRequest):
        times = {"code": one.code, "asked": one.asked.isoformat(), "until": one.until.isoformat()}
        return {**told, **times}
    return {**told, "since": one.since.isoformat()}


def _minute(time: datetime) -> str:
    return time.astimezone().isoformat(" ", "minutes")[:16]
