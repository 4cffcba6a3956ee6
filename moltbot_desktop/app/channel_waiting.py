"""Settings of channels that are known and that nothing reads yet, and those that nobody knows.

    waiting = waiting_settings(written, places)         # ("customCommands", "guilds.9.slug")
    without(written, waiting)                           # what a schema is asked about
    near("alowFrom", known)                             # "allowFrom"

They are the reference's; a file that was made for it is taken over as it is. An account is not
refused for one: what it would have done is not done, and the person is told so by `channels
status`, `doctor`, `config validate` and the channel's page. A manifest names those of its own
channel (``waiting``); what a schema has, no list puts off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from moltbot_desktop.core.json import JsonObject, JsonValue

ANY = "*"
"""Stands for a free name, such as a room's."""
OF_EVERY_CHANNEL = (
    *("capabilities", "markdown", "commands", "configWrites", "historyLimit", "dmHistoryLimit"),
    *("dms", "blockStreamingCoalesce", "draftChunk", "retry", "network", "timeoutSeconds"),
    *("actions", "reactionNotifications", "reactionAllowlist", "reactionLevel", "heartbeat"),
    *("linkPreview", "allowBots", "requireMention", "responsePrefix", "defaultAccount"),
    *("webhookUrl", "webhookSecret", "webhookPath", "dm.groupEnabled", "dm.groupChannels"),
    *("dm.replyToMode", "groups.*.systemPrompt", "groups.*.topics.*.systemPrompt"),
    *("groups.*.topics.*.enabled", "groups.*.topics.*.requireMention"),
    *("groups.*.topics.*.allowFrom", "channels.*.systemPrompt", "channels.*.allowBots"),
    *("rooms.*.systemPrompt", "rooms.*.autoReply"),
)
"""Places that the reference's channels have in common."""
_MOST = 50
"""Of the places that are told of one account."""


def waiting_settings(
    written: JsonObject, places: Iterable[str], properties: JsonObject
) -> tuple[tuple[str, ...], ...]:
    """Which of `places` are there in one account's settings, as steps; `properties` are those of
    its schema."""
    found: dict[tuple[str, ...], None] = {}
    for place in places:
        pattern = tuple(place.split("."))
        if len(pattern) > 1 or pattern[0] not in properties:
            found.update(dict.fromkeys(_matches(written, pattern)))
    return tuple(found)[:_MOST]


def without(written: JsonObject, places: Sequence[tuple[str, ...]]) -> JsonObject:
    """`written` with nothing at `places`."""
    left: dict[str, JsonValue] = dict(written)
    for name in dict.fromkeys(place[0] for place in places):
        deeper = [place[1:] for place in places if place[0] == name]
        inner = left.get(name)
        if () in deeper:
            left.pop(name, None)
        elif isinstance(inner, Mapping):
            left[name] = without(inner, deeper)
    return left


def near(name: str, known: Iterable[str]) -> str:
    """What was probably meant, "" when nothing is near."""
    by_small = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), sorted(by_small), n=1)
    return by_small[found[0]] if found else ""


def _matches(value: JsonValue, pattern: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not pattern:
        yield ()
        return
    if not isinstance(value, Mapping):
        return
    first, *rest = pattern
    names = tuple(value) if first == ANY else (first,) if first in value else ()
    for name in names:
        for behind in _matches(value[name], tuple(rest)):
            yield (name, *behind)
