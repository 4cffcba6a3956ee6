"""The postman: the task that carries what lies in the outbox to its channels.

    postman = Postman(mail, clock, outgoing, on_lost, random.random)
    await postman.run()               # until cancelled; what was begun gets a moment to end

Messages to one target go out one at a time, in the order they were posted; targets go side by
side. What a channel cannot take now is tried again, ever more seldom and for a day; what it
refuses for good is given up at once, and the person is told. A row is ended only after the
channel took it, so after a crash in between it is sent again, with the same idempotency key.

Where several wait for one target the next is sent while it is still being written down that the
one before went, so that a flush of the disk holds nobody up: what a crash makes come again are
those that went in that moment, in their order.

A message that the platform calls too long is cut once more, to what it says it takes or else to
half. A token that is not taken any more costs no message: they wait until it is set right.

What happens when is decided in `chosen` and `next_try`, which are pure.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
    IndexCorrupt,
    MoltbotError,
    StorageError,
)
from moltbot_desktop.gateway.chunks import blocks, texts
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mail_items import OutboxHead, OutboxRow
from moltbot_desktop.sdk.channels import OutboundMessage, Outgoing

_log = logging.getLogger(__name__)

FIRST_WAIT = 1.0
"""Seconds before the second try; each further wait is twice as long, up to `LONGEST_WAIT`."""
LONGEST_WAIT = 120.0
LONGEST_PAUSE = 3600.0
"""Seconds that a platform can ask for."""
GIVEN_UP_AFTER = 24 * 3600.0
"""Seconds; an answer that comes later than that is no answer. It is tried once more even so: the
computer may have slept."""
GONE_AFTER = 14 * 24 * 3600.0
"""Seconds that a message waits for a channel which is not there: switched off, or taken out of
the settings."""
MOST_BUGS = 5
"""Tries of a message that breaks its channel's code; it would hold up all that are behind it."""
SEND_SECONDS = 60.0
MOST_AT_ONCE = 32
MOST_IN_A_ROW = 16
"""Messages to one target that are sent before all of them have been written down."""
LONGEST_SLEEP = 30.0
TIDY_SECONDS = 3600.0
_DISK_PAUSE = 5.0
_GRACE = 1.0
_LAST_MOMENT = 0.5
_TOO_LONG = ChannelError(
    f"The channel did not take a message within {SEND_SECONDS:.0f} seconds.",
    hint="It is tried again.",
)
_GONE = "The channel is not connected any more."

GetOutgoing = Callable[[str, str], Outgoing | None]
"""The sending side of (channel, account); None while it is not there, and its messages wait."""


@dataclass(frozen=True)
class LostMessage:
    """One that was given up: by which channel it was to go, what it said ("" when that cannot be
    read any more), and the problem in words for a person."""

    channel: str
    text: str
    problem: str


@dataclass(frozen=True)
class Chosen:
    """What to look after now, and the seconds until there may be more."""

    now: tuple[OutboxHead, ...]
    wait: float


@dataclass(frozen=True)
class _Problem:
    """Why a message did not go; `error` is None when the channel's code broke."""

    error: MoltbotError | None
    text: str


def chosen(
    heads: Iterable[OutboxHead],
    second: float,
    busy: Collection[str],
    is_there: Callable[[OutboxHead], bool],
) -> Chosen:
    """Of the `heads` of all targets those that it is time for at `second` (of UTC): to be sent,
    or given up because their channel has been away for weeks.

    Args:
        busy: targets that something is being sent to.
        is_there: whether the head's channel can send.
    """
    now: list[OutboxHead] = []
    wait = LONGEST_SLEEP
    for head in heads:
        if head.target in busy:
            continue
        if not is_there(head):
            if second - head.created > GONE_AFTER:
                now.append(head)
            continue
        ahead = head.retry_at - second
        # A time that lies beyond any wait is from before the clock was set back.
        if 0 < ahead <= LONGEST_PAUSE:
            wait = min(wait, ahead)
        else:
            now.append(head)
    return Chosen(tuple(now[: max(0, MOST_AT_ONCE - len(busy))]), wait)


def next_try(
    attempts: int, age: float, problem: MoltbotError | None, jitter: float
) -> float | None:
    """Seconds until a message that just failed is tried again; None gives it up.

    Args:
        attempts: how often it failed before.
        age: seconds since it was posted.
        problem: what the channel said; None when its code broke.
        jitter: 0 to 1; messages that failed together do not all come back together.
    """
    if age > GIVEN_UP_AFTER:
        return None
    if isinstance(problem, ChannelRefused) and not isinstance(problem, ChannelAuthFailed):
        return None
    if problem is None and attempts + 1 >= MOST_BUGS:
        return None
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(attempts, 16)) * (0.5 + jitter / 2)
    if isinstance(problem, ChannelRateLimited) and problem.retry_after is not None:
        wait = max(wait, min(problem.retry_after, LONGEST_PAUSE))
    return wait


class Postman:
    """Sends what waits; one `run` at a time, by the process that is in charge of the book."""

    def __init__(
        self,
        mail: MailDesk,
        clock: Clock,
        outgoing: GetOutgoing,
        on_lost: Callable[[LostMessage], None],
        jitter: Callable[[], float],
        tidied: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`tidied`: is called after the book was tidied, once an hour."""
        self._mail = mail
        self._clock = clock
        self._outgoing = outgoing
        self._on_lost = on_lost
        self._jitter = jitter
        self._further = tidied
        self._woken = asyncio.Event()
        self._sending: dict[str, asyncio.Task[None]] = {}
        self._tidied: float | None = None
        mail.on_posted(self.wake)

    def wake(self) -> None:
        """Look at the outbox now: something was posted, or a channel is there again."""
        self._woken.set()

    async def run(self) -> None:
        """Send until cancelled; what is being sent then gets a second to end."""
        try:
            while True:
                self._woken.clear()
                wait = await self._round()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._woken.wait()
        finally:
            await self._let_go()

    async def _round(self) -> float:
        """Begin what is due; seconds until the next look."""
        try:
            await self._tidy()
            heads = await self._mail.heads()
        except StorageError as error:
            _log.warning("the outbox cannot be read: %s", error)
            return LONGEST_SLEEP
        second = self._clock.now().timestamp()
        choice = chosen(heads, second, self._sending.keys(), self._is_there)
        for head in choice.now:
            task = asyncio.get_running_loop().create_task(self._deliver(head), name="send")
            self._sending[head.target] = task
            task.add_done_callback(functools.partial(self._delivered, head.target))
        return choice.wait

    def _is_there(self, head: OutboxHead) -> bool:
        return self._outgoing(head.channel, head.account) is not None

    def _delivered(self, target: str, task: asyncio.Task[None]) -> None:
        del self._sending[target]
        self.wake()
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("sending broke", exc_info=error)

    async def _tidy(self) -> None:
        now = self._clock.monotonic()
        if self._tidied is None or now - self._tidied >= TIDY_SECONDS:
            self._tidied = now
            await self._mail.tidy()
            if self._further is not None:
                await self._further()

    async def _let_go(self) -> None:
        for patience in (_GRACE, _LAST_MOMENT):
            if self._sending:
                await asyncio.wait(self._sending.values(), timeout=patience)
            for task in self._sending.values():
                task.cancel()

    # ---------------------------------------------------------------- one message

    async def _deliver(self, head: OutboxHead) -> None:
        try:
            rows = await self._mail.load(head.id, MOST_IN_A_ROW)
        except IndexCorrupt as error:
            await self._give_up(head.id, head.channel, "", str(error))
            return
        except StorageError as error:
            _log.warning("the outbox cannot be read: %s", error)
            await asyncio.sleep(_DISK_PAUSE)
            return
        noted: list[asyncio.Task[None]] = []
        for row in rows:
            outgoing = self._outgoing(head.channel, head.account)
            if outgoing is None:  # it went just now, or for too long
                if self._clock.now().timestamp() - head.created > GONE_AFTER:
                    await self._give_up(row.id, head.channel, _told_of(row.message), _GONE)
                break
            problem = await self._sent(row, outgoing)
            if isinstance(problem, str):
                note = functools.partial(self._mail.sent, row.id, problem)
                task = asyncio.get_running_loop().create_task(self._noted(note), name="sent")
                noted.append(task)
                continue
            await self._failed(head, row, problem)
            break
        if noted:  # not gathered: what was sent is written down also when this is stopped
            await asyncio.wait(noted)

    async def _sent(self, row: OutboxRow, outgoing: Outgoing) -> str | _Problem:
        """The platform's id of it, or what went wrong."""
        try:
            async with asyncio.timeout(SEND_SECONDS):
                try:
                    return await outgoing.send(row.message, row.idempotency_key)
                except ChannelTooLong as error:
                    return await _in_pieces(row, outgoing, error)
        except MoltbotError as error:
            return _Problem(error, str(error))
        except TimeoutError:
            return _Problem(_TOO_LONG, str(_TOO_LONG))
        except Exception as error:  # noqa: BLE001 - border: a channel's bug stops no other channel
            _log.exception("channel %s broke", row.message.target.channel)
            return _Problem(None, f"{type(error).__name__}: {error}")

    async def _failed(self, head: OutboxHead, row: OutboxRow, problem: _Problem) -> None:
        now = self._clock.now()
        age = (now - row.created).total_seconds()
        wait = next_try(row.attempts, age, problem.error, self._jitter())
        if wait is None:
            await self._give_up(row.id, head.channel, _told_of(row.message), problem.text)
            return
        retry_at = now + timedelta(seconds=wait)
        await self._noted(lambda: self._mail.failed(row.id, problem.text, retry_at))

    async def _give_up(self, row_id: int, channel: str, text: str, problem: str) -> None:
        await self._noted(lambda: self._mail.failed(row_id, problem, None))
        self._on_lost(LostMessage(channel, text, problem))

    async def _noted(self, note: Callable[[], Awaitable[None]]) -> None:
        """Write down what happened. While the disk does not take it the target waits: a message
        whose sending is not noted would be sent again."""
        while True:
            try:
                await note()
            except StorageError as error:
                _log.warning("what was sent cannot be noted: %s", error)
                await asyncio.sleep(_DISK_PAUSE)
            else:
                return


def _told_of(message: OutboundMessage) -> str:
    return message.text or ", ".join(one.name for one in message.attachments)


async def _in_pieces(row: OutboxRow, outgoing: Outgoing, error: ChannelTooLong) -> str:
    """Send a message that was too long in pieces; the platform's id of the last.

    Raises:
        ChannelRefused: also a piece is too long; it is not cut again.
    """
    message, sent = row.message, ""
    size = len(message.text)
    limit = error.limit if 0 < error.limit < size else size // 2
    for number, text in enumerate(texts(blocks(message.text, most=max(1, limit), least=1))):
        piece = replace(message, text=text, attachments=message.attachments if number == 0 else ())
        if number:
            piece = replace(piece, replaces="")
        sent = await outgoing.send(piece, f"{row.idempotency_key}.{number}")
    return sent
