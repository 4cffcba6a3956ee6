"""What comes over the WebSocket and from a room's history, as messages of ours. Pure.

    frame = read_frame(raw)                             # Frame("posted", 7, {...}) or Reply(...)
    said = read_posted(frame.data)                      # None for what no person wrote
    envelope_of(said, me, settings, person, to_us=True)

Left out is what bots, webhooks and Mattermost itself wrote.
https://api.mattermost.com/#tag/WebSocket
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.mattermost.settings import Settings
from moltbot_desktop.extensions.mattermost.text import (
    calls_everybody,
    names,
    without_our_name,
    without_prefix,
)
from moltbot_desktop.extensions.mattermost.values import (
    group,
    identity,
    number,
    read,
    rows,
    text,
    texts,
)
from moltbot_desktop.sdk.channels import (
    Envelope,
    Peer,
    PeerKind,
    Quoted,
    RemoteFile,
    Sender,
    quoted,
)

CHANNEL = "mattermost"
_LONGEST_NAME = 120
_MOST_FILES = 20
_WORDS = frozenset({"", "me"})
"""Types of posts that people write; Mattermost's own begin with ``system_``."""
_MACHINES = ("from_webhook", "from_bot", "from_oauth_app", "from_plugin")
"""Properties of a post that no person wrote."""
_LATEST_MS = 253_402_300_799_000


@dataclass(frozen=True)
class Me:
    """Who we are there."""

    id: str
    username: str


@dataclass(frozen=True)
class Frame:
    """Something happened; numbers go up by one, so that a gap shows what was lost."""

    event: str
    number: int
    data: JsonObject


@dataclass(frozen=True)
class Reply:
    """The answer to what we sent."""

    ok: bool


@dataclass(frozen=True)
class Person:
    """Somebody on the server; names are "" when they are not known."""

    username: str = ""
    name: str = ""
    is_bot: bool = False


@dataclass(frozen=True)
class Said:
    """What a person wrote, as Mattermost has it.

    Attributes:
        at: milliseconds since 1970.
        told: ids of whom Mattermost tells of it.
    """

    id: str
    user: str
    room: str
    kind: PeerKind
    raw: str
    at: int
    root: str = ""
    team: str = ""
    username: str = ""
    told: frozenset[str] = frozenset()
    files: tuple[RemoteFile, ...] = ()

    @property
    def order(self) -> tuple[int, str]:
        return self.at, self.id


def read_frame(raw: str) -> Frame | Reply | None:
    """One frame of the line; None for what is none of these."""
    found = group(read(raw))
    event = text(found.get("event"))
    if event:
        count = found.get("seq")
        whole = isinstance(count, int) and not isinstance(count, bool) and count >= 0
        return Frame(event, number(count) if whole else -1, group(found.get("data")))
    if "seq_reply" in found:
        return Reply(text(found.get("status")) == "OK")
    return None


def kind_of(channel_type: str) -> PeerKind:
    """D, G, O and P: https://api.mattermost.com/#tag/channels"""
    return {"D": PeerKind.DM, "G": PeerKind.GROUP}.get(channel_type, PeerKind.CHANNEL)


def read_posted(data: JsonObject) -> Said | None:
    """What a person has written, of an event ``posted``; None for everything else. The post and
    the list of mentions are JSON in a text."""
    said = read_post(group(read(text(data.get("post")))), kind_of(text(data.get("channel_type"))))
    if said is None:
        return None
    return replace(
        said,
        team=identity(data.get("team_id")),
        username=text(data.get("sender_name")).removeprefix("@")[:_LONGEST_NAME],
        told=frozenset(texts(read(text(data.get("mentions"))))),
    )


def read_post(post: JsonObject, kind: PeerKind, team: str = "") -> Said | None:
    """A post, of an event or of a room's history; None for what no person wrote, and for what is
    deleted or an older form of a post that was changed (``original_id``)."""
    found = {name: identity(post.get(name)) for name in ("id", "user_id", "channel_id")}
    if not all(found.values()) or text(post.get("type")) not in _WORDS:
        return None
    if number(post.get("delete_at")) or text(post.get("original_id")):
        return None
    props = group(post.get("props"))
    if any(str(props.get(name) or "").lower() == "true" for name in _MACHINES):
        return None
    raw, files = text(post.get("message")), _files(post)
    if not raw.strip() and not files:
        return None
    return Said(
        found["id"],
        found["user_id"],
        found["channel_id"],
        kind,
        raw,
        min(number(post.get("create_at")), _LATEST_MS),
        root=identity(post.get("root_id")),
        team=team,
        files=files,
    )


def addresses(said: Said, me: Me, settings: Settings) -> bool:
    """Whether a message in a room is for the assistant, as far as it says so itself. Mattermost
    tells everybody of what calls everybody: that names nobody."""
    if settings.hears_all or names(said.raw, me.username):
        return True
    if without_prefix(said.raw, settings.prefixes) is not None:
        return True
    return me.id in said.told and not calls_everybody(said.raw)


def envelope_of(
    said: Said,
    me: Me,
    settings: Settings,
    person: Person | None,
    *,
    to_us: bool,
    answers: Quoted | None = None,
) -> Envelope:
    """The message; `person` is who wrote it, `answers` what its thread began with."""
    known = person or Person()
    direct = said.kind is PeerKind.DM
    bare = None if direct else without_prefix(said.raw, settings.prefixes)
    username = known.username or said.username
    return Envelope(
        CHANNEL,
        said.id,
        Sender(said.user, known.name or username, username),
        without_our_name(said.raw, me.username) if bare is None else bare,
        datetime.fromtimestamp(said.at / 1000, UTC),
        peer=Peer(said.kind, said.user if direct else said.room),
        team_id=said.team,
        thread_id=said.root,
        # Who is called by other names is for the program to say.
        mentioned=True if to_us else None,
        files=said.files,
        quoted=answers,
    )


def quoted_post(post: JsonObject, person: Person | None, me: Me) -> Quoted | None:
    """What a thread began with, whoever wrote it; None where it is gone."""
    user, known = identity(post.get("user_id")), person or Person()
    if not user or number(post.get("delete_at")):
        return None
    writer = Sender(user, known.name or known.username, known.username)
    return quoted(text(post.get("message")), writer, _files(post), ours=user == me.id)


def person_of(raw: JsonObject) -> Person:
    """https://api.mattermost.com/#tag/users/operation/GetUsersByIds"""
    whole = " ".join(text(raw.get(one)) for one in ("first_name", "last_name"))
    name = " ".join((text(raw.get("nickname")).strip() or whole).split())
    username = text(raw.get("username"))[:_LONGEST_NAME]
    return Person(username, name[:_LONGEST_NAME], raw.get("is_bot") is True)


def _files(post: JsonObject) -> tuple[RemoteFile, ...]:
    """Those that stand in the post; what is known of them stands in its metadata."""
    about = rows(group(post.get("metadata")).get("files"))
    known = {identity(one.get("id")): one for one in about}
    named = dict.fromkeys([*map(identity, texts(post.get("file_ids"))), *known])
    return tuple(_file(one, known.get(one, {})) for one in named if one)[:_MOST_FILES]


def _file(file_id: str, about: JsonObject) -> RemoteFile:
    media_type = text(about.get("mime_type")).partition(";")[0].strip()[:_LONGEST_NAME]
    name = text(about.get("name"))[-_LONGEST_NAME:] or "file"
    return RemoteFile(file_id, name, media_type, number(about.get("size")))
