"""An answer shown while it is written, on channels that can change what they have sent.

    drafts.show(run_id, target, lambda: first_message_so_far)   # again with every word
    drafts.ended(run_id)                # the id of what stands there: `OutboundMessage.replaces`

What is shown so is never the truth: the answer itself goes through the outbox and takes the draft's
place. A draft that cannot be shown costs nothing but its sight. It begins only while nothing else
waits to go to the same place, so that it overtakes nothing. Where it stands is noted in the mail
book: after a crash the next try of the run goes on with the same message.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from moltbot_desktop.core.errors import ChannelRateLimited, MoltbotError, StorageError
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.sdk.channel_abilities import ChannelActions, EditLimits
from moltbot_desktop.sdk.channels import DeliveryTarget, OutboundMessage

LAST_SECONDS = 5.0
"""That the end of a run waits for a change that is on its way."""
_LONGEST_PAUSE = 30.0
_log = logging.getLogger(__name__)

Make = Callable[[], OutboundMessage | None]
GetActions = Callable[[str, str], ChannelActions | None]


class DraftNotes(Protocol):
    """Where drafts stand; on the disk (`MailDesk`)."""

    async def drafted(self, run_id: RunId, platform_id: str) -> None: ...

    async def draft(self, run_id: RunId) -> str:
        """Of this try of a run or an earlier one, "" for none."""
        ...


@dataclass
class _Draft:
    """One message that grows. `id` is the platform's, "" while nothing stands there."""

    run_id: RunId
    target: DeliveryTarget
    make: Make
    id: str = ""
    text: str = ""
    edits: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    on_its_way: asyncio.Lock = field(default_factory=asyncio.Lock)
    task: asyncio.Task[None] | None = None


class Drafts:
    """Lives on the agent's event loop."""

    def __init__(
        self,
        actions: GetActions,
        is_free: Callable[[DeliveryTarget], Awaitable[bool]],
        notes: DraftNotes,
    ) -> None:
        """`is_free`: nothing waits to go there."""
        self._actions = actions
        self._is_free = is_free
        self._notes = notes
        self._drafts: dict[RunId, _Draft] = {}

    def show(self, run_id: RunId, target: DeliveryTarget, make: Make) -> None:
        """Have `make` asked for the message as it is by then, as often as the platform allows."""
        draft = self._drafts.get(run_id)
        if draft is None:
            draft = self._drafts[run_id] = _Draft(run_id, target, make)
            keeping = asyncio.get_running_loop().create_task(self._keep(draft), name="draft")
            keeping.add_done_callback(_over)
            draft.task = keeping
        draft.make = make
        draft.changed.set()

    async def ended(self, run_id: RunId, *, again: bool = False) -> str:
        """Change it no more; the platform's id of what stands there, "" for nothing.

        Args:
            again: an earlier try of the run may have left it there.
        """
        draft = self._drafts.pop(run_id, None)
        if draft is None or draft.task is None:
            return await self._left(run_id) if again else ""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_SECONDS):
                await draft.on_its_way.acquire()
        draft.task.cancel()
        return draft.id or (await self._left(run_id) if again else "")

    def close(self) -> None:
        """Change nothing any more."""
        for draft in self._drafts.values():
            if draft.task is not None:
                draft.task.cancel()
        self._drafts.clear()

    async def _keep(self, draft: _Draft) -> None:
        while True:
            await draft.changed.wait()
            draft.changed.clear()
            actions = self._actions(draft.target.channel, draft.target.account)
            limits = actions.capabilities.edit if actions is not None else None
            if actions is None or limits is None:
                return
            pause = limits.seconds
            try:
                async with draft.on_its_way:
                    await self._update(draft, actions, limits)
            except ChannelRateLimited as error:
                pause = max(pause, min(error.retry_after or pause, _LONGEST_PAUSE))
            except MoltbotError as error:
                _log.info("an answer is not shown while it is written: %s", error)
                return
            await asyncio.sleep(pause)

    async def _update(self, draft: _Draft, actions: ChannelActions, limits: EditLimits) -> None:
        message = draft.make()
        if message is None or message.text == draft.text:
            return
        if not draft.id:
            draft.id = await self._left(draft.run_id)
        if not draft.id:
            if await self._is_free(draft.target):
                draft.id = await actions.send(message, f"{draft.run_id}:draft")
                await self._notes.drafted(draft.run_id, draft.id)
        elif not limits.most or draft.edits < limits.most - 1:  # the last one is the answer's
            await actions.edit(draft.id, message)
            draft.edits += 1
        draft.text = message.text

    async def _left(self, run_id: RunId) -> str:
        try:
            return await self._notes.draft(run_id)
        except StorageError as error:
            _log.warning("where an answer was begun is not known: %s", error)
            return ""


def _over(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.warning("a draft broke", exc_info=error)
