"""The memory inbox of an agent, for the assistant and for the commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from moltbot_desktop.app.paths import MEMORY_INBOX
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.inbox import FileInbox, InboxParts
from moltbot_desktop.memory.long_term import LongTerm
from moltbot_desktop.sdk.models import Embedder


def open_inbox(
    folder: Path,
    config: MemoryConfig,
    workspace: Path,
    memory: MarkdownMemory,
    embedder: Embedder | None,
    clock: Clock,
    captures: Callable[[], bool] = lambda: True,
) -> FileInbox:
    """The inbox beside `memory`, kept in `folder`; nothing is opened before it is needed.
    `captures`: whether the engine in the slot has facts proposed (`app.memory_slot`)."""
    return FileInbox(
        InboxParts(
            path=folder / MEMORY_INBOX,
            long_term=LongTerm(workspace, config.long_term_bytes, memory.freshness.wrote),
            memory=memory,
            embedder=embedder,
            clock=clock,
            listens=config.enabled,
            proposes=config.capture == "ask",
            captures=captures,
        )
    )
