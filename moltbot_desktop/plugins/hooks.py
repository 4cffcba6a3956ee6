"""The hook bus: who listens to which hook, in what order, and what their answers come to.

    bus = HookBus()
    remove = bus.on(BeforeToolCall, handler, name="my-plugin", priority=10)
    answer = await bus.before_tool_call(event)        # asks, one after the other
    await bus.tell(MessageReceived(...))              # tells, side by side
    bus.tell_soon(AgentEnd(...))                      # tells, and nobody waits

A handler is somebody else's code: what it raises is logged with its name and counts as no answer,
and one that takes longer than `limit_seconds` is given up, so that it never hangs a run. A plain
function cannot be given up in the middle: what may take time is written with ``async``. See
`sdk.hooks` for the merge rules.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard, TypeVar, cast

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.messages import ChatMessage
from moltbot_desktop.plugins.handlers import called, usable
from moltbot_desktop.sdk.hooks import (
    HOOKS,
    AgentStartAnswer,
    BeforeAgentStart,
    BeforeToolCall,
    HookEvent,
    MessageAnswer,
    MessageSending,
    ToolCallAnswer,
    ToolResultPersist,
)

E = TypeVar("E", bound=HookEvent)
A = TypeVar("A")
Handler = Callable[[E], object]
"""Takes the event; returns the hook's answer or None, or an awaitable of that."""

LIMIT_SECONDS = 10.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Listener:
    name: str
    priority: int
    handler: Callable[[HookEvent], object]


class HookBus:
    """All hooks of the program. Lives on the agent's event loop; `on` may be called anywhere
    before that runs."""

    def __init__(self, limit_seconds: float = LIMIT_SECONDS) -> None:
        self._limit = limit_seconds
        self._listeners: dict[type[HookEvent], tuple[_Listener, ...]] = {}
        self._telling: set[asyncio.Task[None]] = set()

    def on(
        self, event: type[E], handler: Handler[E], *, name: str, priority: int = 0
    ) -> Callable[[], None]:
        """Call `handler` for every `event`; the answer takes it away again.

        Args:
            name: who it is, for the log.
            priority: higher goes first; equals go in the order in which they came.

        Raises:
            UserInputInvalid: `event` is no hook, or `tool_result_persist` is given a coroutine.
        """
        if event not in HOOKS.values():
            raise UserInputInvalid(
                f"“{event.__name__}” is no hook.", hint=f"See {', '.join(HOOKS)}."
            )
        if event is ToolResultPersist and inspect.iscoroutinefunction(handler):
            raise UserInputInvalid(
                f"{name}: tool_result_persist is called while a result is written.",
                hint="Make its handler a plain function, without async.",
            )
        one = _Listener(name, priority, cast("Callable[[HookEvent], object]", handler))
        others = (*self._listeners.get(event, ()), one)
        self._listeners[event] = tuple(sorted(others, key=lambda listener: -listener.priority))

        def remove() -> None:
            kept = (other for other in self._listeners[event] if other is not one)
            self._listeners[event] = tuple(kept)

        return remove

    async def tell(self, event: HookEvent) -> None:
        """Call the handlers of `event` side by side and wait for them all."""
        await asyncio.gather(*(self._asked(one, event) for one in self._of(event)))

    def tell_soon(self, event: HookEvent) -> None:
        """As `tell`, without waiting. `close` waits."""
        if self._of(event):
            loop = asyncio.get_running_loop()
            task = loop.create_task(self.tell(event), name=f"hook {type(event).__name__}")
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def close(self) -> None:
        """Wait for what `tell_soon` began; each handler has its limit, so this ends."""
        while self._telling:
            await asyncio.wait(self._telling)

    def listens(self, event: type[HookEvent]) -> bool:
        """Whether anybody would be called; for what is costly to put together."""
        return bool(self._listeners.get(event))

    async def before_agent_start(self, event: BeforeAgentStart) -> AgentStartAnswer:
        """What the handlers want of this run's prompt."""
        merged = AgentStartAnswer()
        for one in self._of(event):
            answer = await self._asked(one, event)
            if not _is_answer(answer, AgentStartAnswer, one):
                continue
            parts = (merged.prepend_context, answer.prepend_context)
            said = "\n\n".join(part for part in parts if part)
            system = answer.system_prompt
            merged = AgentStartAnswer(
                merged.system_prompt if system is None else system, said or None
            )
        return merged

    async def before_tool_call(self, event: BeforeToolCall) -> ToolCallAnswer:
        """The arguments to go on with, None when nobody changed them; or a block."""
        merged = ToolCallAnswer()
        for one in self._of(event):
            answer = await self._asked(one, event)
            if not _is_answer(answer, ToolCallAnswer, one):
                continue
            if answer.block:
                return ToolCallAnswer(merged.arguments, True, answer.block_reason)
            if answer.arguments is not None:
                merged = replace(merged, arguments=answer.arguments)
                event = replace(event, arguments=answer.arguments)
        return merged

    async def message_sending(self, event: MessageSending) -> MessageAnswer:
        """The text to send, None when nobody changed it; or `cancel`."""
        merged = MessageAnswer()
        for one in self._of(event):
            answer = await self._asked(one, event)
            if not _is_answer(answer, MessageAnswer, one):
                continue
            if answer.cancel:
                return MessageAnswer(merged.content, True)
            if answer.content is not None:
                merged = replace(merged, content=answer.content)
                event = replace(event, content=answer.content)
        return merged

    def tool_result_persist(self, event: ToolResultPersist) -> ChatMessage:
        """The message to write down: role, call and tool stay, whatever a handler says."""
        for one in self._of(event):
            answer = self._asked_now(one, event)
            if _is_answer(answer, ChatMessage, one):
                event = replace(event, message=replace(event.message, content=answer.content))
        return event.message

    def _of(self, event: HookEvent) -> Sequence[_Listener]:
        return self._listeners.get(type(event), ())

    async def _asked(self, one: _Listener, event: HookEvent) -> object:
        """The handler's answer; None when it failed or took too long."""
        try:
            return await called(one.handler, event, self._limit)
        except TimeoutError:
            _log.warning("hook %s of %s took too long", type(event).__name__, one.name)
        except Exception:  # noqa: BLE001 - border: an extension's bug ends its answer, nothing else
            _log.exception("hook %s of %s failed", type(event).__name__, one.name)
        return None

    def _asked_now(self, one: _Listener, event: HookEvent) -> object:
        try:
            answer = one.handler(event)
        except (Exception, SystemExit, asyncio.CancelledError):  # noqa: BLE001 - as in `_asked`
            _log.exception("hook %s of %s failed", type(event).__name__, one.name)
            return None
        if inspect.iscoroutine(answer):
            answer.close()
            _log.warning("hook %s of %s must be a plain function", type(event).__name__, one.name)
            return None
        return answer


def _is_answer(answer: object, kind: type[A], one: _Listener) -> TypeGuard[A]:
    """Whether `answer` says something; what is neither that nor None is logged."""
    says = isinstance(answer, kind) and usable(answer)
    if answer is not None and not says:
        _log.warning("hook %s answered with %s: %.200r", one.name, type(answer).__name__, answer)
    return says
