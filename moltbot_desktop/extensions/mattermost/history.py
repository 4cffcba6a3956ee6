"""What was written while nobody listened: Mattermost keeps it, room by room.

    for said in await missed(client, since): ...     # behind that time, the oldest first

A room is read from its youngest post backwards: what the server gives for ``since`` has no order
beyond a thousand posts, and has what was merely changed.
https://api.mattermost.com/#tag/posts/operation/GetPostsForChannel
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from moltbot_desktop.core.errors import ChannelNotFound, ChannelRateLimited, ChannelRefused
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.extensions.mattermost.client import MattermostClient
from moltbot_desktop.extensions.mattermost.events import Said, kind_of, read_post
from moltbot_desktop.extensions.mattermost.values import (
    group,
    identity,
    number,
    rows,
    text,
    texts,
)
from moltbot_desktop.sdk.channels import PeerKind

PAGE = 200
MOST_PAGES = 5
"""Of one room; what is older was too much to be answered."""
SLACK_MS = 60_000
"""Rooms are told independently of each other: an older message may come after a younger one."""
LOOK_BACK_MS = 86_400_000
"""What is older is not answered any more."""
_MOST_PAUSES = 10
_LONGEST_PAUSE = 30.0
_log = logging.getLogger(__name__)


def since_of(cursor: str, began: int, now: int) -> int:
    """Behind which time there may be messages that nobody has seen; milliseconds since 1970.

    Args:
        cursor: as it was kept, "" at the first time.
        began: when this program first listened with this account: nothing before it is looked
            for unless something was kept before.
    """
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 16):
        return began
    return max(int(cursor) - SLACK_MS, now - LOOK_BACK_MS, 0)


async def missed(client: MattermostClient, since: int) -> list[Said]:
    """What people wrote behind `since`, in all rooms that we are in, the oldest first.

    Raises:
        ChannelError: Mattermost does not tell it now.
    """
    found: list[Said] = []
    for room in rows(await _patiently(client, "/users/me/channels")):
        room_id = identity(room.get("id"))
        if not room_id or number(room.get("last_post_at")) <= since:
            continue
        kind, team = kind_of(text(room.get("type"))), identity(room.get("team_id"))
        try:
            found += await _behind(client, room_id, kind, team, since)
        except (ChannelNotFound, ChannelRefused) as error:
            _log.info("mattermost: a room cannot be looked through: %s", error)
    return sorted(found, key=lambda one: one.order)


async def _behind(
    client: MattermostClient, room: str, kind: PeerKind, team: str, since: int
) -> list[Said]:
    found: dict[str, Said] = {}
    for page in range(MOST_PAGES):
        asked = {"page": str(page), "per_page": str(PAGE), "skipFetchThreads": "true"}
        answer = group(await _patiently(client, f"/channels/{room}/posts", asked))
        posts = group(answer.get("posts"))
        order = [group(posts.get(one)) for one in texts(answer.get("order"))]
        for post in order:
            said = read_post(post, kind, team)
            if said is not None and said.room == room and said.at > since:
                found[said.id] = said
        if len(order) < PAGE or number(order[-1].get("create_at")) <= since:
            break
    return list(found.values())


async def _patiently(
    client: MattermostClient, path: str, params: Mapping[str, str] | None = None
) -> JsonValue:
    """The answer, after the pauses that are asked for: there may be many rooms."""
    for _ in range(_MOST_PAUSES):
        try:
            return await client.ask("GET", path, params=params)
        except ChannelRateLimited as error:
            await asyncio.sleep(min(error.retry_after or 1.0, _LONGEST_PAUSE))
    return await client.ask("GET", path, params=params)
