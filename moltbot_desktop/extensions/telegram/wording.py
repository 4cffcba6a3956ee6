"""The words of a Telegram message, and whether they name the assistant. Pure.

    wording(message, me)        # "look at this (https://a.example)", "/status"
    names(message, me)          # whether @molt_bot stands in it

Telegram sends words and, beside them, what is a link, a name or a command, by place; places are
counted in UTF-16. https://core.telegram.org/bots/api#messageentity
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.telegram.values import group, number, rows, text

_LONGEST_NAME = 64
_LONGEST_ADDRESS = 2_000


@dataclass(frozen=True)
class Me:
    """The bot; `username` without "@"."""

    id: int
    username: str = ""


@dataclass(frozen=True)
class _Span:
    """A marked part: `start` and `end` in UTF-16, `words` what stands there."""

    kind: str
    start: int
    end: int
    words: str
    raw: JsonObject


def wording(message: JsonObject, me: Me) -> str:
    """What was written, and what else a person reads in the message. Addresses behind words are
    written out; the assistant's name is taken from a command."""
    words = _expanded(message, me).strip() or _told(message)
    origin = _origin(group(message.get("forward_origin")))
    # Somebody else's words are no command of who passes them on.
    return f"[Forwarded from {origin}]\n{words}" if origin else words


def names(message: JsonObject, me: Me) -> bool:
    """Whether the message addresses the bot by its name."""
    own = f"@{me.username}".lower()
    for span in _spans(message):
        if span.kind == "text_mention" and number(group(span.raw.get("user")).get("id")) == me.id:
            return True
        said = span.words.lower()
        if me.username and (
            (span.kind == "mention" and said == own)
            or (span.kind == "bot_command" and said.endswith(own))
        ):
            return True
    return False


def _written(message: JsonObject) -> tuple[str, str]:
    """The words and the name of the list of what is marked in them."""
    if "text" in message:
        return text(message["text"]), "entities"
    return text(message.get("caption")), "caption_entities"


def _spans(message: JsonObject) -> Iterator[_Span]:
    words, marked = _written(message)
    units = words.encode("utf-16-le", "surrogatepass")
    for raw in rows(message.get(marked)):
        start, length = number(raw.get("offset")), number(raw.get("length"))
        if start is None or length is None or start < 0 or length <= 0:
            continue
        if (start + length) * 2 > len(units):
            continue
        part = units[start * 2 : (start + length) * 2].decode("utf-16-le", "replace")
        yield _Span(text(raw.get("type")), start, start + length, part, raw)


def _expanded(message: JsonObject, me: Me) -> str:
    units = _written(message)[0].encode("utf-16-le", "surrogatepass")
    own = f"@{me.username}".lower()
    for span in sorted(_spans(message), key=lambda one: one.start, reverse=True):
        if span.kind == "text_link":
            address = text(span.raw.get("url"))
            if address and len(address) <= _LONGEST_ADDRESS and address != span.words:
                units = _replaced(units, span.end, span.end, f" ({address})")
        elif span.kind == "bot_command" and me.username and span.words.lower().endswith(own):
            units = _replaced(units, span.end - len(own), span.end, "")
    return units.decode("utf-16-le", "replace")


def _replaced(units: bytes, start: int, end: int, by: str) -> bytes:
    return units[: start * 2] + by.encode("utf-16-le") + units[end * 2 :]


def _told(message: JsonObject) -> str:
    """What a message says that has no words of its own."""
    if sticker := text(group(message.get("sticker")).get("emoji")):
        return sticker
    venue = group(message.get("venue"))
    place = group(venue.get("location")) or group(message.get("location"))
    where = place.get("latitude"), place.get("longitude")
    if all(isinstance(one, int | float) for one in where):
        called = [_line(venue.get("title")), _line(venue.get("address"))]
        return f"[location: {', '.join(filter(None, [*called, f'{where[0]}, {where[1]}']))}]"
    contact = group(message.get("contact"))
    if called := list(
        filter(None, (_line(contact.get(key)) for key in ("first_name", "last_name")))
    ):
        return f"[contact: {' '.join(called)}, {_line(contact.get('phone_number'))}]"
    return ""


def _origin(origin: JsonObject) -> str:
    """Who wrote first what is passed on; "" where it was written here."""
    if not origin:
        return ""
    user = group(origin.get("sender_user"))
    place = group(origin.get("sender_chat")) or group(origin.get("chat"))
    said = (user.get("first_name"), origin.get("sender_user_name"), place.get("title"))
    return next(filter(None, map(_line, said)), "somebody")


def _line(value: object) -> str:
    """One short line of a name that anybody may have chosen."""
    said = text(value) if isinstance(value, str) else ""
    return " ".join(said.replace("[", "(").replace("]", ")").split())[:_LONGEST_NAME]
