"""The assistant put together: every object is made here, in order, and closed in reverse.

`open_assistant` is an async context manager that lives on the agent's event loop, whether that
loop runs in the desktop's agent thread or in the terminal's main thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.agent.dispatch import Dispatcher
from moltbot_desktop.agent.lanes import Lanes
from moltbot_desktop.agent.recall import Recaller
from moltbot_desktop.agent.runner import AgentParts, AgentRunner, RunLimits
from moltbot_desktop.app.brain import Brain
from moltbot_desktop.app.channels import ChannelNeeds, changes_something, open_channels
from moltbot_desktop.app.command_setup import Outside, command_ports
from moltbot_desktop.app.forgetting import Forgetter
from moltbot_desktop.app.hooks import Hooks, open_hooks, problem_words
from moltbot_desktop.app.inbox import open_inbox
from moltbot_desktop.app.memory_plan import configured_memory
from moltbot_desktop.app.memory_upkeep import memory_keeper, telling
from moltbot_desktop.app.model_setup import ModelSetup, read_model_setup
from moltbot_desktop.app.model_texts import PHRASES
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.power import on_battery
from moltbot_desktop.app.schedule import (
    Schedule,
    Surrounding,
    open_schedule,
    running_schedule,
    take_in_jobs_file,
)
from moltbot_desktop.app.workspace import prepare_workspace, skill_roots
from moltbot_desktop.app.workspace_prompt import PromptSources, WorkspacePrompt
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId, SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.front_desk import DeskParts, FrontDesk
from moltbot_desktop.gateway.happenings import Places
from moltbot_desktop.gateway.loop_client import Listeners, LoopClient
from moltbot_desktop.gateway.session_desk import SessionParts
from moltbot_desktop.gateway.session_desks import IsOver, SessionDesks
from moltbot_desktop.gateway.unattended import UnattendedParts, UnattendedRuns
from moltbot_desktop.memory.engine import (
    STRONG_HIT,
    MarkdownMemory,
    indexed_with,
)
from moltbot_desktop.memory.forgotten import KEPT_FOR
from moltbot_desktop.memory.inbox import FileInbox
from moltbot_desktop.models.remote.fallback import ModelSwitched
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.schedule.ticker import ReminderTicker
from moltbot_desktop.sdk.tools import Effect, Tool
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.reset import is_over, reset_channel, reset_kind
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.skills.discovery import discover_skills
from moltbot_desktop.tools.registry import ToolParts, core_tools, missing_tools

T = TypeVar("T")
_log = logging.getLogger(__name__)
_WORKERS = 4
_SEARCH_READS_SECONDS = 2.0
"""How long a search may wait for files that are not in the index; the keeper reads the others."""


@dataclass(frozen=True)
class AssistantOptions:
    """How this process uses the assistant.

    Attributes:
        model: a file to use instead of the configured model.
        key_suffix: "" for the main conversation, else a conversation of its own.
        fresh: start with an empty conversation.
        presence: whether a person is there to answer cards.
        stays: it is there for more than this conversation: channels run in it.
    """

    language: Language
    model: Path | None = None
    key_suffix: str = ""
    fresh: bool = False
    presence: Presence = Presence.PRESENT
    stays: bool = False


@dataclass(frozen=True)
class _Made:
    """What the later objects are made of."""

    paths: Paths
    loaded: LoadedConfig
    clock: Clock
    options: AssistantOptions
    workspace: Path
    setup: ModelSetup
    brain: Brain
    memory: MarkdownMemory
    inbox: FileInbox
    store: SessionStore
    forgetter: Forgetter
    reminders: ReminderStore
    schedule: Schedule
    workers: ThreadPoolExecutor
    hooks: Hooks

    async def in_thread(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.workers, call)


@asynccontextmanager
async def open_assistant(
    paths: Paths, loaded: LoadedConfig, clock: Clock, options: AssistantOptions
) -> AsyncIterator[LoopClient]:
    """Start everything; leaving the context stops it, newest first.

    Raises:
        StorageError: the state folder cannot be used.
        ModelError: the file in `options.model` cannot be used.
    """
    async with AsyncExitStack() as stack:
        listeners = Listeners()
        made = await _made(stack, paths, loaded, clock, options, listeners)
        if options.model is not None:
            async with made.brain.chat():
                pass  # a file that cannot be used is told before anything is asked
        config = loaded.config.memory
        keeper = memory_keeper(made.memory, config, clock)
        approvals, tools = Approvals(_new_id), _tools(made)
        runner = _runner(made, approvals, tools)
        parts = _desk_parts(made, approvals, runner)
        desk = FrontDesk(parts, telling(listeners.tell, keeper, config))
        happenings = made.hooks.watching(
            parts.desks,
            Places(made.workspace, paths.home),
            clock,
            lambda text: listeners.tell(Notice(text)),
        )
        stack.push_async_callback(happenings.close)
        desk.on_command(lambda call: happenings.command(call, desk.session))
        desk.open()
        stack.push_async_callback(desk.close)
        for notice in _problems(made):
            listeners.tell(notice)
        loop = asyncio.get_running_loop()
        if (options.presence is Presence.PRESENT or options.stays) and config.enabled:
            keeper.start()
            stack.push_async_callback(asyncio.to_thread, keeper.stop)
        ticker = ReminderTicker(made.reminders, clock, desk.reminder_due)
        ticking = loop.create_task(ticker.run(), name="reminders")
        stack.push_async_callback(_ended, ticking)
        if options.stays:
            needs = _channel_needs(made, parts, desk, tools)
            await open_channels(stack, needs, made.hooks.bus, happenings)
            for notice in take_in_jobs_file(made.schedule, paths, loaded, options.language):
                listeners.tell(notice)
            around = _around_schedule(made, parts, needs.effects, listeners.tell)
            await stack.enter_async_context(running_schedule(made.schedule, around))
        happenings.started(lambda text: desk.accept(RunId(_new_id()), text))
        stack.push_async_callback(happenings.stopping)
        yield LoopClient(loop, desk, listeners, _new_id)


async def _made(
    stack: AsyncExitStack,
    paths: Paths,
    loaded: LoadedConfig,
    clock: Clock,
    options: AssistantOptions,
    listeners: Listeners,
) -> _Made:
    workspace = prepare_workspace(paths, loaded.config)
    setup = read_model_setup(paths, loaded, options.language)

    def switched(switch: ModelSwitched) -> None:
        listeners.tell(_switch_notice(switch, options.language))

    brain = Brain(setup, options.model, clock, switched)
    stack.callback(brain.close)
    stack.push_async_callback(brain.leave)
    index = paths.memory_index(DEFAULT_AGENT)
    opened = await asyncio.to_thread(brain.embedder, indexed_with(index))
    memory = configured_memory(
        paths,
        loaded.config.memory,
        workspace,
        clock,
        opened.embedder,
        opened.reason,
        patience=_SEARCH_READS_SECONDS,
    )
    stack.callback(memory.close)
    inbox = open_inbox(paths, loaded.config.memory, workspace, memory, opened.embedder, clock)
    reminders = ReminderStore(paths.state_database, clock)
    stack.callback(reminders.close)
    schedule = open_schedule(paths, loaded, clock)
    stack.callback(schedule.close)
    workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="worker")
    stack.callback(workers.shutdown, cancel_futures=True)
    store = SessionStore(paths.home, clock)
    return _Made(
        paths=paths,
        loaded=loaded,
        clock=clock,
        options=options,
        workspace=workspace,
        setup=setup,
        brain=brain,
        memory=memory,
        inbox=inbox,
        store=store,
        forgetter=Forgetter(paths, workspace, clock, memory, inbox, store),
        reminders=reminders,
        schedule=schedule,
        workers=workers,
        hooks=open_hooks(paths, loaded.config.hooks, workspace, options.language),
    )


def _desk_parts(made: _Made, approvals: Approvals, runner: AgentRunner) -> DeskParts:
    key = main_session_key(DEFAULT_AGENT)
    if made.options.key_suffix:
        key = SessionKey(f"agent:{DEFAULT_AGENT}:{made.options.key_suffix}")
    made.forgetter.after = _forgotten_by_the_model(made, runner)
    outside = Outside(
        brain=made.brain,
        setup=made.setup,
        memory=made.memory,
        store=made.store,
        reminders=made.reminders,
        approvals=approvals,
        clock=made.clock,
        in_thread=made.in_thread,
        skill_roots=skill_roots(made.paths, made.workspace),
        commands=lambda: made.loaded.config.commands,
    )
    return DeskParts(
        runner=runner,
        desks=SessionDesks(
            made.store, runner, Lanes(made.clock), made.clock, _is_over(made.loaded.config)
        ),
        store=made.store,
        approvals=approvals,
        clock=made.clock,
        key=key,
        spare_key=SessionKey(f"{key}:thread:{_new_id()}"),
        fresh=made.options.fresh,
        presence=made.options.presence,
        model_info=lambda: made.brain.info,
        memory_status=lambda: made.memory.status(made.options.language),
        inbox=made.inbox,
        in_thread=made.in_thread,
        find_again=lambda used: made.in_thread(lambda: made.memory.find_again(used)),
        forgetting=made.forgetter,
        pending_reminders=made.reminders.pending,
        may_read_along=lambda: made.loaded.config.models.type_ahead and not on_battery(),
        command_ports=lambda runs, memory: command_ports(outside, runs, memory),
        language=made.options.language,
    )


def _is_over(config: Config) -> IsOver:
    return lambda key, used, now: is_over(
        used, now, config.session.reset_for(reset_kind(key), reset_channel(key))
    )


def _channel_needs(
    made: _Made, parts: DeskParts, desk: FrontDesk, tools: Sequence[Tool]
) -> ChannelNeeds:
    return ChannelNeeds(
        paths=made.paths,
        config=made.loaded.config,
        clock=made.clock,
        store=made.store,
        desks=parts.desks,
        ports=desk.ports,
        effects={tool.spec.name: tool.spec.effect for tool in tools},
        model_info=parts.model_info,
        tell=desk.show,
        new_id=_new_id,
        language=made.options.language,
    )


def _around_schedule(
    made: _Made,
    parts: DeskParts,
    effects: Mapping[str, Effect],
    tell: Callable[[Notice], None],
) -> Surrounding:
    def owner_is_answered() -> bool:
        desk = parts.desks.known(parts.key)
        return desk is not None and desk.busy

    runs = UnattendedRuns(
        UnattendedParts(
            store=made.store,
            # Lanes of its own: nobody else writes in the conversations of jobs.
            shared=SessionParts(parts.runner, Lanes(made.clock), made.clock, _unheard),
            clock=made.clock,
            changes_something=lambda tool: changes_something(effects, tool),
        )
    )
    return Surrounding(
        paths=made.paths,
        loaded=made.loaded,
        clock=made.clock,
        workspace=made.workspace,
        language=made.options.language,
        runner=runs,
        tell=tell,
        busy=owner_is_answered,
    )


def _unheard(_message: AcceptedRun, _outcome: RunOutcome) -> None:
    """What a job was asked says nothing about its owner: memory does not learn from it."""


def _tools(made: _Made) -> list[Tool]:
    parts = ToolParts(
        made.memory,
        made.reminders,
        made.clock,
        made.forgetter,
        memory_results=made.loaded.config.memory.max_results,
        jobs=None if made.options.presence is Presence.SCRIPT else made.schedule.book,
    )
    missing = missing_tools(memory=made.loaded.config.memory.enabled)
    return [tool for tool in core_tools(parts) if tool.spec.name not in missing]


def _runner(made: _Made, approvals: Approvals, tools: Sequence[Tool]) -> AgentRunner:
    agent = made.loaded.config.agent
    library = (made.paths.bundled_skills, made.paths.managed_skills)
    around = Surroundings(made.workspace, made.paths.home, made.paths.user_home, library)
    recaller = Recaller(made.memory, made.in_thread, STRONG_HIT)
    missing = missing_tools(memory=made.loaded.config.memory.enabled)
    prompts = WorkspacePrompt(_prompt_sources(made))
    return AgentRunner(
        AgentParts(
            model=made.brain.chat,
            recaller=recaller if made.loaded.config.memory.enabled else None,
            dispatcher=Dispatcher(
                tools, missing, around, approvals, made.in_thread, made.hooks.bus
            ),
            workspace=made.workspace,
            clock=made.clock,
            frozen_prompt=prompts.frozen,
            prepare=prompts.prepare,
            hooks=made.hooks.bus,
            book=made.store,
            limits=RunLimits(
                seconds=agent.timeout_seconds,
                tool_calls=agent.max_tool_calls,
                temperature=agent.temperature,
            ),
            library=library,
            default_language=made.options.language,
            one_shot=made.options.fresh,
        )
    )


def _prompt_sources(made: _Made) -> PromptSources:
    return PromptSources(
        paths=made.paths,
        workspace=made.workspace,
        memory=made.memory,
        clock=made.clock,
        hooks=made.hooks.internal,
        window=lambda: made.brain.info.context_tokens if made.brain.info else 0,
        most_characters=made.loaded.config.agent.bootstrap_max_chars,
    )


def _forgotten_by_the_model(made: _Made, runner: AgentRunner) -> Callable[[], None]:
    """For any thread: prompts are made anew, and what was kept to undo goes when its time is up."""
    loop = asyncio.get_running_loop()

    def forget() -> None:
        made.brain.forget_soon(runner.forget_words())
        loop.call_later(KEPT_FOR.total_seconds() + 1, made.forgetter.expire)

    def after() -> None:
        loop.call_soon_threadsafe(forget)

    return after


def _problems(made: _Made) -> list[Notice]:
    """What the start has to tell: config sections that fell back, skills that cannot be used."""
    config = [
        Notice(problem.message, problem.hint, serious=problem.serious)
        for problem in (*made.loaded.warnings, *made.setup.problems)
    ]
    language = made.options.language
    config += [Notice(*problem_words(one, language)) for one in made.hooks.problems]
    roots = skill_roots(made.paths, made.workspace)
    skills = discover_skills(roots, language=made.options.language).problems
    if made.reminders.set_aside is not None:
        config.append(
            Notice(
                f"The reminder book was damaged and set aside as {made.reminders.set_aside}.",
                "Reminders that were in it will not fire; please set them again.",
                serious=True,
            )
        )
    return config + [
        Notice(f"{problem.path}: {problem.reason}", problem.hint) for problem in skills
    ]


def _switch_notice(switch: ModelSwitched, language: Language) -> Notice:
    names = {"chosen": switch.chosen, "before": switch.before, "reason": switch.reason}
    if not switch.reason:
        return Notice(PHRASES.say("switched_back", language, **names))
    text = PHRASES.say("switched", language, **names)
    return Notice(text, PHRASES.say("switched_hint", language))


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _new_id() -> str:
    return uuid.uuid4().hex
