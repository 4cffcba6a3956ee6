"""Calling a handler of somebody else's so that whatever it does stays its own affair.

    answer = await called(handler, event, limit_seconds=10.0)
    with contained():
        value = somebody_elses()        # RuntimeError where it would end the program
    usable(answer)          # False for ToolCallAnswer(arguments=["not", "an object"])

A handler runs in a task of its own: one that is cancelled from inside, that ends the program with
``sys.exit`` or does not heed its time limit is a handler that failed, and neither the run nor the
program. A plain function cannot be given up in the middle.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from moltbot_desktop.core.messages import ChatMessage
from moltbot_desktop.sdk.hooks import AgentStartAnswer, MessageAnswer, ToolCallAnswer

E = TypeVar("E")


async def called(handler: Callable[[E], object], event: E, limit_seconds: float) -> object:
    """What `handler` answers.

    Raises:
        TimeoutError: it took longer.
        RuntimeError: it cancelled itself or wanted to end the program.
    """
    task = asyncio.create_task(_answer(handler, event), name="extension")
    task.add_done_callback(_looked_at)
    try:
        done, _ = await asyncio.wait({task}, timeout=limit_seconds)
    finally:
        task.cancel()
    if not done:
        raise TimeoutError
    if task.cancelled():
        raise RuntimeError("it was cancelled from inside")
    return task.result()


@contextmanager
def contained() -> Iterator[None]:
    """Around other people's code: ``sys.exit`` in it would end the event loop, and with it the
    program; here it is a failure like any other.

    Raises:
        RuntimeError: it wanted to end the program.
    """
    try:
        yield
    except SystemExit as error:
        raise RuntimeError("it wanted to end the program") from error


async def _answer(handler: Callable[[E], object], event: E) -> object:
    with contained():
        answer = handler(event)
        return await answer if inspect.isawaitable(answer) else answer


def _looked_at(task: asyncio.Task[object]) -> None:
    """What one that was given up says at last is of no interest."""
    if not task.cancelled():
        task.exception()


def usable(answer: object) -> bool:
    """Whether an answer holds what its kind may hold; types are hints that nobody has checked."""
    match answer:
        case AgentStartAnswer():
            return _is_text(answer.system_prompt) and _is_text(answer.prepend_context)
        case ToolCallAnswer():
            arguments = answer.arguments
            fits = arguments is None or (isinstance(arguments, Mapping) and _is_json(arguments))
            return fits and _is_text(answer.block_reason)
        case MessageAnswer():
            return _is_text(answer.content)
        case ChatMessage():
            return isinstance(answer.content, str)
    return True


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_json(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and _is_json(one) for name, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return all(map(_is_json, value))
    return value is None or isinstance(value, str | int | float)
