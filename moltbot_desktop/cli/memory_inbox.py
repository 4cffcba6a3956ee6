"""`moltbot-desktop memory inbox`, `accept`, `reject`, `undo`: what waits to be remembered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.inbox import MemoryChange, MemoryInbox, Proposal
from moltbot_desktop.sdk.inbox_words import in_words

ACTIONS = ("inbox", "accept", "reject", "undo")

_SHOWN_DECISIONS = 5
_PHRASES = Phrases(
    english={
        "empty": "Nothing waits. What you mention about yourself in a chat is proposed here.",
        "proposal": "{id}  {text}\n     “{quote}” ({time})",
        "replaces": "     takes the place of: {replaces}",
        "how": "\nKeep one: moltbot-desktop memory accept N   Drop it: memory reject N",
        "recent": "\nDecided lately (memory undo N takes it back):",
        "kept": "{id}  kept: {text}",
        "rejected": "{id}  not kept: {text}",
        "stored": "{id}  remembered: {text}",
        "not_waiting": "Nothing waits under the number {id}.",
        "nothing_decided": "There is nothing to undo.",
        "look": "`memory inbox` lists what waits, and what was decided lately.",
    },
    chinese={
        "empty": "没有等待的内容。你在对话里提到的关于自己的事会出现在这里。",
        "proposal": "{id}  {text}\n     “{quote}”（{time}）",
        "replaces": "     将取代：{replaces}",
        "how": "\n记住：moltbot-desktop memory accept N   不记：memory reject N",
        "recent": "\n最近的决定（memory undo N 可撤销）：",
        "kept": "{id}  已记住：{text}",
        "rejected": "{id}  不记：{text}",
        "stored": "{id}  已按要求记住：{text}",
        "not_waiting": "没有编号为 {id} 的待定内容。",
        "nothing_decided": "没有可以撤销的决定。",
        "look": "memory inbox 会列出等待的内容和最近的决定。",
    },
)


def run_inbox(inbox: MemoryInbox, arguments: Arguments, language: Language, out: TextIO) -> int:
    """Carry out `arguments.action`, one of `ACTIONS`; returns the exit code.

    Raises:
        MoltbotError: nothing waits under that number, or it could not be written.
    """
    match arguments.action:
        case "accept":
            _check_waiting(inbox, arguments.name, language)
            change = inbox.accept(arguments.name, arguments.text)
        case "reject":
            _check_waiting(inbox, arguments.name, language)
            change = inbox.reject(arguments.name)
        case "undo":
            if not inbox.recent():
                raise UserInputInvalid(_PHRASES.say("nothing_decided", language))
            change = inbox.undo(arguments.name)
        case _:
            _show(inbox, arguments.json, language, out)
            return 0
    if arguments.json:
        out.write(json.dumps(_change_as_json(change), ensure_ascii=False) + "\n")
    else:
        out.write(in_words(change, language) + "\n")
    return 0


def _check_waiting(inbox: MemoryInbox, number: str, language: Language) -> None:
    """Refuse in the person's language; the inbox itself, which decides, has none."""
    if number not in {one.id for one in inbox.proposals()}:
        said = _PHRASES.say("not_waiting", language, id=number[:20])
        raise UserInputInvalid(said, hint=_PHRASES.say("look", language))


def _show(inbox: MemoryInbox, as_json: bool, language: Language, out: TextIO) -> None:
    waiting, recent = inbox.proposals(), inbox.recent()
    if as_json:
        found: Mapping[str, JsonValue] = {
            "proposals": [_proposal_as_json(one) for one in waiting],
            "recent": [_change_as_json(one) for one in recent],
        }
        out.write(json.dumps(found, ensure_ascii=False) + "\n")
        return
    lines = [_in_lines(one, language) for one in waiting]
    lines.append(_PHRASES.say("how" if waiting else "empty", language))
    if recent:
        lines.append(_PHRASES.say("recent", language))
    lines += [
        _PHRASES.say(one.kind.value, language, id=f"{one.id:>3}", text=one.text)
        for one in recent[:_SHOWN_DECISIONS]
    ]
    out.write("\n".join(lines) + "\n")


def _in_lines(proposal: Proposal, language: Language) -> str:
    time = proposal.time[:16].replace("T", " ")
    told = _PHRASES.say(
        "proposal",
        language,
        id=f"{proposal.id:>3}",
        text=proposal.text,
        quote=proposal.quote,
        time=time,
    )
    if not proposal.replaces:
        return told
    return f"{told}\n{_PHRASES.say('replaces', language, replaces=proposal.replaces)}"


def _proposal_as_json(proposal: Proposal) -> Mapping[str, JsonValue]:
    return {
        "id": proposal.id,
        "text": proposal.text,
        "category": proposal.category,
        "quote": proposal.quote,
        "time": proposal.time,
        "session": proposal.session,
        "replaces": proposal.replaces,
    }


def _change_as_json(change: MemoryChange) -> Mapping[str, JsonValue]:
    return {
        "id": change.id,
        "change": change.kind.value,
        "text": change.text,
        "time": change.time,
        "path": change.path,
        "replaced": list(change.replaced),
        "alreadyKnown": change.already_known,
        "overBudget": change.over_budget,
    }
