"""Who is who on a server, and where they are written to: asked once, kept while connected.

    person = await people.who("…")              # Person("ada", "Ada"); None where it is not told
    room = await people.room("…")               # the id of the conversation with them

A name is a courtesy: a message never waits long for one, nor fails for want of it.
"""

from __future__ import annotations

import asyncio
from typing import TypeVar

from moltbot_desktop.core.errors import ChannelError
from moltbot_desktop.extensions.mattermost.client import MattermostClient
from moltbot_desktop.extensions.mattermost.events import Me, Person, person_of
from moltbot_desktop.extensions.mattermost.values import group, identity, rows, text

NAME_SECONDS = 2.0
_MOST_KNOWN = 5_000
_T = TypeVar("_T")


class People:
    """Belongs to one connection."""

    def __init__(self, client: MattermostClient, me: Me) -> None:
        self._client = client
        self._me = me
        self._known: dict[str, Person] = {}
        self._rooms: dict[str, str] = {}

    def writes_from(self, user: str, room: str) -> None:
        """A private message came: where to answer."""
        _put(self._rooms, user, room)

    async def room(self, user: str) -> str:
        """The id of the conversation with a person, which is made where there is none.
        https://api.mattermost.com/#tag/channels/operation/CreateDirectChannel

        Raises:
            ChannelError: there is no such person.
        """
        if user not in self._rooms:
            answer = await self._client.ask("POST", "/channels/direct", [self._me.id, user])
            _put(self._rooms, user, identity(group(answer).get("id")))
        return self._rooms[user]

    async def who(self, user: str) -> Person | None:
        """None where it cannot be found quickly."""
        if user not in self._known:
            try:
                async with asyncio.timeout(NAME_SECONDS):
                    answer = await self._client.ask("POST", "/users/ids", [user])
            except (TimeoutError, ChannelError):
                return None  # asked again with the next message
            found = [one for one in rows(answer) if text(one.get("id")) == user]
            if not found:
                return None
            _put(self._known, user, person_of(found[0]))
        return self._known[user]


def _put(known: dict[str, _T], key: str, value: _T) -> None:
    if len(known) >= _MOST_KNOWN:
        known.clear()
    known[key] = value
