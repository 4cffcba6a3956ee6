"""Replays of past runs (`sdk.activity.ReplayDesk`), by the agents as they are.

replays = Replays(book, StoredRuns(home), made.in_thread)
report = await replays.replay(ReplayWanted(run, model="qwen3-4b"), RunCancel())

async with replays_alone(paths, loaded, clock, language) as replays: ...   # in a shell
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.agent.replaying import Found, ReplayHow, replayed
from moltbot_desktop.agent.run import RunCancel
from moltbot_desktop.app.agent_setup import replay_prompts
from moltbot_desktop.app.agents import AgentBook, AgentNeeds
from moltbot_desktop.app.commands import Commands
from moltbot_desktop.app.companions import Companions
from moltbot_desktop.app.file_hands import file_hands
from moltbot_desktop.app.made import AssistantOptions, Made, make, new_id
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.screen_setup import Screen
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.sdk.activity import ReplayDesk, ReplayReport, ReplayWanted
from moltbot_desktop.sdk.memory import MemoryEngine
from moltbot_desktop.sdk.tools import CancelToken
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.activity import PastRun, StoredRuns
from moltbot_desktop.skills.discovery import SKILL_FILE
from moltbot_desktop.skills.frontmatter import parse_skill
from moltbot_desktop.storage.bounded import read_named
from moltbot_desktop.storage.files import disk_errors

_LARGEST_SKILL = 1_000_000
"""Bytes of a SKILL.md."""


@dataclass(frozen=True)
class _Version:
    """Another version of a skill: its SKILL.md, and what that says it is about."""

    text: str
    description: str


class Replays(ReplayDesk):
    """Lives on the agent's event loop."""

    def __init__(self, made: Made, book: AgentBook, runs: StoredRuns) -> None:
        """`made`: of the default agent."""
        self._made = made
        self._book = book
        self._runs = runs

    async def replay(self, wanted: ReplayWanted, cancel: CancelToken) -> ReplayReport:
        """As in the contract.

        Raises:
            as `AgentBook.runtime`.
        """
        look = self._made.in_thread
        past = await look(lambda: self._runs.past(wanted.run))
        runtime = self._book.runtime(past.summary.agent)
        made = runtime.made
        versions = await look(lambda: _versions(made, past, wanted.skills))
        found = await look(lambda: _found_again(made.memory, past))
        prompts = replay_prompts(made, {name: one.description for name, one in versions.items()})
        parts = replace(
            runtime.runner.parts,
            frozen_prompt=prompts.frozen,
            prepare=prompts.prepare,
            frozen_mark=prompts.mark,
        )
        texts = {name: one.text for name, one in versions.items()}
        stop = cancel if isinstance(cancel, RunCancel) else RunCancel()
        return await replayed(parts, past, ReplayHow(wanted.model, texts, found), stop)


def _found_again(memory: MemoryEngine, past: PastRun) -> tuple[Found, ...]:
    """The memories that were brought up then and are still there. What cannot be read is not."""
    found = []
    for used in past.memories:
        if used.use is Use.FOUND:
            continue  # the assistant looked for it itself: that is a call, and recorded as one
        hit = _again(memory, used)
        if hit is not None:
            found.append(hit)
    return tuple(found)


def _again(memory: MemoryEngine, used: UsedMemory) -> Found | None:
    try:
        hit = memory.find_again(used)
    except MoltbotError:
        return None
    return (used, hit) if hit is not None else None


def _versions(made: Made, past: PastRun, folders: Mapping[str, str]) -> Mapping[str, _Version]:
    known = {one.skill.name for one in made.skills.view().standings}
    versions = {}
    for name, folder in folders.items():
        if name not in known:
            raise UserInputInvalid(
                f"There is no skill “{name[:80]}”.", hint="“skills list” shows them all."
            )
        path = Path(folder).expanduser() / SKILL_FILE
        with disk_errors(path):
            data = read_named(path, _LARGEST_SKILL)
        said = parse_skill(data, language=made.options.language)
        versions[name] = _Version(data.decode("utf-8-sig", "replace"), said.description)
    return versions


@asynccontextmanager
async def replays_alone(
    paths: Paths,
    loaded: LoadedConfig,
    clock: Clock,
    language: Language,
    model: Path | None = None,
) -> AsyncIterator[Replays]:
    """For a shell: agents with all tools, without plugins, channels, schedule or doors.

    Args:
        model: a file to use instead of the agents' own.

    Raises:
        StorageError: the state folder cannot be used.
    """
    options = AssistantOptions(language=language, model=model, presence=Presence.REPLAY)
    async with AsyncExitStack() as stack:
        made = await make(stack, paths, loaded, clock, options, lambda _: None)
        commands = Commands(clock)
        stack.push_async_callback(commands.close)
        screen = Screen(None, clock, file_hands(paths, clock), lambda *_: None)
        stack.callback(screen.close)
        companions = Companions(made, commands, screen, lambda _: None)
        needs = AgentNeeds(Approvals(new_id), companions.tools, tuple, lambda _: None)
        book = AgentBook(made, needs, stack)
        book.open_default()
        yield Replays(made, book, StoredRuns(paths.home))
