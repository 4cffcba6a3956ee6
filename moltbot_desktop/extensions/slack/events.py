"""What comes over the line, as messages of ours. Pure.

    frame = read_frame(raw)                       # Hello(), Goodbye("warning"), Told(id, payload)
    said = read_event(frame.payload, me)          # None for what no person wrote
    envelope_of(said, names)

Left out is what bots wrote, the assistant itself with them, and Slack's own notices. A message that
names the assistant comes twice, as ``message`` and as ``app_mention``: with one id, its `ts`.
https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.slack.mrkdwn import names, people_in, readable, without_our_name
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

CHANNEL = "slack"
_LONGEST_NAME = 120
_LONGEST_ID = 64
_WORDS = frozenset({"", "file_share", "thread_broadcast", "me_message"})
"""Kinds of messages that people write: https://docs.slack.dev/reference/events/message"""


@dataclass(frozen=True)
class Me:
    """Who we are there: our user, name and workspace."""

    user: str
    name: str = ""
    team: str = ""


@dataclass(frozen=True)
class Hello:
    """The line stands."""


@dataclass(frozen=True)
class Goodbye:
    """Slack ends the line: ``warning``, ``refresh_requested``, ``link_disabled``, …"""

    reason: str


@dataclass(frozen=True)
class Told:
    """Something happened; Slack tells it again until `id` was sent back."""

    id: str
    kind: str
    payload: JsonObject


@dataclass(frozen=True)
class Said:
    """What a person wrote, as Slack has it: `raw` is the text with its signs."""

    id: str
    user: str
    room: str
    raw: str
    direct: bool
    thread: str = ""
    to_us: bool = False
    files: tuple[RemoteFile, ...] = ()

    @property
    def people(self) -> frozenset[str]:
        """Ids of all who stand in it."""
        return frozenset({self.user, *people_in(self.raw)})


@dataclass(frozen=True)
class Began:
    """What a thread began with."""

    user: str
    raw: str
    files: tuple[RemoteFile, ...] = ()

    @property
    def people(self) -> frozenset[str]:
        return frozenset({self.user, *people_in(self.raw)})


def read_frame(raw: str) -> Hello | Goodbye | Told | None:
    """One frame of the line; None for what is none of these."""
    found = read_object(raw)
    if found is None:
        return None
    kind = text(found.get("type"))
    if kind == "hello":
        return Hello()
    if kind == "disconnect":
        return Goodbye(text(found.get("reason")))
    envelope_id = text(found.get("envelope_id"))
    return Told(envelope_id, kind, group(found.get("payload"))) if envelope_id else None


def read_event(payload: JsonObject, me: Me) -> Said | None:
    """What a person has written; None for everything else."""
    event = group(payload.get("event"))
    kind, user, room = (text(event.get(name)) for name in ("type", "user", "channel"))
    message_id = text(event.get("ts"))
    if kind not in ("message", "app_mention") or text(event.get("subtype")) not in _WORDS:
        return None
    nobody = user == me.user or bool(event.get("bot_id")) or event.get("hidden") is True
    ids = (user, room, message_id)
    if nobody or not all(0 < len(one) <= _LONGEST_ID for one in ids):
        return None
    raw = text(event.get("text"))
    files = _files(event.get("files"))
    if not raw.strip() and not files:
        return None
    thread = text(event.get("thread_ts"))
    answers_us = thread != "" and text(event.get("parent_user_id")) == me.user
    return Said(
        message_id,
        user,
        room,
        raw,
        # An app_mention does not say in what it was written; the id of a dm begins with D.
        direct=text(event.get("channel_type")) == "im" or room.startswith("D"),
        thread=thread[:_LONGEST_ID] if thread != message_id else "",
        to_us=kind == "app_mention" or names(raw, me.user) or answers_us,
        files=files,
    )


def read_command(payload: JsonObject) -> Said | None:
    """What somebody wrote behind the app's slash command, as if it were a message: ``/molt status``
    is ``/status``. https://docs.slack.dev/interactivity/implementing-slash-commands"""
    user, room, once = (text(payload.get(one)) for one in ("user_id", "channel_id", "trigger_id"))
    words = text(payload.get("text")).strip()
    if not all(0 < len(one) <= 2 * _LONGEST_ID for one in (user, room, once)):
        return None
    said = words if words.startswith("/") else f"/{words or 'help'}"
    return Said(once, user, room, said, direct=room.startswith("D"), to_us=True)


def began_with(answer: JsonObject, said: Said, me: Me) -> Began | None:
    """What the thread of a message began with, as ``conversations.replies`` gives it.
    https://docs.slack.dev/reference/methods/conversations.replies"""
    first = next(iter(rows(answer.get("messages"))), {})
    user, raw = text(first.get("user")) or text(first.get("bot_id")), text(first.get("text"))
    files = _files(first.get("files"))
    if text(first.get("ts")) != said.thread or not 0 < len(user) <= _LONGEST_ID:
        return None
    return Began(user, raw, files) if raw.strip() or files else None


def envelope_of(
    said: Said, me: Me, people: Mapping[str, str], now: datetime, began: Began | None = None
) -> Envelope:
    """The message; `people` has names by id, `began` is what its thread began with."""
    kind = PeerKind.DM if said.direct else PeerKind.CHANNEL
    words = readable(without_our_name(said.raw, me.user), {**people, me.user: me.name})
    name = people.get(said.user, "")
    return Envelope(
        CHANNEL,
        said.id,
        Sender(said.user, name, name),
        words.strip(),
        _moment(said.id, now),
        peer=Peer(kind, said.user if said.direct else said.room),
        team_id=me.team,
        thread_id=said.thread,
        # Who is called by other names is for the program to say.
        mentioned=True if said.to_us else None,
        files=said.files,
        quoted=_quoted(began, me, people) if began is not None else None,
    )


def _quoted(began: Began, me: Me, people: Mapping[str, str]) -> Quoted | None:
    name = people.get(began.user, "")
    words = readable(began.raw, {**people, me.user: me.name})
    return quoted(words, Sender(began.user, name, name), began.files, ours=began.user == me.user)


def _files(value: JsonValue) -> tuple[RemoteFile, ...]:
    return tuple(
        RemoteFile(
            ref,
            text(one.get("name"))[-_LONGEST_NAME:] or "file",
            _media(one),
            size(one.get("size")),
        )
        for one in rows(value)
        if 0 < len(ref := text(one.get("id"))) <= _LONGEST_ID
    )


def _media(raw: JsonObject) -> str:
    return text(raw.get("mimetype")).partition(";")[0].strip()[:_LONGEST_NAME]


def _moment(ts: str, now: datetime) -> datetime:
    """What a message's id says, `now` where it is no time."""
    whole = ts.partition(".")[0]
    if not whole.isascii() or not whole.isdigit() or len(whole) > 11:
        return now
    return datetime.fromtimestamp(int(whole), UTC)
