"""Internal hooks: handlers of `sdk.internal_hooks` events, called one after the other.

    hooks = InternalHooks()
    hooks.on("command", log_it, name="command-logger")
    await hooks.trigger(InternalEvent("command:new", ...))

Those that listen to a type come before those of one action, each in the order in which they were
registered. A handler that fails or takes too long is logged by name, and the next one is called.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.plugins.handlers import called
from moltbot_desktop.plugins.hooks import LIMIT_SECONDS
from moltbot_desktop.sdk.internal_hooks import EVENTS, InternalEvent

Handler = Callable[[InternalEvent], object]

_TYPES = frozenset(event.partition(":")[0] for event in EVENTS)
_NO_ENV: Mapping[str, str] = MappingProxyType({})
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Listener:
    name: str
    handler: Handler
    env: Mapping[str, str]


class InternalHooks:
    """All internal handlers. Lives on the agent's event loop."""

    def __init__(self, limit_seconds: float = LIMIT_SECONDS) -> None:
        self._limit = limit_seconds
        self._listeners: dict[str, tuple[_Listener, ...]] = {}

    def on(
        self, event: str, handler: Handler, *, name: str, env: Mapping[str, str] = _NO_ENV
    ) -> Callable[[], None]:
        """Call `handler` for `event`, which is ``type`` or ``type:action``; the answer takes it
        away again.

        Raises:
            UserInputInvalid: there is no such event.
        """
        if event not in EVENTS and event not in _TYPES:
            known = ", ".join((*sorted(_TYPES), *EVENTS))
            raise UserInputInvalid(f"“{event}” is no event.", hint=f"There are: {known}.")
        one = _Listener(name, handler, env)
        self._listeners[event] = (*self._listeners.get(event, ()), one)

        def remove() -> None:
            kept = (other for other in self._listeners[event] if other is not one)
            self._listeners[event] = tuple(kept)

        return remove

    def listens(self, event: str) -> bool:
        """Whether anybody would be called for ``type:action``."""
        return bool(self._of(event))

    async def trigger(self, event: InternalEvent) -> None:
        """Call everybody who listens; when this returns they are done."""
        for one in self._of(event.name):
            await self._call(one, replace(event, env=one.env))

    def _of(self, event: str) -> tuple[_Listener, ...]:
        kind = event.partition(":")[0]
        return (*self._listeners.get(kind, ()), *self._listeners.get(event, ()))

    async def _call(self, one: _Listener, event: InternalEvent) -> None:
        try:
            await called(one.handler, event, self._limit)
        except TimeoutError:
            _log.warning("hook %s took too long at %s", one.name, event.name)
        except Exception:  # noqa: BLE001 - border: a hook's bug is its own affair
            _log.exception("hook %s failed at %s", one.name, event.name)
