"""`moltbot-desktop serve`: the assistant without a window or a terminal, for a box that is on.

It says where it is reached and how to stop it, then keeps indexing, reminders, jobs and channels
going until SIGTERM or SIGINT. It ends as the window does: runs are stopped with their outcome
stored, and messages of channels that were not answered are at the next start. Where an assistant
of this home is running already it says so and does not begin: that one has the conversation, the
channels and the jobs. When ending takes longer than ten seconds, or a second signal comes, it ends
hard; nothing that was acknowledged is lost by that.
"""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import GatewayError, NobodyListens, StoreBusy
from moltbot_desktop.core.i18n import Language, Phrases, in_one_line
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.door import socket_path, socket_supported
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.security.policy import Presence

STOP_SECONDS = 10.0
EXIT_OK, EXIT_HARD = 0, 70
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_PHRASES = Phrases(
    english={
        "running": "Moltbot is running without a window (process {process}).",
        "reached": "Commands reach it at {path}, for example: moltbot-desktop status",
        "unreached": "No command in a shell can reach it; channels, jobs and reminders go on.",
        "windows": "Windows has no local sockets of this kind, so no command in a shell can reach"
        " it; channels, jobs and reminders go on.",
        "stop": "Ctrl+C ends it, and so does: kill {process}",
        "already": "Moltbot is running already with this home folder{process}.",
        "already_hint": "Commands in a shell reach that one. End it first to run it without a"
        " window.",
        "process": " (process {pid})",
        "stopping": "Ending; what is being done is stopped and kept.",
    },
    chinese={
        "running": "Moltbot 正在无窗口运行（进程 {process}）。",
        "reached": "终端命令通过 {path} 连接它，例如：moltbot-desktop status",
        "unreached": "终端命令无法连接它；渠道、定时任务和提醒照常进行。",
        "windows": "Windows 没有这种本机套接字，终端命令无法连接它；渠道、定时任务和提醒照常进行。",
        "stop": "按 Ctrl+C 结束，或运行：kill {process}",
        "already": "已经有一个 Moltbot 在使用这个主目录{process}。",
        "already_hint": "终端命令可以连接到它。要无窗口运行，请先结束它。",
        "process": "（进程 {pid}）",
        "stopping": "正在结束；进行中的事情会停下并保存。",
    },
)
_log = logging.getLogger(__name__)


def run_serve(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Be there until told to end; returns the exit code.

    Raises:
        StoreBusy: one of this home is running.
        NoAnswer: one is, and hangs.
        MoltbotError: the assistant cannot start.
    """
    options = AssistantOptions(
        language, model=arguments.model, presence=Presence.NOBODY, stays=True
    )
    # A thread, because a loop that hangs could not end itself.
    watchdog = threading.Timer(STOP_SECONDS, _end_hard)
    watchdog.daemon = True

    async def serve() -> None:
        await _refuse_a_second_one(socket_path(paths.home), language)
        ending = asyncio.Event()
        _listen_for_signals(ending, watchdog)
        async with open_assistant(paths, loaded, clock, options) as client:
            client.subscribe(_tell_notice)
            await _say_where(paths, language)
            await ending.wait()
            _say(_PHRASES.say("stopping", language))

    asyncio.run(serve())
    watchdog.cancel()
    return EXIT_OK


def _listen_for_signals(ending: asyncio.Event, watchdog: threading.Timer) -> None:
    """The first signal begins the end, a second one is the end."""
    loop = asyncio.get_running_loop()

    def asked(number: int) -> None:
        if ending.is_set():
            os._exit(128 + number)
        ending.set()
        watchdog.start()

    for number in _SIGNALS:
        try:
            loop.add_signal_handler(number, asked, number)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda which, _: loop.call_soon_threadsafe(asked, which))


async def _refuse_a_second_one(path: Path, language: Language) -> None:
    """Two of one home would share a conversation, and only one of them could do anything."""
    try:
        pid = await _process_at(path, language)
    except NobodyListens:
        return
    process = _PHRASES.say("process", language, pid=pid) if pid else ""
    raise StoreBusy(
        _PHRASES.say("already", language, process=process),
        hint=_PHRASES.say("already_hint", language),
    )


async def _say_where(paths: Paths, language: Language) -> None:
    """Whoever started it should see that it is there, and what to do with it."""
    process, path = os.getpid(), socket_path(paths.home)
    reached = "reached" if await _answers(path, process, language) else "unreached"
    for key in ("running", reached if socket_supported() else "windows", "stop"):
        _say(_PHRASES.say(key, language, process=process, path=path))


async def _answers(path: Path, process: int, language: Language) -> bool:
    """Whether it is this process that answers at `path`."""
    try:
        return await _process_at(path, language) == process
    except GatewayError:
        return False


async def _process_at(path: Path, language: Language) -> int:
    """The process that answers at `path`; 0 for one that we do not understand.

    Raises:
        NobodyListens: there is none.
        NoAnswer: it is there and says nothing.
    """
    try:
        async with connected(path, language) as assistant:
            status = await assistant.call("status")
    except RpcFailure:
        return 0
    pid = status.get("pid") if isinstance(status, Mapping) else None
    return pid if isinstance(pid, int) else 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _tell_notice(event: ClientEvent) -> None:
    """Nobody sees a window here: what would be shown in one goes to the log, and to the journal
    of whatever started this."""
    if isinstance(event, Notice):
        level = logging.WARNING if event.serious else logging.INFO
        _log.log(level, "%s %s", event.text, event.hint)
        sys.stderr.write(in_one_line(event.text, event.hint) + "\n")
        sys.stderr.flush()


def _end_hard() -> None:
    faulthandler.dump_traceback(all_threads=True)
    os._exit(EXIT_HARD)
