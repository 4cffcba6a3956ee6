"""What signal-cli tells, read without trust. Pure.

    stream = EventStream()
    for event in stream.feed(b'id:7\\ndata:{"envelope":{…}}\\n\\n'): ...
    read_event(event.data, me)                  # Said, or None for what is no message to answer

https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc: server-sent events
(https://html.spec.whatwg.org/multipage/server-sent-events.html). Positions in a text are UTF-16
code units: https://github.com/AsamK/signal-cli/wiki/FAQ#string-indexing-units
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channels import (
    Envelope,
    Peer,
    PeerKind,
    Quoted,
    RemoteFile,
    Sender,
    quoted,
)
from moltbot_desktop.sdk.foreign_json import group, read_object, rows, size, text

LARGEST_EVENT = 4 * 1024 * 1024
_LONGEST_ID = 200
_LONGEST_NAME = 120
_LONGEST_TEXT = 200_000
_MOST_FILES = 20
_MOST_MENTIONS = 200
_LATEST = 253_402_300_000_000  # milliseconds; the end of the year 9999


@dataclass(frozen=True)
class Event:
    """One of the stream: `id` is where to go on behind it, "" where none was given."""

    id: str
    data: str


class EventTooLarge(ValueError):
    """More came without an end than any event has."""


class EventStream:
    """Takes a stream of bytes apart, wherever it was cut."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._id = ""

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Events that `chunk` ends.

        Raises:
            EventTooLarge: there is no end to one.
        """
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            yield from self._line(line.removesuffix(b"\r").decode("utf-8", "replace"))
        if len(self._rest) + sum(map(len, self._data)) > LARGEST_EVENT:
            raise EventTooLarge

    def _line(self, line: str) -> Iterator[Event]:
        if not line:
            if self._data:
                yield Event(self._id, "\n".join(self._data))
            self._data = []
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id" and len(value) <= _LONGEST_ID and value.isascii() and value.isprintable():
            self._id = value


@dataclass(frozen=True)
class Me:
    """The account: its number and its id, each "" where not known."""

    number: str
    uuid: str
    numbers: frozenset[str] = frozenset()
    """Of people whom the owner's lists name by them."""

    def is_me(self, who: JsonObject, uuid: str, number: str) -> bool:
        one, other = text(who.get(uuid)).lower(), text(who.get(number))
        return bool((one and one == self.uuid) or (other and other == self.number))


@dataclass(frozen=True)
class Said:
    """A message of somebody. `author` is who signal-cli knows them as, `at` its time in
    milliseconds: the two are what a message is known by."""

    author: str
    at: int
    sender: Sender
    text: str
    group: str = ""
    reply_to: str = ""
    mentioned: bool = False
    files: tuple[RemoteFile, ...] = ()
    claimed: Quoted | None = None
    """What is answered, as the program of whoever writes has it."""


def message_id(at: int, author: str) -> str:
    """``1631458508784:AUTHOR``: only with its author is a time a message."""
    return f"{at}:{author}"


def read_event(data: str, me: Me) -> Said | None:
    """The message, None for what is none: receipts, typing, reactions, stories, what other devices
    of the account wrote, changes of a group or of a message, and what cannot be read."""
    told = read_object(data)
    if told is None:
        return None
    told = group(told.get("params")) or told
    told = group(told.get("result")) or told
    account, envelope = text(told.get("account")), group(told.get("envelope"))
    if account and account.lower() not in (me.number, me.uuid):
        return None
    message = group(envelope.get("dataMessage"))
    if not message or me.is_me(envelope, "sourceUuid", "sourceNumber"):
        return None
    if any(name in message for name in ("reaction", "remoteDelete", "storyContext", "adminDelete")):
        return None
    uuid, number = text(envelope.get("sourceUuid")).lower(), text(envelope.get("sourceNumber"))
    author, at = uuid or number, size(message.get("timestamp")) or size(envelope.get("timestamp"))
    if not author or len(author) > _LONGEST_ID or not 0 < at < _LATEST:
        return None
    room = text(group(message.get("groupInfo")).get("groupId"))
    if len(room) > _LONGEST_ID:
        return None
    words, named = _words(message, me)
    files = () if message.get("viewOnce") is True else tuple(_files(message, author, room))
    if not words.strip() and not files:
        return None
    known = number if number in me.numbers else author
    sender = Sender(known, text(envelope.get("sourceName"))[:_LONGEST_NAME])
    quote = group(message.get("quote"))
    ours = me.is_me(quote, "authorUuid", "authorNumber")
    answered = _quoted(quote, ours)
    claimed = _claimed(quote) if answered else None
    return Said(author, at, sender, words, room, answered, named or ours, files, claimed)


def envelope_of(said: Said, cursor: str, answered: Quoted | None = None) -> Envelope:
    """The message as the program takes it; `answered` is what was really seen of what it
    answers."""
    peer = Peer(PeerKind.GROUP, said.group) if said.group else Peer(PeerKind.DM, said.sender.id)
    return Envelope(
        channel="signal",
        message_id=message_id(said.at, said.author),
        sender=said.sender,
        text=said.text,
        sent_at=datetime.fromtimestamp(said.at / 1000, UTC),
        peer=peer,
        reply_to=said.reply_to,
        mentioned=said.mentioned,
        cursor=cursor,
        files=said.files,
        quoted=answered or said.claimed,
    )


def _quoted(quote: JsonObject, ours: bool) -> str:
    at = size(quote.get("id"))
    author = text(quote.get("authorUuid")).lower() or text(quote.get("authorNumber"))
    if not at or len(author) > _LONGEST_ID:
        return ""
    return str(at) if ours else message_id(at, author)


def _claimed(quote: JsonObject) -> Quoted | None:
    """Nobody vouches for what a quote says, nor for whose it is."""
    names = ("authorName", "authorNumber", "authorUuid")
    name = next(filter(None, (text(quote.get(one)) for one in names)), "")
    return quoted(text(quote.get("text"))[:_LONGEST_TEXT], Sender("", name[:_LONGEST_NAME]))


def _words(message: JsonObject, me: Me) -> tuple[str, bool]:
    """The text with names in place of mentions, and whether we are among them."""
    words = text(message.get("message"))[:_LONGEST_TEXT]
    units = words.encode("utf-16-le", "surrogatepass")
    named = False
    found = rows(message.get("mentions"))[:_MOST_MENTIONS]
    for one in sorted(found, key=lambda one: size(one.get("start")), reverse=True):
        mine = me.is_me(one, "uuid", "number")
        named = named or mine
        start, length = size(one.get("start")) * 2, size(one.get("length")) * 2
        if start + length > len(units):
            continue
        shown = text(one.get("name")) or text(one.get("number")) or text(one.get("uuid"))
        name = f"@{'moltbot' if mine else shown[:_LONGEST_NAME]}"
        middle = name.encode("utf-16-le", "surrogatepass")
        units = units[:start] + middle + units[start + length :]
    return units.decode("utf-16-le", "replace"), named


def _files(message: JsonObject, author: str, room: str) -> Iterator[RemoteFile]:
    for one in rows(message.get("attachments"))[:_MOST_FILES]:
        file_id = text(one.get("id"))
        if not file_id or len(file_id) > _LONGEST_ID:
            continue
        ref = json.dumps({"id": file_id, **({"group": room} if room else {"from": author})})
        kind = text(one.get("contentType"))[:_LONGEST_NAME]
        name = (
            text(one.get("filename"))[-_LONGEST_NAME:] or f"file.{kind.partition('/')[2] or 'bin'}"
        )
        yield RemoteFile(ref, name, kind, size(one.get("size")))
