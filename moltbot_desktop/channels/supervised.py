"""One account of a channel that a plugin brought: in a thread of its own, made again when it ends.

    account = SupervisedAccount(kind, "default", settings, desk)      # desk: a `HostDesk`
    account.start()                                     # from the agent's event loop
    await account.asked(lambda one: one.send(message, key))     # carried out on the account's
    await account.stop()                # within two seconds, whatever the plugin does

The thread has an event loop of its own, so that code which blocks or breaks holds up nobody else.
What crosses between the two loops are frozen values. A connection that ends, or that nothing is
heard of any more, is made again, after pauses that grow and differ between accounts; one that was
refused for good is not, because only the person can change what it is refused for.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from moltbot_desktop.channels.hosted_words import library_missing, not_now
from moltbot_desktop.channels.passing import Note, Passing, no_note, text_size
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    MoltbotError,
    StorageError,
)
from moltbot_desktop.core.i18n import Language, in_one_line
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, ChannelTraffic
from moltbot_desktop.sdk.channels import ChannelLife, Envelope, Sender
from moltbot_desktop.sdk.plugin_values import (
    ChannelAccount,
    ListedCommand,
    PluginChannel,
    RunningChannel,
)

T = TypeVar("T")

FIRST_PAUSE = 1.0
"""Seconds before the second connection; each further pause is twice as long."""
LONGEST_PAUSE = 120.0
STEADY_SECONDS = 60.0
"""A connection that stood as long makes the pauses short again."""
STOP_SECONDS = 1.8
KEEP_SECONDS = 0.2
"""That a message which is just being kept may still take when the account ends."""
SEAL_SECONDS = 2.0
"""Between two looks at the seal."""
_NICE = 5
"""What an account does can wait a moment; the window it shares the processor with cannot."""
_log = logging.getLogger(__name__)


def pause_after(failures: int, jitter: float) -> float:
    """Seconds until the next connection, after `failures` (>= 1) in a row; `jitter`: 0 to 1."""
    pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures - 1, 16))
    return pause * (0.5 + jitter / 2)


@dataclass(frozen=True)
class HostDesk:
    """What an account needs of the program.

    Attributes:
        receive, cursor: coroutines of the agent's event loop; where the account reads on from.
        tell: a problem, for the person; for any thread, and for each problem once.
        online: messages can be sent again; for any thread.
        jitter: 0 to 1.
        rendered: Markdown in the markup of a channel.
        sealed: whether nothing may leave this computer; then no connection is made or kept.
        passed: writes down what went to a host and came from it; for any thread.
        commands: what somebody who was let in may write; on the agent's event loop.
        let_in: pairs somebody, of a channel that stays on this computer; on the same.
    """

    receive: Callable[[Sequence[Envelope]], Awaitable[None]]
    cursor: Callable[[], Awaitable[str]]
    tell: Callable[[str], None]
    online: Callable[[], None]
    clock: Clock
    jitter: Callable[[], float]
    rendered: Callable[[str, Capabilities], str] = lambda text, _: text
    language: Language = Language.ENGLISH
    sealed: Callable[[], bool] = lambda: False
    passed: Note = no_note
    commands: Callable[[], Sequence[ListedCommand]] = tuple
    let_in: Callable[[Sender], Awaitable[None]] | None = None


class SupervisedAccount:
    """`start`, `stop` and `asked` belong to the agent's event loop."""

    def __init__(
        self,
        kind: PluginChannel,
        account: str,
        settings: Callable[[], JsonObject],
        desk: HostDesk,
    ) -> None:
        """`settings` may block; called on the account's thread for each connection. What it raises
        is as if the connection did."""
        self._kind = kind
        self._account = account
        self._settings = settings
        self._desk = desk
        self._life = ChannelLife.STOPPED
        self._since: datetime | None = None
        self._problem = ""
        self._last_problem = ""
        self._last_in: datetime | None = None
        self._last_out: datetime | None = None
        self._heard_at = 0.0
        self._connections = 0
        # What stays on this computer is not among what left it.
        self._passing = Passing(kind.id, no_note if kind.local else desk.passed)
        self._serving = False
        self._cut: ChannelError | None = None
        self._stopping = threading.Event()
        self._home: asyncio.AbstractEventLoop | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connection: RunningChannel | None = None
        self._supervised: asyncio.Task[None] | None = None
        self._keeping: set[asyncio.Future[None]] = set()
        # Not waited for by the interpreter's end: foreign code may never come back.
        self._thread = threading.Thread(
            target=self._live, name=f"channel-{kind.id}-{account}", daemon=True
        )

    @property
    def life(self) -> ChannelLife:
        if self._life is ChannelLife.ONLINE and self._problem:
            return ChannelLife.DEGRADED
        return self._life

    @property
    def problem(self) -> str:
        """What keeps it from its work just now, "" for nothing."""
        return self._problem

    @property
    def is_online(self) -> bool:
        """Whether messages can be given to it."""
        return self._life is ChannelLife.ONLINE

    @property
    def capabilities(self) -> Capabilities:
        return self._kind.capabilities

    @property
    def traffic(self) -> ChannelTraffic:
        """What was heard of it and sent by it."""
        return ChannelTraffic(
            self._last_in, self._last_out, self._last_problem, self._since, self._connections
        )

    def start(self) -> None:
        self._home = asyncio.get_running_loop()
        self._stands(ChannelLife.STARTING)
        self._thread.start()

    async def stop(self) -> None:
        """Nothing is received or sent when this returns; a plugin that does not end in time is
        left alone, and can hand nothing over any more."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        if self._loop is not None and self._supervised is not None:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._supervised.cancel)
        await asyncio.to_thread(self._thread.join, STOP_SECONDS)
        if self._keeping:
            await asyncio.wait(self._keeping, timeout=KEEP_SECONDS)
        if self._thread.is_alive():
            _log.warning("channel %s %s did not stop in time", self._kind.id, self._account)
        self._stands(ChannelLife.STOPPED)

    async def asked(self, call: Callable[[RunningChannel], Awaitable[T]]) -> T:
        """Carry `call` out on the account's loop. A token that is not taken any more ends the
        connection for good: messages wait until the person has set that right."""
        connection, loop = self._connection, self._loop
        if not self.is_online or connection is None or loop is None:
            raise self._ended()
        try:
            answer = await self._across(loop, lambda: call(connection))
        except ChannelAuthFailed as error:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(self._cut_off, error)
            raise
        self._last_out = self._desk.clock.now()
        return answer

    def _ended(self) -> ChannelError:
        return not_now("ended", self._desk.language)

    # ------------------------------------------------------------ on the account's thread

    def _live(self) -> None:
        _give_way()
        try:
            asyncio.run(self._until_stopped())
        except asyncio.CancelledError:
            pass  # `stop` asked for it
        finally:
            self._connection = None

    async def _until_stopped(self) -> None:
        self._supervised = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        failures = 0
        while not self._stopping.is_set():
            self._stands(ChannelLife.STARTING)
            began = self._desk.clock.monotonic()
            goes_on = await self._connected()
            self._connection = None
            if not goes_on:
                self._stands(ChannelLife.FAILED)
                return
            steady = self._desk.clock.monotonic() - began >= STEADY_SECONDS
            failures = 1 if steady else failures + 1
            self._stands(ChannelLife.BACKOFF)
            await asyncio.sleep(pause_after(failures, self._desk.jitter()))

    async def _connected(self) -> bool:
        """One connection from its beginning to its end; whether to make another one."""
        self._connections += 1
        number = self._connections
        try:
            if self._sealed():
                raise not_now("sealed", self._desk.language)
            cursor = await self._at_home(self._desk.cursor)
            commands = await self._at_home(self._listed)
            self._connection = self._kind.open(
                ChannelAccount(
                    self._settings(),
                    lambda envelopes: self._receive(number, envelopes),
                    lambda: self._online(number),
                    self._say,
                    self._account,
                    cursor,
                    self._heard,
                    self._passing.reaches,
                    commands,
                    self._let_in,
                )
            )
            await self._served(self._connection)
        except MoltbotError as error:
            self._say(in_one_line(error.message, error.hint))
            return error.retryable or isinstance(error, StorageError)
        except ImportError as error:
            _log.warning("channel %s %s: %s", self._kind.id, self._account, error)
            name = (error.name or str(error)).partition(".")[0]
            self._say(library_missing(self._kind.id, self._kind.extra, name, self._desk.language))
            return False
        except (Exception, SystemExit) as error:  # noqa: BLE001 - border: a plugin's bug costs its connection
            _log.exception("channel %s %s broke", self._kind.id, self._account)
            self._say(f"{self._kind.id}: {type(error).__name__}: {error}"[:300])
        return True

    async def _listed(self) -> tuple[ListedCommand, ...]:
        return tuple(self._desk.commands())

    async def _served(self, connection: RunningChannel) -> None:
        """`run` to its end, which may also be that it was cut off."""
        self._cut, self._serving = None, True
        self._heard_at = self._desk.clock.monotonic()
        watch = asyncio.get_running_loop().create_task(self._watch(), name="silence")
        try:
            await connection.run()
        except asyncio.CancelledError as cancelled:
            raise self._reason() or cancelled from None
        finally:
            self._serving = False
            watch.cancel()
            self._passing.flush()
        if (reason := self._reason()) is not None:
            raise reason

    async def _watch(self) -> None:
        """A library may take a line for good that is cut: what counts is what was heard on it. And
        when the seal is closed, the line is."""
        patience = self._kind.silence_seconds
        while True:
            self._passing.flush()
            if self._sealed():
                self._cut_off(not_now("sealed", self._desk.language))
                return
            ahead = self._heard_at + patience - self._desk.clock.monotonic()
            if patience > 0 and ahead <= 0:
                seconds = f"{patience:.0f}"
                language = self._desk.language
                self._cut_off(not_now("silent", language, channel=self._kind.id, seconds=seconds))
                return
            await asyncio.sleep(min(ahead, SEAL_SECONDS) if patience > 0 else SEAL_SECONDS)

    def _sealed(self) -> bool:
        return not self._kind.local and self._desk.sealed()

    def _reason(self) -> ChannelError | None:
        """Why the connection was cut off; None when it was not, or all of the account ends."""
        cut, self._cut = self._cut, None
        if cut is None or self._stopping.is_set() or self._supervised is None:
            return None
        self._supervised.uncancel()
        return cut

    def _cut_off(self, error: ChannelError) -> None:
        if self._serving and self._cut is None and self._supervised is not None:
            self._cut = error
            self._supervised.cancel()

    def _online(self, number: int) -> None:
        if number != self._connections:
            return  # one that was given up, and does not know it yet
        self._problem = ""
        self._heard()
        if not self._stopping.is_set():
            self._stands(ChannelLife.ONLINE)
            self._desk.online()

    def _heard(self) -> None:
        self._last_in = self._desk.clock.now()
        self._heard_at = self._desk.clock.monotonic()

    def _stands(self, life: ChannelLife) -> None:
        self._life, self._since = life, self._desk.clock.now()

    def _say(self, problem: str) -> None:
        """Of each problem once, until all goes well again."""
        if problem and problem != self._problem:
            _log.warning("channel %s %s: %s", self._kind.id, self._account, problem)
            self._desk.tell(problem)
            self._last_problem = problem
        self._problem = problem

    async def _receive(self, number: int, envelopes: Sequence[Envelope]) -> None:
        """Whatever the plugin says: its messages came over its own channel and account."""
        if self._stopping.is_set() or number != self._connections:
            raise self._ended()
        self._heard()
        self._passing.add(received=sum(text_size(one.text) for one in envelopes))
        own = [replace(one, channel=self._kind.id, account=self._account) for one in envelopes]

        async def kept() -> None:
            # Once begun it is done to its end: a message that is on the disk and that nobody was
            # told of would be taken for one that is answered already when it comes again.
            job = asyncio.ensure_future(self._desk.receive(own))
            self._keeping.add(job)
            job.add_done_callback(self._keeping.discard)
            await asyncio.shield(job)

        await self._at_home(kept)

    async def _let_in(self, sender: Sender) -> None:
        let_in = self._desk.let_in
        if not self._kind.local or let_in is None:
            raise self._ended()
        await self._at_home(lambda: let_in(sender))

    async def _at_home(self, call: Callable[[], Awaitable[T]]) -> T:
        assert self._home is not None  # `start` comes before the thread
        return await self._across(self._home, call)

    async def _across(self, loop: asyncio.AbstractEventLoop, call: Callable[[], Awaitable[T]]) -> T:
        """`call` carried out on another thread's `loop`.

        Raises:
            ChannelError: that loop has ended, or it ended before the work did.
        """

        async def carried_out() -> T:
            return await call()

        job = carried_out()
        try:
            future: Future[T] = asyncio.run_coroutine_threadsafe(job, loop)
        except RuntimeError as error:
            job.close()
            raise self._ended() from error
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # it is we who are to end
            raise self._ended() from None


def _give_way() -> None:
    """This thread, and those that it starts, come after the window's when both want the processor.
    Elsewhere than on Linux that would be said of the whole program (sched(7), getpriority(2))."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):  # not allowed here, and not needed
            nice = max(_NICE, os.getpriority(os.PRIO_PROCESS, thread))
            os.setpriority(os.PRIO_PROCESS, thread, nice)
