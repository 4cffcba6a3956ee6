"""The local socket of a running assistant: its methods put together, its events passed on.

    await open_local_socket(stack, SocketNeeds(...))

There is one for each home folder. Where none can be, because another assistant has it, the folder
takes no writing or the system has no such sockets, the person is told once and all else goes on.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from moltbot_desktop import __version__
from moltbot_desktop.app.channel_states import ChannelStates
from moltbot_desktop.app.handed import handed_files
from moltbot_desktop.app.made import Made, new_id
from moltbot_desktop.app.memory_slot import SlottedMemory
from moltbot_desktop.app.socket_events import Told, tell_events
from moltbot_desktop.app.socket_sessions import KeptSessions
from moltbot_desktop.app.web_server import TOKEN_FILE
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.core.errors import ChannelRefused, ConfigInvalid, StorageError
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.gateway.rpc.agent_methods import AgentMethods
from moltbot_desktop.gateway.rpc.channel_methods import ChannelMethods, Probe
from moltbot_desktop.gateway.rpc.chat_json import CHAT, chat_event
from moltbot_desktop.gateway.rpc.connection import Server
from moltbot_desktop.gateway.rpc.cron_methods import CronMethods
from moltbot_desktop.gateway.rpc.door import Door, socket_path, socket_supported
from moltbot_desktop.gateway.rpc.doorman import Doorman
from moltbot_desktop.gateway.rpc.event_json import encode_event
from moltbot_desktop.gateway.rpc.inbox_json import INBOX, inbox_event
from moltbot_desktop.gateway.rpc.logs_methods import LogsMethods
from moltbot_desktop.gateway.rpc.looking_methods import LookingMethods, ShownConfig
from moltbot_desktop.gateway.rpc.memory_methods import MemoryMethods
from moltbot_desktop.gateway.rpc.methods import Method, Methods, Repeats
from moltbot_desktop.gateway.rpc.send_methods import SendMethods
from moltbot_desktop.gateway.rpc.server import SocketServer
from moltbot_desktop.gateway.rpc.session_methods import SessionMethods
from moltbot_desktop.gateway.rpc.session_names import SessionNames
from moltbot_desktop.gateway.rpc.status_methods import StatusMethods
from moltbot_desktop.gateway.socket_desk import SocketDesk
from moltbot_desktop.gateway.unattended import Post
from moltbot_desktop.schedule.pulse import LastLook
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget
from moltbot_desktop.sdk.memory import SearchAnswer
from moltbot_desktop.sdk.outbox import FileOut
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.skills.book import SkillView

_LEAST_FREE_BYTES = 10_000_000
_PHRASES = Phrases(
    english={
        "none": "Commands in a shell cannot reach this Moltbot: {problem}",
        "unwritable": "The folder {home} cannot be written.",
        "full": "There is hardly any room left on the disk of {home}.",
    },
    chinese={
        "none": "终端里的命令无法连接到这个 Moltbot：{problem}",
        "unwritable": "文件夹 {home} 无法写入。",
        "full": "{home} 所在的磁盘几乎没有空间了。",
    },
)


@dataclass
class Looks:
    """What came of the last heartbeat, and who hears of each."""

    last: LastLook | None = None
    listeners: list[Callable[[LastLook], None]] = field(default_factory=list)

    def looked(self, look: LastLook) -> None:
        self.last = look
        for listener in self.listeners:
            listener(look)


@dataclass(frozen=True)
class SocketNeeds:
    """What the socket is made of.

    Attributes:
        memory: of a conversation's agent.
        workspace: of a conversation's agent.
        channels: how those of the settings stand.
        post: sends something that answers no message; refuses while no channel is set up.
        web: address of the local web server, "" where there is none.
    """

    made: Made
    front: FrontDesk
    listeners: Listeners
    approvals: Approvals
    looks: Looks
    memory: Callable[[SessionKey], SlottedMemory]
    workspace: Callable[[SessionKey], Path]
    channels: ChannelStates
    probe: Probe
    post: Post
    web: str


async def open_local_socket(stack: AsyncExitStack, needs: SocketNeeds) -> SocketDesk | None:
    """Begin to listen; `stack` ends it. None where nobody can listen, which the person is told
    unless the system has no such sockets at all."""
    if not socket_supported():
        return None
    made = needs.made
    files = handed_files(made, needs.workspace)
    desk = SocketDesk(needs.front, needs.listeners, made.clock, new_id, files)
    own, repeats = _methods(needs, desk), Repeats(needs.made.clock.monotonic)
    methods = Methods(own, repeats, needs.made.plugins.methods)
    door = made.options.door or Door(socket_path(made.paths.home))
    server = SocketServer(door, Server(__version__, methods))
    try:
        await server.start()
    except StorageError as error:
        text = _PHRASES.say("none", needs.made.options.language, problem=error.message)
        needs.listeners.tell(Notice(text, error.hint))
        return None
    needs.listeners.overhear(partial(_pass_on, server))
    jobs, problem = needs.made.schedule.database, partial(_problem, needs.made)
    tell_events(stack, server, Told(needs.looks.listeners.append, jobs, problem))
    stack.push_async_callback(desk.close)
    stack.push_async_callback(server.stop)
    return desk


def _pass_on(server: SocketServer, event: ClientEvent) -> None:
    if (coded := encode_event(event)) is not None:
        server.tell(*coded)
    if (ended := chat_event(event)) is not None:
        server.tell(CHAT, ended)
    if (news := inbox_event(event)) is not None:
        server.tell(INBOX, news)


async def _kept(needs: SocketNeeds, path: str, target: DeliveryTarget) -> Attachment:
    """A copy of a file of the agent's workspace that whoever asks for it may have sent."""
    keep = needs.channels.keep
    if keep is None:
        raise ChannelRefused("No channel is set up here.", hint="Add one under channels first.")
    return await keep(FileOut(needs.made.workspace, path), target)


def _methods(needs: SocketNeeds, desk: SocketDesk) -> tuple[Method, ...]:
    made, front = needs.made, needs.front
    presence = made.options.presence
    doorman = Doorman(
        needs.approvals,
        presence if presence is Presence.PRESENT else Presence.NOBODY,
        lambda: front.session.key,
        needs.listeners.tell,
        made.options.language,
    )
    names = SessionNames(
        AgentId(made.live.config.default_agent),
        lambda: [one.id for one in made.live.config.agents],
    )
    sessions = KeptSessions(
        front,
        lambda: StoredSessions(SessionStore(made.paths.home, made.clock), made.clock),
        made.in_thread,
    )
    return (
        *AgentMethods(desk, names, made.clock.now).methods(),
        *_status(needs).methods(),
        *SessionMethods(
            sessions, front.ports.models, front.ports.compaction, names, made.clock.now
        ).methods(),
        *MemoryMethods(
            names,
            lambda key: needs.memory(key).glance(made.options.language),
            partial(_search, needs),
        ).methods(),
        *CronMethods(
            made.schedule.book,
            made.in_thread,
            doorman,
            lambda: needs.looks.last,
            made.clock.now,
        ).methods(),
        *SendMethods(
            *(needs.post, doorman, sessions.keys, partial(_kept, needs)),
            is_open=lambda: needs.channels.keep is not None,
        ).methods(),
        *ChannelMethods(
            needs.channels, made.clock.now, lambda: needs.channels.waiting(), needs.probe
        ).methods(),
        *_looking(made, front).methods(),
        *LogsMethods(made.paths.logs / "moltbot.log", made.in_thread).methods(),
    )


async def _search(needs: SocketNeeds, key: SessionKey, words: str, most: int) -> SearchAnswer:
    memory = needs.memory(key)  # opened here, on the loop
    return await needs.made.in_thread(lambda: memory.search(words, max_results=most))


def _status(needs: SocketNeeds) -> StatusMethods:
    made, front = needs.made, needs.front
    began = made.clock.monotonic()
    return StatusMethods(
        version=__version__,
        process=os.getpid(),
        home=str(made.paths.home),
        age=lambda: made.clock.monotonic() - began,
        assistant=front.state,
        memory=lambda: made.answering.glance(made.options.language),
        runs=front.parts.desks.counts,
        channels=needs.channels,
        problem=lambda: _problem(made),
        web=needs.web,
        openai=made.live.config.gateway.speaks_openai,
        token_file="" if made.live.config.gateway.token else str(made.paths.home / TOKEN_FILE),
    )


def _problem(made: Made) -> str:
    """What keeps the assistant from keeping anything."""
    home, language = made.paths.home, made.options.language
    if not os.access(home, os.W_OK):
        return _PHRASES.say("unwritable", language, home=home)
    with contextlib.suppress(OSError):
        if shutil.disk_usage(home).free < _LEAST_FREE_BYTES:
            return _PHRASES.say("full", language, home=home)
    return ""


def _looking(made: Made, front: FrontDesk) -> LookingMethods:
    language = made.options.language
    file = SettingsFile(made.paths.home, os.environ, language)

    async def skills() -> SkillView:
        return await made.in_thread(made.skills.view)

    async def config() -> ShownConfig:
        return await made.in_thread(lambda: shown_config(file))

    return LookingMethods(
        version=__version__,
        default_agent=made.live.config.default_agent,
        agents=lambda: made.live.config.agents,
        skills=skills,
        language=language,
        models=front.ports.models,
        config=config,
        schema=json_schema,
    )


def shown_config(file: SettingsFile) -> ShownConfig:
    """The settings as they stand in the file now, which need not be what holds: of a file that
    cannot be read, only what is wrong with it.

    Raises:
        StorageError: the disk does not give it.
    """
    problems = file.problems()
    try:
        written = file.shown().value
    except ConfigInvalid:
        written = {}
    return ShownConfig(file.path, file.path.exists(), written, problems)
