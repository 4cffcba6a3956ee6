"""What becomes of an incoming message: refused, a command of ours, or an agent's turn.

Commands never load a model. This slice knows the few that make sense in one window; the whole
registry of the reference comes with the front desk issue.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.gateway.client import MAX_MESSAGE_CHARACTERS


class Command(StrEnum):
    NEW = "new"
    STOP = "stop"
    HELP = "help"
    STATUS = "status"
    INBOX = "inbox"
    KEEP = "keep"
    NO = "no"
    UNFORGET = "unforget"
    ERASE = "erase"


@dataclass(frozen=True)
class CommandDecision:
    """`rest` is what stands after the command's name."""

    command: Command
    rest: str


@dataclass(frozen=True)
class AgentDecision:
    text: str


InboundDecision = CommandDecision | AgentDecision

_COMMAND = re.compile(r"/([a-z]+):?(?:\s+([\s\S]*))?", re.IGNORECASE)
_ALIASES = {"reset": Command.NEW, "abort": Command.STOP, "commands": Command.HELP}
_STOP_WORDS = frozenset({"stop", "abort", "esc", "停", "停止"})


def checked_message(text: str) -> str:
    """`text` without surrounding blanks.

    Raises:
        UserInputInvalid: empty, too long, or holding a NUL character.
    """
    if len(text) > MAX_MESSAGE_CHARACTERS:
        raise UserInputInvalid(
            f"This message has {len(text):,} characters; at most {MAX_MESSAGE_CHARACTERS:,} fit.",
            hint="Save it as a file in the workspace and ask me to read that file.",
        )
    if "\0" in text:
        raise UserInputInvalid(
            "This message holds a NUL character, which no text has.",
            hint="It looks like part of a binary file; send the text of it instead.",
        )
    stripped = text.strip()
    if not stripped:
        raise UserInputInvalid("The message is empty.", hint="Type what you would like to know.")
    return stripped


def decide_inbound(text: str) -> InboundDecision:
    """Pure; `text` is a checked message."""
    if text.casefold() in _STOP_WORDS:
        return CommandDecision(Command.STOP, "")
    match = _COMMAND.fullmatch(text)
    if match is None:
        return AgentDecision(text)
    command = _named(match[1].casefold())
    if command is None:
        return AgentDecision(text)
    return CommandDecision(command, (match[2] or "").strip())


def _named(name: str) -> Command | None:
    try:
        return Command(name)
    except ValueError:
        return _ALIASES.get(name)
