"""The frozen prompt of a new session in a workspace."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.agent.prompt import PromptSegment
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.workspace import skill_roots
from moltbot_desktop.app.workspace_prompt import PromptSources, WorkspacePrompt
from moltbot_desktop.core.clock import Clock, ManualClock
from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sessions.store import Session
from moltbot_desktop.sessions.transcript import create_transcript
from moltbot_desktop.skills.discovery import discover_skills
from tests.fakes.memory import FakeMemory

T = TypeVar("T")
CLOCK = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))


def session_of(home: Path, key: str = "agent:main:main") -> Session:
    path, session_id = home / "session.jsonl", SessionId("s1")
    transcript = create_transcript(path, session_id, SessionKey(key), str(home), CLOCK)
    return Session(SessionKey(key), session_id, transcript)


async def _at_once(call: Callable[[], T]) -> T:
    return call()


def prompts(
    paths: Paths,
    workspace: Path,
    memory: FakeMemory,
    hooks: InternalHooks | None = None,
    window: int = 8192,
    clock: Clock = CLOCK,
) -> WorkspacePrompt:
    sources = PromptSources(
        paths,
        workspace,
        memory,
        clock,
        hooks or InternalHooks(),
        lambda: window,
        20_000,
        lambda _: discover_skills(skill_roots(paths, workspace)).skills,
        _at_once,
    )
    return WorkspacePrompt(sources)


def frozen_prompt(
    paths: Paths, workspace: Path, memory: FakeMemory, key: str = "agent:main:main"
) -> tuple[PromptSegment, ...]:
    paths.home.mkdir(parents=True, exist_ok=True)
    return tuple(prompts(paths, workspace, memory).frozen(session_of(paths.home, key)))
