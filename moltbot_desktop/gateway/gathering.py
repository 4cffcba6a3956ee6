"""Quick messages of one person taken as one: `messages.inbound.debounceMs`.

    gathering = Gathering(seconds, merge, handle)
    await gathering.take(accepted)      # handled after some quiet, with what else they wrote

People write a thought in three messages. While somebody who writes so goes on, their messages
wait; then the last of them is handled with the words of all. They are one message on the disk
before that (`MailBook.merge`), so that a crash answers them once, and each is known should it be
delivered again. A command, a stop word and a file wait for nothing, and what waits goes before
them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from moltbot_desktop.gateway.commands.detection import is_command_message, may_hold_command
from moltbot_desktop.gateway.mail_items import Accepted
from moltbot_desktop.sdk.channels import DeliveryTarget, Envelope

MOST_TOGETHER = 20
"""Messages; somebody who never pauses is answered too."""

_log = logging.getLogger(__name__)

_Writer = tuple[DeliveryTarget, str]
Merge = Callable[[Sequence[Accepted], Envelope], Awaitable[Accepted | None]]
"""Makes several kept messages one with those words; None when they stay what they are."""


@dataclass
class _Held:
    messages: list[Accepted] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None


class Gathering:
    """Lives on the agent's event loop.

    Attributes:
        seconds: of quiet that a message waits for; 0 for none.
        handle: is given each message that is ready, in the order of each writer.
    """

    def __init__(
        self,
        seconds: Callable[[Envelope], float],
        merge: Merge,
        handle: Callable[[Accepted], None],
    ) -> None:
        self._seconds = seconds
        self._merge = merge
        self._handle = handle
        self._held: dict[_Writer, _Held] = {}
        self._handing: dict[_Writer, asyncio.Task[None]] = {}
        self._closing = False

    async def take(self, accepted: Accepted) -> None:
        """Handle it now or soon."""
        envelope = accepted.envelope
        writer = (envelope.reply_target, envelope.sender.id)
        wait = 0.0 if hurries(envelope) else self._seconds(envelope)
        if wait <= 0:
            await self._hand_on(writer)
            if not self._closing:
                self._handle(accepted)
            return
        held = self._held.setdefault(writer, _Held())
        held.messages.append(accepted)
        if held.timer is not None:
            held.timer.cancel()
        if len(held.messages) >= MOST_TOGETHER:
            await self._hand_on(writer)
        else:
            loop = asyncio.get_running_loop()
            held.timer = loop.call_later(wait, self._begin, writer)

    def begin_closing(self) -> None:
        """What waits stays in the inbox for the next start."""
        self._closing = True
        for held in self._held.values():
            if held.timer is not None:
                held.timer.cancel()
        self._held.clear()

    async def close(self) -> None:
        self.begin_closing()
        await asyncio.gather(*self._handing.values(), return_exceptions=True)

    async def _hand_on(self, writer: _Writer) -> None:
        """Everything that waits of a writer, and what is on its way already."""
        self._begin(writer)
        while (task := self._handing.get(writer)) is not None:
            await asyncio.wait([task])

    def _begin(self, writer: _Writer) -> None:
        held = self._held.pop(writer, None)
        if held is None:
            return
        if held.timer is not None:
            held.timer.cancel()
        before = self._handing.get(writer)
        task = asyncio.get_running_loop().create_task(
            self._one(before, held.messages), name="gathered"
        )
        self._handing[writer] = task
        task.add_done_callback(lambda done: self._done(writer, done))

    def _done(self, writer: _Writer, task: asyncio.Task[None]) -> None:
        if self._handing.get(writer) is task:
            del self._handing[writer]
        if not task.cancelled() and (error := task.exception()) is not None:
            # It lies in the inbox, and the next start sees to it.
            _log.error("messages that were put together broke", exc_info=error)

    async def _one(self, before: asyncio.Task[None] | None, messages: Sequence[Accepted]) -> None:
        if before is not None:
            await asyncio.wait([before])
        merged = await self._merge(messages, together(messages)) if len(messages) > 1 else None
        for one in (merged,) if merged is not None else messages:
            if not self._closing:
                self._handle(one)


def hurries(envelope: Envelope) -> bool:
    """Whether a message is not to wait: it is a command or may hold one, or a file came."""
    text = envelope.text
    came = bool(envelope.attachments or envelope.files)
    return came or is_command_message(text) or may_hold_command(text)


def together(messages: Sequence[Accepted]) -> Envelope:
    """The last of them with the words of all, each on lines of its own."""
    envelopes = [one.envelope for one in messages]
    named = [one.mentioned for one in envelopes]
    answers = next(
        (one for one in reversed(envelopes) if one.reply_to or one.quoted), envelopes[-1]
    )
    return replace(
        envelopes[-1],
        text="\n".join(one.text for one in envelopes if one.text.strip()),
        mentioned=True if True in named else named[-1],
        reply_to=answers.reply_to,
        quoted=answers.quoted,
    )
