"""Finding a command in what was typed.

    typed("/t: high", SWITCHES)     # Typed(COMMANDS["think"], "high")
    typed("/help me", SWITCHES)     # None: /help takes nothing, so these are words for the agent
    normalised("/elev@MyBot on", bot="mybot")       # "/elevated on"

A command begins the message. Two questions are asked of other messages too: `is_stop_word`, for
somebody who types "stop" with both hands full, and `may_hold_command`, a first cheap look that
errs on the side of yes.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable, Set
from dataclasses import dataclass

from moltbot_desktop.gateway.commands.registry import NAMES, SWITCHES, Command, enabled

_COLON = re.compile(r"/([^\s:：]+)\s*([:：])(.*)", re.DOTALL)
_WIDE = re.compile(r"／([^\s:：@]+)")
_TO_A_BOT = re.compile(r"/([^\s@]+)@(\S++)(.*)", re.DOTALL)
_NAME_AND_REST = re.compile(r"/(\S+)(?:\s+(.+))?", re.DOTALL)
_INLINE = re.compile(r"(?:^|\s)[/!／][a-z\u4e00-\u9fff]", re.IGNORECASE)
_ONE_SLASH_WORD = re.compile(r"/([A-Za-z][A-Za-z_-]{1,20})")
_SLASH_AND_WORDS = re.compile(
    r"[/／]([A-Za-z][A-Za-z0-9_-]{1,31}|[\u4e00-\u9fff]{1,8})(?:\s.*)?", re.DOTALL
)

MISTYPED = "?"
"""In the place of a name: a slash word that is nearly one."""

STOP_WORDS = frozenset({"stop", "esc", "abort", "wait", "exit", "interrupt", "停", "停止"})
"""Whole messages that mean /stop, in any case."""


@dataclass(frozen=True)
class Typed:
    """A command and what stands after its name, blanks around it taken off."""

    command: Command
    rest: str


def normalised(text: str, bot: str = "") -> str:
    """A command in its plain form: one line, its primary name, one blank, what follows it.

    Words that are no command come back as they are, without blanks around them.

    Args:
        bot: the name that may stand behind an "@" after a command; others are somebody else's.
    """
    trimmed = _with_slash(text.strip())
    if not trimmed.startswith("/"):
        return trimmed
    line = _without_colon(trimmed.split("\n", 1)[0].strip(), NAMES)
    line = _without_bot(line, bot)
    found = _split(line)
    if found is None:
        return line
    command, rest = found
    return f"/{command.name} {rest}" if rest else f"/{command.name}"


def typed(text: str, switches: Set[str] = SWITCHES, bot: str = "") -> Typed | None:
    """The command that `text` is, or None.

    Args:
        switches: which of the hidden commands exist here.
    """
    trimmed = _with_slash(text.strip())
    if not trimmed.startswith("/"):
        return None
    first, _, further = trimmed.partition("\n")
    found = _split(_without_bot(_without_colon(first.strip(), NAMES), bot))
    if found is None:
        return None
    command, rest = found
    if command not in enabled(switches):
        return None
    if command.lines and further:
        rest = f"{rest}\n{further}".strip()
    return Typed(command, rest)


def slash_word(text: str, names: Container[str], bot: str = "") -> tuple[str, str, str] | None:
    """The name, the rest of its line and the lines below, of a message that begins with one of
    `names` (lower-case); else None. `bot` as in `typed`."""
    trimmed = text.strip()
    wide = _WIDE.match(trimmed)
    if wide is not None and wide[1].lower() in names:
        trimmed = f"/{trimmed[1:]}"
    first, _, further = trimmed.partition("\n")
    match = _NAME_AND_REST.fullmatch(_without_bot(_without_colon(first.strip(), names), bot))
    if match is None or match[1].lower() not in names:
        return None
    return match[1].lower(), (match[2] or "").strip(), further.strip()


def is_stop_word(text: str) -> bool:
    """Whether the whole of `text` asks to stop."""
    return text.strip().casefold() in STOP_WORDS


def is_command_message(text: str, switches: Set[str] = SWITCHES, bot: str = "") -> bool:
    """Whether `text` is for the program and not for the agent."""
    return typed(text, switches, bot) is not None or is_stop_word(normalised(text, bot))


def may_hold_command(text: str) -> bool:
    """Whether a "/" or "!" begins a word anywhere; often there is no command all the same."""
    return _INLINE.search(text) is not None


def nearest(text: str, switches: Set[str] = frozenset(), further: Iterable[str] = ()) -> str:
    """The command that was probably meant by a message that is one unknown slash word, or "".

    Paths and other words behind a slash are left alone: only a slip of the fingers is one.

    Args:
        further: names of commands of plugins and skills.
    """
    match = _ONE_SLASH_WORD.fullmatch(text.strip())
    if match is None or match[1].casefold() in NAMES:
        return ""
    names = [*(one.name for one in enabled(switches) if one.built), *further]
    close = difflib.get_close_matches(match[1].casefold(), names, n=1, cutoff=0.75)
    return close[0] if close else ""


def unknown_slash_word(text: str, further: Container[str] = ()) -> str:
    """The "/word" that a message begins with, where it is no path and nobody's command; else "".

    Args:
        further: as in `nearest`.
    """
    match = _SLASH_AND_WORDS.fullmatch(text.strip())
    name = match[1].casefold() if match else ""
    return "" if not name or name in NAMES or name in further else f"/{name}"


def _with_slash(text: str) -> str:
    """The wide slash of a Chinese keyboard is a slash before the name of a command."""
    match = _WIDE.match(text)
    return f"/{text[1:]}" if match and match[1].lower() in NAMES else text


def _without_colon(line: str, names: Container[str]) -> str:
    """A wide colon is one behind the name of a command; a plain one behind any word, as in the
    reference."""
    match = _COLON.fullmatch(line)
    if match is None or (match[2] == "：" and match[1].partition("@")[0].lower() not in names):
        return line
    return f"/{match[1]} {match[3].lstrip()}".rstrip()


def _without_bot(line: str, bot: str) -> str:
    match = _TO_A_BOT.fullmatch(line) if bot.strip() else None
    if match is None or match[2].casefold() != bot.strip().casefold():
        return line
    return f"/{match[1]}{match[3]}"


def _split(line: str) -> tuple[Command, str] | None:
    """The command and the rest of its line; None for a command that takes nothing, with words."""
    match = _NAME_AND_REST.fullmatch(line)
    command = NAMES.get(match[1].lower()) if match else None
    rest = (match[2] or "").strip() if match else ""
    if command is None or (rest and not command.arguments):
        return None
    return command, rest
