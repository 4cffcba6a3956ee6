"""The assistant put together: every object is made here, in order, and closed in reverse.

`open_assistant` is an async context manager that lives on the agent's event loop, whether that
loop runs in the desktop's agent thread or in the terminal's main thread.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.agent.dispatch import Dispatcher
from moltbot_desktop.agent.prompt import PromptSegment, Stability
from moltbot_desktop.agent.runner import AgentParts, AgentRunner, RunLimits
from moltbot_desktop.app.brain import Brain
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.workspace import frozen_prompt, prepare_workspace, skill_roots
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, SessionKey
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.front_desk import DeskParts, FrontDesk
from moltbot_desktop.gateway.loop_client import Listeners, LoopClient
from moltbot_desktop.memory.engine import STRONG_HIT, open_memory
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.schedule.ticker import ReminderTicker
from moltbot_desktop.sdk.memory import MemoryEngine
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.skills.discovery import discover_skills
from moltbot_desktop.tools.registry import ToolParts, core_tools, missing_tools

T = TypeVar("T")
_WORKERS = 4
__all__ = ["AssistantOptions", "PromptSegment", "Stability", "open_assistant"]


@dataclass(frozen=True)
class AssistantOptions:
    """How this process uses the assistant.

    Attributes:
        model: a file to use instead of the configured model.
        key_suffix: "" for the main conversation, else a conversation of its own.
        fresh: start with an empty conversation.
        attended: a person is there to answer cards.
    """

    language: Language
    model: Path | None = None
    key_suffix: str = ""
    fresh: bool = False
    attended: bool = True


@asynccontextmanager
async def open_assistant(
    paths: Paths, loaded: LoadedConfig, clock: Clock, options: AssistantOptions
) -> AsyncIterator[LoopClient]:
    """Start everything; leaving the context stops it, newest first.

    Raises:
        StorageError: the state folder cannot be used.
    """
    async with AsyncExitStack() as stack:
        loop = asyncio.get_running_loop()
        workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="worker")
        stack.callback(workers.shutdown, cancel_futures=True)

        async def in_thread(call: Callable[[], T]) -> T:
            return await loop.run_in_executor(workers, call)

        listeners = Listeners()
        brain = Brain(paths, loaded.config, options.model)
        stack.push_async_callback(brain.close)
        workspace = prepare_workspace(paths, loaded.config)
        memory = open_memory(workspace, paths.memory_index(DEFAULT_AGENT), brain.embedder(), clock)
        stack.callback(memory.close)
        reminders = ReminderStore(paths.state_database, clock)
        stack.callback(reminders.close)
        desk = _desk(paths, loaded, clock, options, brain, memory, reminders, in_thread, listeners)
        desk.open()
        stack.push_async_callback(desk.close)
        ticker = ReminderTicker(reminders, clock, desk.reminder_due)
        _tell_problems(loaded, paths, workspace, listeners)
        ticking = loop.create_task(ticker.run(), name="reminders")
        stack.push_async_callback(_ended, ticking)
        yield LoopClient(loop, desk, listeners, _new_id)
