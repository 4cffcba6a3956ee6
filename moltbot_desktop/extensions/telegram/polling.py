"""Asks Telegram for updates without end, and hands each message over once it is whole.

    await Polling(client, me, account, clock, settings).run()       # until cancelled

The next question is what tells Telegram that the updates before are done with; it is put when they
are on this computer's disk. Whatever breaks before that, Telegram sends them again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, ChannelRateLimited, ChannelRefused
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.telegram.client import Result
from moltbot_desktop.extensions.telegram.cursor import Cursor, day_of
from moltbot_desktop.extensions.telegram.refusals import Refusal
from moltbot_desktop.extensions.telegram.updates import (
    WANTED,
    Update,
    envelopes,
    plain_id,
    read_updates,
    settled,
)
from moltbot_desktop.extensions.telegram.wording import Me
from moltbot_desktop.sdk.plugins import ChannelAccount

POLL_SECONDS = 25
"""That Telegram waits for a message before it says that there is none."""
_GRACE_SECONDS = 15.0
_TRIES = 3
_CONFLICT_SECONDS = 120.0
_CONFLICTS = 3
_LONGEST_PAUSE = 60.0
_KNOWN_WORDS = 500


class Asking(Protocol):
    """What is needed of `client.TelegramClient`."""

    async def ask(
        self, method: str, params: JsonObject = ..., *, seconds: float = ...
    ) -> Result | Refusal: ...

    async def call(self, method: str, params: JsonObject = ...) -> JsonValue: ...


@dataclass
class Conflicts:
    """Who asks at the same time for the same messages is told so by turns. One is often our own
    last connection, which Telegram has not missed yet; several are another program."""

    times: list[float] = field(default_factory=list)

    def too_many(self, now: float) -> bool:
        """Whether this one, at `now` seconds, is one too many."""
        self.times = [one for one in self.times if now - one < _CONFLICT_SECONDS] + [now]
        return len(self.times) > _CONFLICTS


class KnownWords:
    """What messages said lately. An edit may be told where nothing that we see has changed, and
    would then be answered twice; so one counts only where the words are known to be others."""

    def __init__(self) -> None:
        self._words: OrderedDict[tuple[str, int | None], int] = OrderedDict()

    def is_new(self, update: Update) -> bool:
        """Whether the message has to be answered; it is known from then on."""
        if (came := update.envelope) is None:
            return True
        chat = came.peer.id if came.peer is not None else ""
        key = (chat, plain_id(came.message_id))
        now = hash((came.text, tuple(one.ref for one in came.files)))
        before = self._words.get(key)
        self._words[key] = now
        self._words.move_to_end(key)
        if len(self._words) > _KNOWN_WORDS:
            self._words.popitem(last=False)
        return not update.edited or (before is not None and before != now)


@dataclass
class Polling:
    """Attributes:
    moved: told of each group that got another id, (old, new).
    refused: the error that a refusal is, in the person's language.
    album_seconds: between two looks at an album that may still grow.
    conflict_seconds: that another one who asks is given to end.
    """

    client: Asking
    me: Me
    account: ChannelAccount
    clock: Clock
    replace_webhook: bool
    moved: Callable[[str, str], None]
    refused: Callable[[Refusal], ChannelError]
    album_seconds: float = 0.7
    conflict_seconds: float = 3.0
    _known: KnownWords = field(default_factory=KnownWords, init=False)
    _conflicts: Conflicts = field(default_factory=Conflicts, init=False)

    async def run(self) -> None:
        """Until cancelled.

        Raises:
            ChannelRefused: another program gets the messages.
            ChannelError: Telegram does not answer any more.
        """
        cursor = Cursor.read(self.account.cursor, bot=self.me.id, day=self._today())
        growing = ("", 0)  # the album at the end, and how much of it there was at the last look
        while True:
            cursor = cursor.fresh(self._today())
            updates = await self._asked(cursor, 0 if growing[1] else POLL_SECONDS)
            self.account.heard()
            ready = settled(updates)
            album = (updates[-1].album, len(updates) - ready) if updates else ("", 0)
            if album[1] and album != growing:
                growing = album
                cursor = await self._handed_over(updates[:ready], cursor)
                await asyncio.sleep(self.album_seconds)
                continue
            growing = ("", 0)
            cursor = await self._handed_over(updates, cursor)

    async def _handed_over(self, updates: Sequence[Update], before: Cursor) -> Cursor:
        """Have them kept; where to go on."""
        if not updates:
            return before
        after = Cursor(self.me.id, updates[-1].id + 1, self._today())
        for one in updates:
            if one.moved is not None:
                self.moved(*one.moved)
        messages = envelopes([one for one in updates if self._known.is_new(one)])
        if messages:
            # Only the last one stands for all: an album takes the place of its first.
            await self.account.receive(
                [
                    *(replace(one, cursor=str(before)) for one in messages[:-1]),
                    replace(messages[-1], cursor=str(after)),
                ]
            )
        return after

    async def _asked(self, cursor: Cursor, wait: int) -> list[Update]:
        """The updates from there on. What goes by is waited for, a little."""
        params: JsonObject = {
            "offset": cursor.next,
            "timeout": wait,
            "allowed_updates": list(WANTED),
        }
        failures = 0
        while True:
            try:
                reply = await self.client.ask("getUpdates", params, seconds=wait + _GRACE_SECONDS)
                if isinstance(reply, Result):
                    found = read_updates(reply.value, self.me)
                    return [one for one in found if one.id >= cursor.next]
                await self._mended(reply)
            except ChannelRateLimited as error:
                self.account.heard()
                await asyncio.sleep(min(error.retry_after or 1.0, _LONGEST_PAUSE))
            except ChannelRefused:
                raise
            except ChannelError:
                failures += 1
                if failures >= _TRIES:
                    raise
                await asyncio.sleep(0.3 * failures)

    async def _mended(self, refusal: Refusal) -> None:
        """Do what can be done about a refusal, so that it is worth while to ask again."""
        if refusal.is_webhook and self.replace_webhook:
            await self.client.call("deleteWebhook", {"drop_pending_updates": False})
            return
        if refusal.is_elsewhere and not self._conflicts.too_many(self.clock.monotonic()):
            self.account.heard()
            await asyncio.sleep(self.conflict_seconds)
            return
        raise self.refused(refusal)

    def _today(self) -> int:
        return day_of(self.clock.now().timestamp())
