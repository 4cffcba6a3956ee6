"""Between the model thread and the event loop that waits for an answer.

    mail = Mail(loop, queue)                    # model thread -> loop: events
    watch = CancelWatch(loop, job, cancel)      # loop -> model thread: that it is over

Both are written for the core on which the model computes: what they do at every token takes
from its speed, and a small model writes a token in a few milliseconds.
"""

from __future__ import annotations

import asyncio

from moltbot_desktop.models.thread import Job
from moltbot_desktop.sdk.models import ModelEvent, TextDelta
from moltbot_desktop.sdk.tools import CancelToken

# How often the loop asks a token that can only be asked. Between tokens the model thread asks it
# too; this is for the middle of a long evaluation.
CANCEL_POLL_SECONDS = 0.02
# A reader cannot tell 30 pieces a second from more. Each one wakes the other thread, which then
# holds the interpreter just when the model thread wants it back.
TEXT_INTERVAL_SECONDS = 0.033


class Mail:
    """Brings events from the model thread to the loop, text at most every 33 ms.

    A fast model writes tokens faster than anybody reads, and each delivery wakes the other thread.
    The first text goes at once; what waits goes out with the next token that comes late enough, or
    before whatever follows the text.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[ModelEvent | None]
    ) -> None:
        self._loop = loop
        self._queue = queue
        self._waiting: list[str] = []
        self._thinking = False
        self._sent_at = -TEXT_INTERVAL_SECONDS

    def send(self, event: ModelEvent | None) -> None:
        """Hand on `event`; None is the end. Called on one thread at a time."""
        if isinstance(event, TextDelta):
            if self._waiting and event.thinking != self._thinking:
                self._send_text()
            self._thinking = event.thinking
            self._waiting.append(event.text)
            if self._loop.time() - self._sent_at >= TEXT_INTERVAL_SECONDS:
                self._send_text()
            return
        if self._waiting:
            self._send_text()
        self._deliver(event)

    def _send_text(self) -> None:
        self._deliver(TextDelta("".join(self._waiting), thinking=self._thinking))
        self._waiting.clear()
        self._sent_at = self._loop.time()

    def _deliver(self, event: ModelEvent | None) -> None:
        # A closed loop has nobody left to tell; whoever closed it has cancelled the job.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, event)


class CancelWatch:
    """Cancels `job` at most 20 ms after `cancel` was, until `end` or the job's own end.

    One timer for the whole answer, not a time-out at every token.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, job: Job[None], cancel: CancelToken
    ) -> None:
        self._loop = loop
        self._job = job
        self._cancel = cancel
        self._timer: asyncio.TimerHandle | None = None
        self._look()

    def _look(self) -> None:
        if self._cancel.cancelled:
            self._job.cancel()
        elif not self._job.future.done():
            self._timer = self._loop.call_later(CANCEL_POLL_SECONDS, self._look)

    def end(self) -> None:
        """Stop looking. May be called twice, on the loop's thread."""
        if self._timer is not None:
            self._timer.cancel()
