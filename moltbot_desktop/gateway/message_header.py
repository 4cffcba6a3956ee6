"""What stands before a message of a channel when the model reads it: from where, whose, and when.

    header = message_header(envelope, HeaderRules(), now_zone, previous)
    # "[Telegram Ada (7) +5m 2026-01-27 12:00 UTC]"
    harmless(envelope, "hello")      # what stands behind the header
    quote(envelope)                  # what it answers, to stand above both

The form is the reference's. It is for models that read a conversation; one that reads a request
alone gets the request alone. A message cannot pass for one of somebody else's by beginning a line
like a header: only the program writes those. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from moltbot_desktop.gateway.mentions import lines_of, shown_name
from moltbot_desktop.sdk.channels import Envelope, PeerKind

_UTC = frozenset({"utc", "gmt"})
_LOCAL = frozenset({"", "local", "host"})
_USER = "user"
_NUMBER = re.compile(r"([+-])0?(\d{1,2})(?::?(\d\d))?$")


@dataclass(frozen=True)
class HeaderRules:
    """Attributes:
    zone: ``local``, ``utc``, ``user`` or the name of a time zone.
    user_zone: the name of the owner's, "" for this computer's.
    timestamp: the time is told.
    elapsed: so is how long ago the conversation was used last.
    """

    zone: str = "local"
    user_zone: str = ""
    timestamp: bool = True
    elapsed: bool = True


def message_header(
    envelope: Envelope, rules: HeaderRules, here: tzinfo | None, previous: datetime | None
) -> str:
    """ "" when neither the time nor what has passed is to be told.

    Args:
        here: this computer's time zone; None asks the system.
        previous: when the conversation was used last, None for never.
    """
    if not (rules.timestamp or rules.elapsed):
        return ""
    group = envelope.peer is not None and envelope.peer.kind is not PeerKind.DM
    who = envelope.peer.id if group and envelope.peer else shown_name(envelope.sender)
    passed = _passed(envelope.sent_at, previous) if rules.elapsed else ""
    when = _time(envelope.sent_at, rules, here) if rules.timestamp else ""
    return f"[{' '.join(filter(None, (_label(envelope), _in_line(who), passed, when)))}]"


def quote(envelope: Envelope) -> str:
    """What a message answers, as it stands above it, with a line's end; "" for nothing. Whose words
    they are says the program, and no line of them stands at the margin.

        [Replying to Ben (8) - for context]
            Who is free tonight?
        [/Replying]
    """
    answered = envelope.quoted
    if answered is None:
        return ""
    name = shown_name(answered.sender)
    if not answered.sender.id:
        name = f"somebody called “{name}”" if name else "somebody"
    words = "\n".join(f"    {line}" for line in lines_of(answered.text))
    begins = f"[Replying to {'you' if answered.ours else name} - for context]"
    return f"{begins}\n{harmless(envelope, words)}\n[/Replying]\n"


def harmless(envelope: Envelope, text: str) -> str:
    """`text` as it may stand behind a header: none of its lines looks like one."""
    like_one = re.compile(
        rf"^([ \t]*)\[(?={re.escape(_label(envelope))}\b|/?Replying\b)",
        re.IGNORECASE | re.MULTILINE,
    )
    return like_one.sub(r"\1(", text)


def _label(envelope: Envelope) -> str:
    name = _in_line(envelope.channel)
    return name[:1].upper() + name[1:]


def _in_line(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())


def _passed(now: datetime, before: datetime | None) -> str:
    if before is None or now < before:
        return ""
    minute = 60
    seconds = int((now - before) / timedelta(seconds=1))
    for unit, length in (("d", 24 * 60 * minute), ("h", 60 * minute), ("m", minute)):
        if seconds >= length:
            return f"+{seconds // length}{unit}"
    return f"+{seconds}s"


def _time(at: datetime, rules: HeaderRules, here: tzinfo | None) -> str:
    wanted = rules.zone.strip()
    name = wanted.lower()
    zone: tzinfo | None
    if name in _LOCAL:
        zone = here
    elif name == _USER:
        zone = _named(rules.user_zone) or here
    else:
        zone = None if name in _UTC else _named(wanted)
        zone = zone or UTC
    try:
        local = at.astimezone(zone)
    except OverflowError:  # in the first or last hours of the calendar, as somebody may claim
        return ""
    if zone is UTC and name not in _LOCAL:
        return f"{local:%Y-%m-%dT%H:%MZ}"
    return f"{local:%Y-%m-%d %H:%M} {_zone_name(local)}".rstrip()


def _named(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _zone_name(at: datetime) -> str:
    """``UTC``, ``EST``; one that has no letters as ``GMT+8``."""
    name = at.tzname() or ""
    number = _NUMBER.fullmatch(name)
    if number is None:
        return name
    minutes = f":{number[3]}" if number[3] not in (None, "00") else ""
    return f"GMT{number[1]}{number[2]}{minutes}"
