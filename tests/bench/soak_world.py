"""The program of a soak, whom it serves, and what can be done to it.

    async with world(folder, disk=True) as there:
        await there.begin()
        await there.kill_program()      # and the other faults of `FAULTS`
        there.sizes                     # of each of its lives

The home may lie on a small disk of its own, so that it can be filled up.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.bench.channels_servers import standing
from tests.bench.soak_owner import Owner
from tests.bench.soak_program import MODULE, set_clock
from tests.bench.soak_talk import IrcTalk, PipeTalk, Talk, waiting
from tests.e2e.program import Program
from tests.fakes.chat_servers import HOST, ChatServer, inspircd
from tests.fakes.forked_program import ForkedProgram
from tests.fakes.pipes import PEERS, pipe_settings, scripts

JOB_SECONDS = 20
_ACCOUNT = "molty"
_DISK_BYTES = 256 << 20
_PATIENCE = 120.0
_CHUNK = 1 << 20
JUST_BEFORE, JUST_AFTER = 1.0, 5.0
"""Seconds around a trouble that count to it: what was answered before may not have been noted, and
what was in the way may still be told."""
FIRST = 20_000
"""Numbers of messages begin here, so that none is one of those that are added or multiplied by."""
_LONG = 25
"""Messages after which somebody begins a new conversation, so that none grows for ever."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Stuck(RuntimeError):
    """Something that has to happen did not."""


def settings(folder: Path, port: int) -> dict[str, object]:
    """moltbot.json: two pipes, IRC where there is a `port`, the built-in model in a process."""
    whole = pipe_settings(folder, mode="followup")
    agents: dict[str, dict[str, object]] = whole["agents"]  # type: ignore[assignment]
    del agents["defaults"]["memorySearch"]
    whole["models"] = {"isolation": "process"}
    messages: dict[str, object] = whole["messages"]  # type: ignore[assignment]
    messages["inbound"] = {"debounceMs": 0, "maxPerMinute": 100_000}
    if port:
        account = {"host": HOST, "port": port, "tls": False, "nick": _ACCOUNT, "identify": "nick"}
        account |= {"channels": [], "lineDelaySeconds": 0}
        channels: dict[str, object] = whole["channels"]  # type: ignore[assignment]
        open_to_all = {"dmPolicy": "open", "allowFrom": ["*"]}
        channels["irc"] = {**open_to_all, "accounts": {_ACCOUNT: account}}
        whole["plugins"] = {"entries": {"irc": {"enabled": True}}}
    return whole


@dataclass
class World:
    """Attributes:
    talks: every conversation; those of IRC are in `irc`, too.
    sizes: of each life of the program: seconds since its start, bytes, messages so far.
    troubles: from when to when something was in the way, and what; the end is infinite before it
        is over.
    moved: seconds by which the program's clock is ahead.
    """

    home: Path
    program: ForkedProgram
    pipes: list[PipeTalk]
    irc: list[IrcTalk]
    server: ChatServer | None
    owner: Owner
    has_disk: bool
    chance: random.Random
    ask: int = FIRST
    sizes: list[list[tuple[float, int, int]]] = field(default_factory=list)
    troubles: list[tuple[float, float, str]] = field(default_factory=list)
    moved: int = 0
    quiet: bool = False
    began: float = 0.0

    @property
    def talks(self) -> list[Talk]:
        return [*self.pipes, *self.irc]

    @property
    def said(self) -> int:
        return sum(len(one.said) for one in self.talks)

    def troubles_between(self, since: float, until: float) -> list[str]:
        return [what for begun, ended, what in self.troubles if begun <= until and since <= ended]

    def is_troubled(self, since: float, until: float) -> bool:
        return bool(self.troubles_between(since, until))

    async def begin(self) -> None:
        """Start the program and wait until it serves."""
        self.program.start()
        self.began = time.monotonic()
        self.sizes.append([])
        await self.until(self.owner.is_there, "the program answers")
        if self.server is not None:
            await self.until(self.is_online, "the account is on IRC")
        self.quiet = False

    async def is_online(self) -> bool:
        rows = await standing(self.home)
        return rows.get(("irc", _ACCOUNT), {}).get("state") == "online"

    async def until(self, true: Callable[[], object], what: str) -> None:
        """Raises Stuck."""
        last = time.monotonic() + _PATIENCE
        while True:
            found = true()
            if await found if asyncio.iscoroutine(found) else found:
                return
            if time.monotonic() > last:
                raise Stuck(f"It does not come about that {what}. {self.errors()[-1500:]}")
            await asyncio.sleep(0.02)

    def errors(self) -> str:
        found = self.program.errors
        return found.read_text("utf-8", "replace") if found.exists() else ""

    async def speak(self, talk: Talk, most: int, over: asyncio.Event) -> None:
        """Somebody who writes no faster than they are answered."""
        on_irc, since = talk in self.irc, 0
        while not over.is_set():
            await asyncio.sleep(self.chance.random() * 0.1)
            talk.look()
            is_long = since >= _LONG
            if waiting(talk) >= (1 if is_long else most) or (on_irc and self.quiet):
                continue
            self.ask += 1
            since = 0 if is_long else since + 1
            if is_long:
                talk.begin_anew(self.ask)
            else:
                talk.say(self.ask)

    def sample(self) -> None:
        """Note how large the program is, with its model's process."""
        if self.program.pid:
            row = (time.monotonic() - self.began, resident(self.program.pid), self.said)
            self.sizes[-1].append(row)

    # ---------------------------------------------------------------- faults

    @contextlib.contextmanager
    def trouble(self, what: str) -> Iterator[None]:
        begun = time.monotonic() - JUST_BEFORE
        self.troubles.append((begun, float("inf"), what))
        try:
            yield
        finally:
            self.troubles[-1] = (begun, time.monotonic() + JUST_AFTER, what)

    async def nobody_on_irc(self) -> None:
        """Who is away there loses what is said to them: nobody speaks, all is answered."""
        self.quiet = True
        await self.until(lambda: not any(map(_left, self.irc)), "IRC is answered")

    async def kill_program(self) -> None:
        await self.nobody_on_irc()
        with self.trouble("program"):
            if self.program.kill() != -signal.SIGKILL:
                raise Stuck(f"The program had ended by itself. {self.errors()[-1500:]}")
            ends = {one.script.name: one.script for one in self.pipes}.values()
            for script in ends:
                script.take_back()
            # Both sides begin at once: the program reads what is said before it is asked anything.
            self.program.start()
            for script in ends:
                script.say_again()
            self.began = time.monotonic()
            self.sizes.append([])
            await self.until(self.owner.is_there, "the program answers")
            if self.server is not None:
                await self.until(self.is_online, "the account is on IRC")
        self.quiet = False

    async def kill_model(self) -> None:
        with self.trouble("model"):
            for child in family(self.program.pid)[1:]:
                with contextlib.suppress(OSError):
                    if b"models.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                        os.kill(child, signal.SIGKILL)
            await self.answered_again()

    async def kill_server(self) -> None:
        assert self.server is not None
        await self.nobody_on_irc()
        with self.trouble("server"):
            for one in self.irc:
                await one.go()
            await asyncio.to_thread(self.server.kill)
            await asyncio.sleep(self.chance.random() * 2)
            await asyncio.to_thread(self.server.start)
            for one in self.irc:
                await one.come(self.server.port)
            await self.until(self.is_online, "the account is on IRC again")
        self.quiet = False

    async def fill_disk(self) -> None:
        """Nothing more can be kept for some seconds."""
        ballast = self.home / "ballast"
        with self.trouble("disk"):
            try:
                await asyncio.to_thread(fill, ballast)
                await asyncio.sleep(1 + self.chance.random() * 2)
            finally:
                ballast.unlink(missing_ok=True)
            await self.answered_again()

    async def move_clock(self) -> None:
        """Mostly ahead by hours; now and then some minutes back."""
        with self.trouble("clock"):
            back = self.chance.random() < 0.25 and self.moved > 0
            self.moved += -600 if back else self.chance.randrange(600, 6 * 3600)
            set_clock(self.program.errors, self.moved)
            await self.answered_again()

    async def answered_again(self) -> None:
        """Until one who spoke after this moment has an answer."""
        since = time.monotonic()

        def is_answered() -> bool:
            return any(
                at > since and number in one.told
                for one in self.pipes
                for number, at in tuple(one.said.items())
            )

        await self.until(is_answered, "somebody is answered")

    def faults(self) -> dict[str, Callable[[], object]]:
        """What can be done here, by name; what cannot be is not in it."""
        found: dict[str, Callable[[], object]] = {
            "program": self.kill_program,
            "model": self.kill_model,
            "clock": self.move_clock,
        }
        if self.server is not None:
            found["server"] = self.kill_server
        if self.has_disk:
            found["disk"] = self.fill_disk
        return found

    # ---------------------------------------------------------------- the end

    async def end(self) -> int:
        """All is answered, then SIGTERM; its exit code."""

        def silent() -> bool:
            for one in self.talks:
                one.look()
            left = any(one.script.unacknowledged for one in self.pipes)
            return not left and not any(map(_left, self.talks))

        def told() -> bool:
            return not self.owner.untold(time.time() + self.moved)[1]

        with contextlib.suppress(Stuck):  # what is missing is told as lost
            await self.until(silent, "all is answered")
            # A clock that was set is noticed when the program looks next, within half a minute.
            await self.until(told, "all reminders are told")
        return self.program.end()

    def times_of_jobs(self) -> tuple[int, int, int]:
        """Of the job: times that ran, times told as missed, and times that are in neither."""
        step = JOB_SECONDS * 1000
        with contextlib.closing(sqlite3.connect(self.home / "cron" / "jobs.sqlite")) as book:
            ran = {row[0] for row in book.execute("SELECT slot FROM runs WHERE ended IS NOT NULL")}
            missed = book.execute("SELECT first, last FROM missed").fetchall()
            ((first, mark),) = book.execute("SELECT scheduled, mark FROM jobs").fetchall()
        told = {slot for begun, last in missed for slot in range(begun, last + 1, step)}
        some = min(ran | told, default=first)
        due = {slot for slot in range(some, mark + 1, step) if slot > first}
        return len(ran), len(told), len(due - ran - told)


def _left(talk: Talk) -> int:
    talk.look()
    return waiting(talk)


def fill(ballast: Path) -> None:
    """Until nothing fits any more."""
    with ballast.open("wb", buffering=0) as file:
        size = _CHUNK
        while size:
            try:
                file.write(bytes(size))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                size //= 2


def family(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    with contextlib.suppress(OSError):
        for file in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in file.read_text().split():
                found += family(int(child))
    return found


def resident(pid: int) -> int:
    """Bytes of a process and all below it."""
    many = 0
    for one in family(pid):
        with contextlib.suppress(OSError, IndexError):
            many += int(Path(f"/proc/{one}/statm").read_text().split()[1]) * _PAGE
    return many


@contextlib.contextmanager
def small_disk(home: Path) -> Iterator[bool]:
    """A disk of its own at `home`, where this process may make one; whether it did."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_DISK_BYTES}", "soak", str(home)]
    able = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None
    done = able and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield bool(done)
    finally:
        if done:
            subprocess.run(["umount", "--lazy", str(home)], check=True)


@contextlib.contextmanager
def irc_server(folder: Path) -> Iterator[ChatServer | None]:
    """A real one, where it is installed."""
    with contextlib.ExitStack() as stack:
        try:
            server = stack.enter_context(inspircd(folder))
        except pytest.skip.Exception:
            server = None
        yield server


@contextlib.asynccontextmanager
async def world(folder: Path, seed: int, *, disk: bool) -> AsyncIterator[World]:
    """Everything but the program's start; `disk`: the home is to lie on one that can be filled."""
    home = folder / "home" / ".moltbot"
    home.mkdir(parents=True)
    (folder / "irc").mkdir()
    with contextlib.ExitStack() as stack:
        has_disk = stack.enter_context(small_disk(home)) if disk else False
        server = stack.enter_context(irc_server(folder / "irc"))
        port = server.port if server is not None else 0
        (home / "moltbot.json").write_text(json.dumps(settings(folder, port)), encoding="utf-8")
        add = ("cron", "add", f"every {JOB_SECONDS} seconds", "What is 5 plus 6?")
        made = Program(home).run(*add)
        if made.returncode:
            raise Stuck(made.stderr)
        ends = stack.enter_context(scripts(folder))
        set_clock(home.parent / "errors.txt", 0)
        program = stack.enter_context(ForkedProgram(home, module=MODULE))
        pipes = [PipeTalk(ends[name], peer) for name, peers in PEERS.items() for peer in peers]
        irc = [IrcTalk(_ACCOUNT, who) for who in ("alice", "bob")] if server is not None else []
        chance = random.Random(seed)
        there = World(home, program, pipes, irc, server, Owner(home), has_disk, chance)
        try:
            for one in irc:
                await one.come(port)
            yield there
        finally:
            for one in irc:
                await one.go()
