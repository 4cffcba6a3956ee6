"""The assistant put together: every object is made here, in order, and closed in reverse.

`open_assistant` is an async context manager that lives on the agent's event loop, whether that
loop runs in the desktop's agent thread or in the terminal's main thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import ChainMap
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from moltbot_desktop.agent.lanes import Lane, Lanes
from moltbot_desktop.app.agent_plan import model_name
from moltbot_desktop.app.agents import AgentBook, AgentNeeds
from moltbot_desktop.app.channel_needs import ChannelNeeds
from moltbot_desktop.app.channel_probe import ChannelProbe
from moltbot_desktop.app.channel_receiving import changes_something
from moltbot_desktop.app.channel_states import ChannelStates
from moltbot_desktop.app.channels import Channels
from moltbot_desktop.app.command_setup import Outside, agent_ports, command_ports
from moltbot_desktop.app.commands import Commands
from moltbot_desktop.app.companions import LENT_EFFECTS, Companions
from moltbot_desktop.app.context_setup import ConversationContext
from moltbot_desktop.app.doctor import SecurityDoctor
from moltbot_desktop.app.editor_desk import editor_desk
from moltbot_desktop.app.file_hands import file_hands
from moltbot_desktop.app.handed import handed_files
from moltbot_desktop.app.image_setup import seeing_model
from moltbot_desktop.app.local_socket import Looks, SocketNeeds, open_local_socket
from moltbot_desktop.app.made import AssistantOptions, Made, make, new_id, problems
from moltbot_desktop.app.mcp import follow_mcp
from moltbot_desktop.app.memory_desk import RunningMemory
from moltbot_desktop.app.memory_upkeep import memory_keeper, telling
from moltbot_desktop.app.model_titles import ModelTitles
from moltbot_desktop.app.modes import ModeSwitch
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_life import follow_plugins
from moltbot_desktop.app.plugins import KeyringSecrets
from moltbot_desktop.app.power import on_battery
from moltbot_desktop.app.replays import Replays
from moltbot_desktop.app.schedule import (
    Surrounding,
    running_schedule,
    take_in_jobs_file,
)
from moltbot_desktop.app.screen_setup import Screen
from moltbot_desktop.app.seal_watch import follow_seal
from moltbot_desktop.app.sessions_upkeep import keep_tidy, over_by, tidy_sessions
from moltbot_desktop.app.settings_live import FileSettings, take_over
from moltbot_desktop.app.skill_commands import AgentTools, OwnersShell, with_skills
from moltbot_desktop.app.skills_setup import Heard, follow_skills, lent_waiting
from moltbot_desktop.app.web_server import open_web_server
from moltbot_desktop.app.web_setup import WEB_EFFECTS
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.watch import ConfigWatcher, Reloaded
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import AgentId, RunId, SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.arrivals import Arrivals
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.commands.ports import AgentPorts
from moltbot_desktop.gateway.commands.skill_start import SkillStarter
from moltbot_desktop.gateway.front_desk import DeskParts, FrontDesk
from moltbot_desktop.gateway.happenings import Happenings, Places
from moltbot_desktop.gateway.last_place import at_the_desk, last_place
from moltbot_desktop.gateway.looking_desk import LookingDesk
from moltbot_desktop.gateway.loop_client import Listeners, LoopClient
from moltbot_desktop.gateway.news_desk import NewsDesk
from moltbot_desktop.gateway.opening_desk import OpeningDesk
from moltbot_desktop.gateway.pairing_book import contacts_in
from moltbot_desktop.gateway.reply_gate import ReplyGate
from moltbot_desktop.gateway.session_desk import SessionParts
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.gateway.switch_desk import SwitchDesk
from moltbot_desktop.gateway.unattended import Post, UnattendedParts, UnattendedRuns
from moltbot_desktop.gateway.undo_desk import UndoDesk
from moltbot_desktop.gateway.usage_line import UsageTeller
from moltbot_desktop.gateway.versions_desk import VersionsDesk
from moltbot_desktop.schedule.ticker import ReminderTicker
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.activity import StoredRuns
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore

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
        loop = asyncio.get_running_loop()
        listeners = Listeners()
        made = await make(stack, paths, loaded, clock, options, listeners.tell)
        if options.model is not None:
            async with made.chat():
                pass  # a file that cannot be used is told before anything is asked
        config = made.plan.memory
        keeper = memory_keeper(made.memory, config, clock)
        approvals = Approvals(new_id)
        commands = Commands(clock)
        stack.push_async_callback(commands.close)

        def cancel(session: SessionKey, run: RunId) -> None:
            loop.call_soon_threadsafe(_stop_run, parts.desks, session, run)

        screen = Screen(options.face, clock, file_hands(paths, clock), cancel)
        stack.callback(screen.close)
        companions = Companions(made, commands, screen, listeners.tell)
        book = AgentBook(
            made, AgentNeeds(approvals, companions.tools, companions.lent, listeners.tell), stack
        )
        tools = book.open_default().tools
        if options.memory is not None:
            options.memory.attach(RunningMemory(loop, made, lambda agent: book.runtime(agent).made))
            stack.callback(options.memory.detach)
        parts = _desk_parts(made, approvals, book)
        helpers = companions.open(parts.desks, lambda: desk, listeners)
        ports = parts.command_ports
        skill_tools = AgentTools(
            book, lambda key: parts.desks.of(key).session, lambda event: desk.show(event), new_id
        )
        shell = OwnersShell(skill_tools, lambda: made.live.config.commands.bash_foreground_ms)
        parts = replace(
            parts,
            command_ports=lambda runs, memory: with_skills(
                replace(
                    ports(runs, memory),
                    helpers=helpers,
                    further=made.plugins.commands,
                    shell=shell,
                ),
                made.skills,
                SkillStarter(skill_tools, parts.one_request),
                made.plugins.off,
            ),
        )
        desk = FrontDesk(parts, telling(listeners.tell, keeper, config))
        parts.desks.on_over(book.ended)
        parts.desks.on_over(lambda message, _: screen.over(message.run_id))
        parts.desks.on_end(lambda message, _: at_the_desk(made.store, message))
        made.live.on_change(lambda: parts.desks.limit(_limits(made.live.config)))
        parts.desks.on_end(UsageTeller(made.store.settings, listeners.tell).ended)
        happenings = made.hooks.watching(
            parts.desks,
            Places(book.workspace, paths.home),
            clock,
            lambda text: listeners.tell(Notice(text)),
        )
        stack.push_async_callback(happenings.close)
        desk.on_command(lambda call: happenings.command(call, desk.session))
        desk.on_said(happenings.said)
        desk.on_said(lambda _: approvals.go_on())
        desk.open()
        stack.push_async_callback(desk.close)
        stack.push_async_callback(helpers.close)
        for notice in problems(made):
            listeners.tell(notice)
        await follow_plugins(stack, made, listeners.tell)
        await follow_mcp(stack, made, listeners.tell)
        for notice in lent_waiting(made.skills.view(), options.language):
            listeners.tell(notice)
        if (options.presence is Presence.PRESENT or options.stays) and config.enabled:
            keeper.start()
            stack.push_async_callback(asyncio.to_thread, keeper.stop)
        ticker = ReminderTicker(made.reminders, clock, desk.reminder_due)
        _begin(stack, ticker.run(), "reminders")
        if options.presence is Presence.PRESENT or options.stays:
            helpers.recover()
            if options.settings_now is not None:
                options.settings_now.open(made.live, loop)
                stack.callback(options.settings_now.close)
            watcher = _watcher(made, book, listeners.tell)
            _begin(stack, watcher.run(), "settings")
            seal = made.seal
            following = follow_seal(paths.home, clock, seal, seal.closed, desk.status)
            _begin(stack, following, "seal")
            _begin(stack, commands.try_walls(desk.walls_tried), "walls")
            if made.live.config.skills.watch:
                on_roots = made.plugins.skills.on_change
                heard = Heard(made.in_thread, listeners.tell, options.language, on_roots)
                settings = made.live.config.skills
                _begin(stack, follow_skills(made.skills, clock, settings, heard), "skills")
            tidying = keep_tidy(
                lambda: tidy_sessions(paths.home, made.live.config.session, clock), made.in_thread
            )
            _begin(stack, tidying, "past conversations")
        if options.stays:
            await _stay(
                stack,
                made,
                _House(approvals, book, companions, desk, happenings, listeners, parts, tools),
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
        if options.editors is not None:
            editors = editor_desk(made, desk, listeners, book)
            stack.push_async_callback(editors.desk.close)
            editors.desk.commands.on_call(
                lambda call: happenings.command(call, parts.desks.session_of(call.session))
            )
            options.editors(editors)
        if (on_settings := options.on_settings) is not None:
            stack.callback(made.live.on_change(lambda: on_settings(made.live.config)))
            on_settings(made.live.config)
        switches = SwitchDesk(
            *(made.standby, made.reminders.add, made.brain.unload, clock),
            *(made.in_thread, desk.status, listeners.tell),
        )
        stack.push_async_callback(switches.close)
        made.standby.on_change(desk.status)
        _begin(stack, made.standby.run(), "standby")

        def library() -> StoredSessions:
            return StoredSessions(SessionStore(paths.home, clock), clock, made.plan.id)

        opening = OpeningDesk(desk, library, made.in_thread, listeners.tell)
        stack.push_async_callback(opening.close)
        if options.conversations is not None:
            live = StoredSessions(made.store, clock, made.plan.id)
            options.conversations.attach(loop, live, parts.desks)
            stack.callback(options.conversations.detach)
        if options.activity is not None:
            options.activity.attach(loop, Replays(made, book, StoredRuns(paths.home)))
            stack.push_async_callback(options.activity.detach)
        arrivals = Arrivals(
            desk, handed_files(made, book.workspace), listeners.tell, options.language
        )
        stack.push_async_callback(arrivals.close)
        versions = VersionsDesk(desk, options.language)
        yield LoopClient(
            *(loop, desk, looking, listeners, new_id, switches, opening, arrivals, versions)
        )


@dataclass(frozen=True)
class _House:
    """What is there when the doors open."""

    approvals: Approvals
    book: AgentBook
    companions: Companions
    desk: FrontDesk
    happenings: Happenings
    listeners: Listeners
    parts: DeskParts
    tools: Sequence[AnyTool]


async def _stay(stack: AsyncExitStack, made: Made, house: _House) -> None:
    """What only an assistant that stays has: channels, the schedule, and the local socket."""
    needs = _channel_needs(made, house.parts, house.desk, house.tools, house.book)
    channels = Channels(needs, made.hooks.bus, house.happenings)
    post = channels.post
    channels.on_open(partial(house.companions.channels_are_open, post))
    await channels.begin(stack)
    cron = made.live.config.cron
    for notice in take_in_jobs_file(made.schedule, made.paths, cron, made.options.language):
        house.listeners.tell(notice)
    looks = Looks()
    lanes = Lanes(made.clock, _limits(made.live.config))
    around = replace(
        _around_schedule(made, house.book, house.parts.desks, lanes, needs, post),
        looked=looks.looked,
        paused=lambda: made.standby.on,
    )
    running = await stack.enter_async_context(running_schedule(made.schedule, around))

    def follow() -> None:
        lanes.limit(_limits(made.live.config))
        running.follow()

    stack.callback(made.live.on_change(follow))
    made.standby.on_change(running.executor.wake)
    web = await open_web_server(stack, made, house.desk, house.listeners)
    socket = await open_local_socket(
        stack,
        SocketNeeds(
            made,
            house.desk,
            house.listeners,
            house.approvals,
            looks,
            house.book.memory,
            house.book.workspace,
            needs.states,
            ChannelProbe(
                lambda: made.live.config.raw,
                lambda: made.plugins.channels.known,
                needs.secret,
                made.options.language,
            ),
            post,
            web,
        ),
    )
    if socket is not None:
        socket.commands.on_call(
            lambda call: house.happenings.command(call, house.parts.desks.session_of(call.session))
        )


def _stop_run(desks: SessionDesks, session: SessionKey, run: RunId) -> None:
    desk = desks.known(session)
    if desk is not None:
        desk.stop_one(run)


def _undo_desk(made: Made) -> UndoDesk:
    return UndoDesk(file_hands(made.paths, made.clock).book(made.workspace), made.in_thread)


def _desk_parts(made: Made, approvals: Approvals, runner: AgentBook) -> DeskParts:
    key = main_session_key(made.plan.id)
    if made.options.key_suffix:
        key = SessionKey(f"agent:{made.plan.id}:{made.options.key_suffix}")
    lanes = Lanes(made.clock, _limits(made.live.config))
    desks = SessionDesks(
        made.store, runner, lanes, made.clock, over_by(lambda: made.live.config), asyncio.to_thread
    )

    def of_agent(key: SessionKey) -> AgentPorts | None:
        other = runner.known(key)
        if other is None or other.memory_desk is None:
            return None
        home = other.made
        own = replace(
            outside,
            memory=home.answering,
            skills=home.skills,
            files=_undo_desk(home),
            model=home.model,
        )
        return agent_ports(own, other.memory_desk)

    file = SettingsFile(made.paths.home, os.environ, made.options.language)
    outside = Outside(
        brain=made.brain,
        setup=made.setup,
        memory=made.answering,
        store=made.store,
        reminders=made.reminders,
        jobs=made.schedule.book,
        approvals=approvals,
        clock=made.clock,
        in_thread=made.in_thread,
        skills=made.skills,
        files=_undo_desk(made),
        conversations=ConversationContext(runner, desks.of),
        commands=lambda: made.live.config.commands,
        reset_words=lambda: made.live.config.session.reset_triggers,
        raw=lambda: made.live.config.raw,
        contacts=lambda: contacts_in(made.paths.pairings_database, made.clock),
        written=FileSettings(file),
        live=made.live,
        seal=made.seal,
        permissions=made.permissions,
        doctor=SecurityDoctor(
            made.paths, lambda: made.live.loaded, made.clock, made.options.language
        ).examine,
        modes=ModeSwitch(made.live, file, made.paths.home, made.options.language),
        by_hand=made.options.presence is Presence.PRESENT,
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
        model_title=ModelTitles(made.setup).of,
        one_request=made.brain.reads_one_request,
        memory_status=lambda: made.answering.glance(made.options.language),
        inbox=made.inbox,
        in_thread=made.in_thread,
        find_again=lambda used: made.in_thread(lambda: made.memory.find_again(used)),
        forgetting=made.forgetter,
        pending_reminders=made.reminders.pending,
        may_read_along=lambda: made.live.config.models.type_ahead and not on_battery(),
        command_ports=lambda runs, memory: command_ports(outside, runs, memory),
        language=made.options.language,
        standby=made.standby if made.options.stays else None,
        model_loaded=lambda: made.brain.loaded,
        sees=lambda: seeing_model(made) is not None,
    )


def _limits(config: Config) -> Mapping[Lane, int]:
    """How many runs go on at once, of each kind."""
    return {
        Lane.MAIN: config.agent.max_concurrent,
        Lane.CRON: config.cron.max_concurrent_runs,
        Lane.SUBAGENT: config.agent.subagents.max_concurrent,
    }


def _channel_needs(
    made: Made, parts: DeskParts, desk: FrontDesk, tools: Sequence[AnyTool], book: AgentBook
) -> ChannelNeeds:
    return ChannelNeeds(
        paths=made.paths,
        settings=lambda: made.live.config,
        on_change=made.live.on_change,
        kinds=made.plugins.channels,
        secret=KeyringSecrets(made.paths.home, made.options.language),
        clock=made.clock,
        store=made.store,
        desks=parts.desks,
        ports=desk.ports,
        effects=ChainMap(
            {**WEB_EFFECTS, **LENT_EFFECTS, **{tool.spec.name: tool.spec.effect for tool in tools}},
            made.plugins.tools.effects,
        ),
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
        states=ChannelStates(
            lambda: made.live.config.raw,
            made.options.language,
            lambda: made.plugins.channels.known,
        ),
        workspace=book.workspace,
        sealed=lambda: made.seal.closed,
        way=lambda channel: made.seal.way(Errand(Purpose.CHANNEL, channel)),
        in_thread=made.in_thread,
        new_id=new_id,
        language=made.options.language,
        standby=made.standby,
    )


def _around_schedule(
    made: Made,
    book: AgentBook,
    desks: SessionDesks,
    lanes: Lanes,
    needs: ChannelNeeds,
    post: Post,
) -> Surrounding:
    """`lanes`: its own, because nobody else writes in the conversations of jobs."""

    def is_answered(key: SessionKey) -> bool:
        desk = desks.known(key)
        return desk is not None and desk.busy

    def able(agent: AgentId, named: str) -> bool:
        own = named or model_name(made.live.config.agent_entry(agent))
        return bool(own) or not made.brain.reads_one_request()

    runs = UnattendedRuns(
        UnattendedParts(
            store=made.store,
            shared=SessionParts(book, lanes, made.clock, _unheard, asyncio.to_thread),
            clock=made.clock,
            changes_something=lambda tool: changes_something(needs.effects, tool),
            leave_notice=made.schedule.leave_notice,
            post=post,
        )
    )
    return Surrounding(
        paths=made.paths,
        settings=lambda: made.live.config,
        clock=made.clock,
        language=made.options.language,
        workspace=lambda agent: book.workspace(main_session_key(agent)),
        runner=runs,
        tell=needs.tell,
        flush=NewsDesk(made.schedule.news, desks, needs.tell).flush,
        last=lambda key: last_place(made.store.settings(key), needs.channel),
        busy=is_answered,
        able=able,
    )


def _unheard(_message: AcceptedRun, _outcome: RunOutcome) -> None:
    """What a job was asked says nothing about its owner: memory does not learn from it."""


def _watcher(made: Made, book: AgentBook, tell: Callable[[Notice], None]) -> ConfigWatcher:
    """Takes a changed moltbot.json over."""
    language = made.options.language

    def changed(found: Reloaded) -> None:
        for notice in (*take_over(made.live, found, language), *book.outdated()):
            tell(notice)

    return ConfigWatcher(
        made.paths.home, made.loaded, made.clock, made.in_thread, changed, language=language
    )


def _begin(stack: AsyncExitStack, work: Coroutine[None, None, None], name: str) -> None:
    """Do it in the background until `stack` ends."""
    stack.push_async_callback(_ended, asyncio.get_running_loop().create_task(work, name=name))


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
