"""Text comes whole, in order and not oftener than it can be shown; a cancellation gets through."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from moltbot_desktop.core.results import Usage
from moltbot_desktop.models.delivery import (
    CANCEL_POLL_SECONDS,
    TEXT_INTERVAL_SECONDS,
    CancelWatch,
    Mail,
)
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    ModelEvent,
    Priority,
    PromptEvaluated,
    TextDelta,
)

DONE = GenerationDone(FinishReason.STOP, Usage())
READ = PromptEvaluated(0, 1, 0)


class _SetLoop(asyncio.SelectorEventLoop):
    """A loop whose clock stands still until it is set."""

    now = 100.0

    def time(self) -> float:
        return self.now


def _sent(*script: ModelEvent | float | None) -> list[ModelEvent | None]:
    """What arrives of `script`; a number lets so many seconds go by."""
    loop = _SetLoop()

    async def run() -> list[ModelEvent | None]:
        queue: asyncio.Queue[ModelEvent | None] = asyncio.Queue()
        mail = Mail(loop, queue)
        for step in script:
            if isinstance(step, float):
                loop.now += step
            else:
                mail.send(step)
        await asyncio.sleep(0)
        return [queue.get_nowait() for _ in range(queue.qsize())]

    try:
        return loop.run_until_complete(run())
    finally:
        loop.close()


def test_the_first_word_does_not_wait() -> None:
    assert _sent(READ, TextDelta("Hel")) == [READ, TextDelta("Hel")]


def test_words_that_come_fast_are_put_together() -> None:
    fast = [TextDelta(letter) for letter in "ello"]
    assert _sent(TextDelta("H"), *fast, DONE, None) == [
        TextDelta("H"),
        TextDelta("ello"),
        DONE,
        None,
    ]


def test_words_that_come_slowly_are_not_held_back() -> None:
    slow = [TextDelta("a"), TEXT_INTERVAL_SECONDS, TextDelta("b"), TEXT_INTERVAL_SECONDS]
    assert _sent(*slow, TextDelta("c")) == [TextDelta("a"), TextDelta("b"), TextDelta("c")]


def test_thinking_and_answer_are_not_mixed() -> None:
    assert _sent(
        TextDelta("hm", thinking=True), TextDelta("so", thinking=True), TextDelta("A"), DONE
    ) == [
        TextDelta("hm", thinking=True),
        TextDelta("so", thinking=True),
        TextDelta("A"),
        DONE,
    ]


def test_an_end_without_a_last_event_loses_nothing() -> None:
    assert _sent(TextDelta("a"), TextDelta("b"), None) == [TextDelta("a"), TextDelta("b"), None]


def test_a_closed_loop_is_nobody_to_tell() -> None:
    loop = asyncio.new_event_loop()
    queue: asyncio.Queue[ModelEvent | None] = asyncio.Queue()
    loop.close()
    Mail(loop, queue).send(DONE)
    assert queue.empty()


@pytest.mark.parametrize("cancelled_first", [True, False])
def test_a_cancellation_ends_the_job(model_thread: ModelThread, *, cancelled_first: bool) -> None:
    cancel = CancelSource()

    def until_cancelled(control: CancelSource) -> Generator[None, None, None]:
        while not control.cancelled:
            yield

    async def run() -> None:
        if cancelled_first:
            cancel.cancel()
        job = model_thread.submit(until_cancelled, Priority.INTERACTIVE)
        CancelWatch(asyncio.get_running_loop(), job, cancel)
        cancel.cancel()
        await asyncio.wait_for(asyncio.wrap_future(job.future), 30)

    asyncio.run(run())


def test_the_watch_ends_with_the_job(model_thread: ModelThread) -> None:
    class Counting:
        asked = 0

        @property
        def cancelled(self) -> bool:
            self.asked += 1
            return False

    def nothing(_control: CancelSource) -> Generator[None, None, None]:
        yield

    async def run() -> None:
        token = Counting()
        job = model_thread.submit(nothing, Priority.INTERACTIVE)
        await asyncio.wrap_future(job.future)
        CancelWatch(asyncio.get_running_loop(), job, token)
        await asyncio.sleep(5 * CANCEL_POLL_SECONDS)
        assert token.asked == 1

    asyncio.run(run())
