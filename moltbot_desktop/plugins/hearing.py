"""Of which agents a hook hears: those of an agent's workspace of that one alone.

    heard = hearing(found_hook, handler)
    heard(event)            # None, without a call, for an event of another agent

What belongs to no agent (a message before it is routed, the program's start and end) is heard by
all. ``gateway:startup`` comes to a hook of a workspace as the start of its own agent.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace

from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.plugins.hook_folders import FoundHook
from moltbot_desktop.sdk.hooks import AgentContext, SessionContext, ToolCallContext
from moltbot_desktop.sdk.internal_hooks import GATEWAY_STARTUP, InternalEvent
from moltbot_desktop.sessions.keys import main_session_key, parse_session_key

Handler = Callable[[object], object]


def hearing(hook: FoundHook, handler: Handler) -> Handler:
    """`handler`, called for what concerns the hook's agents."""
    if not hook.agent and not hook.without:
        return handler

    def heard(event: object) -> object:
        event = _as_own(hook, event)
        agent = _agent_of(event)
        wanted = agent == hook.agent if hook.agent else agent not in hook.without
        return handler(event) if wanted or not agent else None

    async def heard_later(event: object) -> object:
        answer = heard(event)
        return await answer if inspect.isawaitable(answer) else answer

    # The bus must see that it waits: some hooks are no place for that.
    return heard_later if inspect.iscoroutinefunction(handler) else heard


def _as_own(hook: FoundHook, event: object) -> object:
    starts = isinstance(event, InternalEvent) and event.name == GATEWAY_STARTUP
    if not starts or not hook.agent or _agent_of(event) == hook.agent:
        return event
    assert isinstance(event, InternalEvent)
    main = main_session_key(AgentId(hook.agent))
    # The turn that `ask` would begin is the default agent's.
    return replace(event, session=main, workspace=hook.folder.parents[1], ask=None)


def _agent_of(event: object) -> str:
    """Whose it is, "" for nobody's."""
    if isinstance(event, InternalEvent):
        parsed = parse_session_key(event.session)
        return parsed.agent if parsed is not None else ""
    context = getattr(event, "context", None)
    if isinstance(context, AgentContext | ToolCallContext | SessionContext):
        return context.agent_id
    return ""
