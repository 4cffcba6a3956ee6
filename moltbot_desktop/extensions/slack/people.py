"""Who is who in a workspace, and where they are written to: asked once, kept while connected.

    names = await people.names({"U42"})         # {"U42": "Ada"}; nothing for whom Slack hides
    room = await people.room("U42")             # "D42", where private messages go

A name is a courtesy: a message never waits long for one, nor fails for want of the permission.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping

from moltbot_desktop.core.errors import ChannelError
from moltbot_desktop.extensions.slack.client import SlackClient
from moltbot_desktop.extensions.slack.refusals import Refusal
from moltbot_desktop.sdk.foreign_json import group, text

NAME_SECONDS = 1.0
"""Slack wants a message acknowledged within three."""
_MOST_KNOWN = 5_000
_MOST_ASKED = 10
_LONGEST_NAME = 100


class People:
    """Belongs to one connection."""

    def __init__(self, client: SlackClient) -> None:
        self._client = client
        self._names: dict[str, str] = {}
        self._rooms: dict[str, str] = {}

    def writes_from(self, user: str, room: str) -> None:
        """A private message came: where to answer."""
        _put(self._rooms, user, room)

    async def room(self, user: str) -> str:
        """The id of the conversation with a person.

        Raises:
            ChannelError: there is none.
        """
        if user not in self._rooms:
            answer = await self._client.call("conversations.open", {"users": user})
            _put(self._rooms, user, text(group(answer.get("channel")).get("id")))
        return self._rooms[user]

    async def names(self, users: Iterable[str]) -> Mapping[str, str]:
        """Names by id, of those that can be found quickly."""
        wanted = sorted(users)[:_MOST_ASKED]
        try:
            async with asyncio.timeout(NAME_SECONDS):
                for one in wanted:
                    if one not in self._names:
                        _put(self._names, one, await self._asked(one))
        except (TimeoutError, ChannelError):
            pass  # asked again with the next message
        return {one: name for one in wanted if (name := self._names.get(one))}

    async def _asked(self, user: str) -> str:
        reply = await self._client.ask("users.info", {"user": user})
        if isinstance(reply, Refusal):
            return ""
        found = group(reply.get("user"))
        profile = group(found.get("profile"))
        written = (profile.get("display_name"), profile.get("real_name"), found.get("name"))
        name = next(filter(None, map(text, written)), "")
        return " ".join(name.split())[:_LONGEST_NAME]


def _put(known: dict[str, str], key: str, value: str) -> None:
    if len(known) >= _MOST_KNOWN:
        known.clear()
    known[key] = value
