"""The memory of this process, as the settings have it.

memory = memory_of(paths, config, workspace, clock, embedder, reason)
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import DEFAULT_AGENT, AgentId
from moltbot_desktop.memory.engine import MarkdownMemory, open_memory
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.sdk.models import Embedder
from moltbot_desktop.sessions.spoken import SpokenTranscripts


def configured_memory(
    paths: Paths,
    config: MemoryConfig,
    workspace: Path,
    clock: Clock,
    embedder: Embedder | None,
    no_embedder: str,
    patience: float = math.inf,
    agent: AgentId = DEFAULT_AGENT,
) -> MarkdownMemory:
    """The engine; see `memory.engine.open_memory` and, for the last, `MemoryPlan`."""
    return open_memory(
        workspace,
        paths.memory_index(agent),
        embedder,
        clock,
        no_embedder,
        replace(memory_plan(config, workspace, paths.user_home), patience_seconds=patience),
        SpokenTranscripts(paths.sessions(agent)),
    )


def memory_plan(config: MemoryConfig, workspace: Path, user_home: Path) -> MemoryPlan:
    """The settings with paths made absolute: ``~`` is the person's folder, what is relative
    starts at the workspace; one named twice counts once."""
    extra = dict.fromkeys(_absolute(text, workspace, user_home) for text in config.extra_paths)
    return MemoryPlan(
        enabled=config.enabled,
        notes="memory" in config.sources,
        conversations="sessions" in config.sources,
        extra_paths=tuple(extra),
        chunk_tokens=config.chunk_tokens,
        chunk_overlap=config.overlap,
        cached_vectors=config.cache_entries if config.cache_enabled else 0,
        sync_on_search=config.sync_on_search,
        conversation_bytes=config.session_delta_bytes,
        conversation_messages=config.session_delta_messages,
    )


def _absolute(text: str, workspace: Path, user_home: Path) -> Path:
    path = user_home / text[2:] if text.startswith(("~/", "~\\")) else Path(text)
    path = user_home if text == "~" else workspace / path
    # `..` is taken out of the words: a look at the disk would follow links.
    return Path(os.path.normpath(path))
