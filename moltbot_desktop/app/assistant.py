"""The assistant put together: every object is made here, in order, and closed in reverse.

`open_assistant` is an async context manager that lives on the agent's event loop, whether that
loop runs in the desktop's agent thread or in the terminal's main thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from moltbot_desktop.agent.lanes import Lane, Lanes
from moltbot_desktop.app.agents import AgentBook, AgentNeeds
from moltbot_desktop.app.channels import ChannelNeeds, changes_something, open_channels
from moltbot_desktop.app.command_setup import Outside, agent_ports, command_ports
from moltbot_desktop.app.companions import Companions
from moltbot_desktop.app.context_setup import ConversationContext
from moltbot_desktop.app.local_socket import Looks, SocketNeeds, open_local_socket
from moltbot_desktop.app.made import AssistantOptions, Made, make, new_id, problems
from moltbot_desktop.app.memory_upkeep import memory_keeper, telling
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.power import on_battery
from moltbot_desktop.app.schedule import (
    Surrounding,
    running_schedule,
    take_in_jobs_file,
)
from moltbot_desktop.app.sessions_upkeep import keep_tidy, tidy_sessions
from moltbot_desktop.app.settings_live import FileSettings, take_over
from moltbot_desktop.app.workspace import skill_roots
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.live import LiveConfig
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.watch import ConfigWatcher, Reloaded
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.commands.ports import AgentPorts
from moltbot_desktop.gateway.front_desk import DeskParts, FrontDesk
from moltbot_desktop.gateway.happenings import Places
from moltbot_desktop.gateway.looking_desk import LookingDesk
from moltbot_desktop.gateway.loop_client import Listeners, LoopClient
from moltbot_desktop.gateway.reply_gate import ReplyGate
from moltbot_desktop.gateway.session_desk import SessionParts
from moltbot_desktop.gateway.session_desks import IsOver, SessionDesks
from moltbot_desktop.gateway.unattended import Post, UnattendedParts, UnattendedRuns
from moltbot_desktop.gateway.usage_line import UsageTeller
from moltbot_desktop.schedule.ticker import ReminderTicker
from moltbot_desktop.sdk.tools import AnyTool, Effect
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.reset import is_over, reset_channel, reset_kind

__all__ = ["AssistantOptions", "open_assistant"]


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
        made = await make(stack, paths, loaded, clock, options, listeners.tell)
        if options.model is not None:
            async with made.chat():
                pass  # a file that cannot be used is told before anything is asked
        config = made.plan.memory
        keeper = memory_keeper(made.memory, config, clock)
        approvals = Approvals(new_id)
        companions = Companions(made)
        book = AgentBook(made, AgentNeeds(approvals, companions.tools, listeners.tell), stack)
        tools = book.open_default().tools
        parts = _desk_parts(made, approvals, book)
        helpers = companions.open(parts.desks, lambda: desk, listeners)
        ports = parts.command_ports
        parts = replace(
            parts,
            command_ports=lambda runs, memory: replace(ports(runs, memory), helpers=helpers),
        )
        desk = FrontDesk(parts, telling(listeners.tell, keeper, config))
        parts.desks.on_over(book.ended)
        parts.desks.on_end(UsageTeller(made.store.settings, listeners.tell).ended)
        happenings = made.hooks.watching(
            parts.desks,
            Places(book.workspace, paths.home),
            clock,
            lambda text: listeners.tell(Notice(text)),
        )
        stack.push_async_callback(happenings.close)
        desk.on_command(lambda call: happenings.command(call, desk.session))
        desk.open()
        stack.push_async_callback(desk.close)
        stack.push_async_callback(helpers.close)
        for notice in problems(made):
            listeners.tell(notice)
        loop = asyncio.get_running_loop()
        if (options.presence is Presence.PRESENT or options.stays) and config.enabled:
            keeper.start()
            stack.push_async_callback(asyncio.to_thread, keeper.stop)
        ticker = ReminderTicker(made.reminders, clock, desk.reminder_due)
        ticking = loop.create_task(ticker.run(), name="reminders")
        stack.push_async_callback(_ended, ticking)
        if options.presence is Presence.PRESENT or options.stays:
            helpers.recover()
            watcher = _watcher(made, book, parts.desks, listeners.tell)
            watching = loop.create_task(watcher.run(), name="settings")
            stack.push_async_callback(_ended, watching)
            tidying = loop.create_task(
                keep_tidy(
                    lambda: tidy_sessions(paths.home, made.live.config.session, clock),
                    made.in_thread,
                ),
                name="past conversations",
            )
            stack.push_async_callback(_ended, tidying)
        if options.stays:
            needs = _channel_needs(made, parts, desk, tools)
            post = await open_channels(stack, needs, made.hooks.bus, happenings)
            companions.channels_are_open(post)
            for notice in take_in_jobs_file(made.schedule, paths, loaded, options.language):
                listeners.tell(notice)
            looks = Looks()
            around = replace(
                _around_schedule(made, parts, needs.effects, listeners.tell, post),
                looked=looks.looked,
            )
            await stack.enter_async_context(running_schedule(made.schedule, around))
            socket = await open_local_socket(
                stack, SocketNeeds(made, desk, listeners, approvals, looks, post)
            )
            if socket is not None:
                socket.commands.on_call(
                    lambda call: happenings.command(call, parts.desks.session_of(call.session))
                )
        if options.presence is Presence.PRESENT or options.stays:  # a script asks for itself
            happenings.started(
                main_session_key(made.plan.id), lambda text: desk.accept(RunId(new_id()), text)
            )
            stack.push_async_callback(happenings.stopping)
        looking = LookingDesk(
            desk.ports, lambda: desk.session.key, options.language, listeners.tell
        )
        stack.push_async_callback(looking.close)
        yield LoopClient(loop, desk, looking, listeners, new_id)


def _desk_parts(made: Made, approvals: Approvals, runner: AgentBook) -> DeskParts:
    key = main_session_key(made.plan.id)
    if made.options.key_suffix:
        key = SessionKey(f"agent:{made.plan.id}:{made.options.key_suffix}")
    lanes = Lanes(made.clock, _limits(made.live.config))
    desks = SessionDesks(
        made.store, runner, lanes, made.clock, _is_over(made.live), asyncio.to_thread
    )

    def of_agent(key: SessionKey) -> AgentPorts | None:
        other = runner.known(key)
        if other is None or other.memory_desk is None:
            return None
        home = other.made
        own = replace(
            outside,
            memory=home.memory,
            skill_roots=skill_roots(home.paths, home.workspace),
            model=home.model,
        )
        return agent_ports(own, other.memory_desk)

    outside = Outside(
        brain=made.brain,
        setup=made.setup,
        memory=made.memory,
        store=made.store,
        reminders=made.reminders,
        jobs=made.schedule.book,
        approvals=approvals,
        clock=made.clock,
        in_thread=made.in_thread,
        skill_roots=skill_roots(made.paths, made.workspace),
        conversations=ConversationContext(runner, desks.of),
        commands=lambda: made.live.config.commands,
        reset_words=lambda: made.live.config.session.reset_triggers,
        raw=lambda: made.live.config.raw,
        written=FileSettings(SettingsFile(made.paths.home, os.environ, made.options.language)),
        live=made.live,
        model=made.model,
        of_agent=of_agent,
    )
    return DeskParts(
        runner=runner,
        desks=desks,
        store=made.store,
        approvals=approvals,
        clock=made.clock,
        key=key,
        spare_key=SessionKey(f"{key}:thread:{new_id()}"),
        fresh=made.options.fresh,
        presence=made.options.presence,
        model_info=lambda: made.info,
        one_request=made.brain.reads_one_request,
        memory_status=lambda: made.memory.status(made.options.language),
        inbox=made.inbox,
        in_thread=made.in_thread,
        find_again=lambda used: made.in_thread(lambda: made.memory.find_again(used)),
        forgetting=made.forgetter,
        pending_reminders=made.reminders.pending,
        may_read_along=lambda: made.live.config.models.type_ahead and not on_battery(),
        command_ports=lambda runs, memory: command_ports(outside, runs, memory),
        language=made.options.language,
    )


def _limits(config: Config) -> Mapping[Lane, int]:
    """How many runs go on at once, of each kind."""
    return {
        Lane.MAIN: config.agent.max_concurrent,
        Lane.CRON: config.cron.max_concurrent_runs,
        Lane.SUBAGENT: config.agent.subagents.max_concurrent,
    }


def _is_over(live: LiveConfig) -> IsOver:
    return lambda key, used, now: is_over(
        used, now, live.config.session.reset_for(reset_kind(key), reset_channel(key))
    )


def _channel_needs(
    made: Made, parts: DeskParts, desk: FrontDesk, tools: Sequence[AnyTool]
) -> ChannelNeeds:
    return ChannelNeeds(
        paths=made.paths,
        settings=lambda: made.live.config,
        clock=made.clock,
        store=made.store,
        desks=parts.desks,
        ports=desk.ports,
        effects={tool.spec.name: tool.spec.effect for tool in tools},
        model_info=parts.model_info,
        one_request=parts.one_request,
        tell=desk.show,
        gate=ReplyGate(
            parts.approvals,
            parts.presence if parts.presence is Presence.PRESENT else Presence.NOBODY,
            lambda: desk.session.key,
            desk.show,
            made.options.language,
        ),
        new_id=new_id,
        language=made.options.language,
    )


def _around_schedule(
    made: Made,
    parts: DeskParts,
    effects: Mapping[str, Effect],
    tell: Callable[[Notice], None],
    post: Post | None,
) -> Surrounding:
    def owner_is_answered() -> bool:
        desk = parts.desks.known(parts.key)
        return desk is not None and desk.busy

    runs = UnattendedRuns(
        UnattendedParts(
            store=made.store,
            # Lanes of its own: nobody else writes in the conversations of jobs.
            shared=SessionParts(
                parts.runner,
                Lanes(made.clock, _limits(made.live.config)),
                made.clock,
                _unheard,
                asyncio.to_thread,
            ),
            clock=made.clock,
            changes_something=lambda tool: changes_something(effects, tool),
            leave_notice=made.schedule.leave_notice,
            post=post,
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


def _watcher(
    made: Made, book: AgentBook, desks: SessionDesks, tell: Callable[[Notice], None]
) -> ConfigWatcher:
    """Takes a changed moltbot.json over."""
    language = made.options.language

    def changed(found: Reloaded) -> None:
        for notice in (*take_over(made.live, found, language), *book.outdated()):
            tell(notice)
        desks.limit(_limits(made.live.config))

    return ConfigWatcher(
        made.paths.home, made.loaded, made.clock, made.in_thread, changed, language=language
    )


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
