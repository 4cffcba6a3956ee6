"""All commands that run or ran lately, each known to the conversation that started it.

    sessions = CommandSessions(clock, kept_seconds=1800)
    one = sessions.begin(plan, conversation, seconds=1800, talks=True)
    await sessions.close()             # at the program's end: nothing lives on

Every command has a scratch folder of its own, which goes when it is over. Lives on the agent's
event loop.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.security.sandbox.walls import Backend
from moltbot_desktop.tools.exec.here import begin
from moltbot_desktop.tools.exec.planning import Plan
from moltbot_desktop.tools.exec.running import Begin, Running
from moltbot_desktop.tools.exec.steering import Steering

TIMED_OUT = "timed out"
STOPPED = "stopped"
_LAST_CHANCE_SECONDS = 10.0
MOST_RUNNING = 16
"""Commands at once; a model that starts one after the other is stopped here."""


@dataclass
class Session:
    """One command.

    Attributes:
        id: a number, as text.
        command: as the model wrote it.
        hidden: values of variables that may be keys; in no text.
        taints: what it says may be others' words.
        steering: files that steer, as they stood before; None where it could change none.
        background: it is left to itself; the next words about it go through `process`.
    """

    id: str
    conversation: SessionKey
    command: str
    folder: Path
    running: Running
    began: float
    hidden: tuple[str, ...]
    taints: bool
    seconds: int
    steering: Steering | None = None
    background: bool = False
    ended: float | None = None
    _steered: tuple[str, ...] | None = None

    def steered(self) -> tuple[str, ...]:
        """Files that steer the assistant or other programs, and changed while it ran; as it was
        when this was asked first after its end."""
        if self.steering is None or self._steered is not None:
            return self._steered or ()
        changed = self.steering.changed()
        if self.running.status is not None:
            self._steered = changed
        return changed

    def shown(self, text: str) -> str:
        """`text` without what must not be seen."""
        for value in self.hidden:
            text = text.replace(value, "***")
        return text


@dataclass
class CommandSessions:
    """`kept_seconds`: how long what is over can still be read. `on_over` hears of each that ended
    by itself in the background. `start` is what starts one."""

    clock: Clock
    kept_seconds: float = 1800.0
    on_over: Callable[[Session], Awaitable[None]] | None = None
    start: Begin = begin
    _all: dict[str, Session] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=lambda: count(1))
    _tidying: set[asyncio.Task[None]] = field(default_factory=set)

    def begin(
        self,
        plan: Plan,
        command: str,
        conversation: SessionKey,
        *,
        seconds: int,
        talks: bool,
        hidden: tuple[str, ...],
        taints: bool,
    ) -> Session:
        """Start it.

        Raises:
            OSError: no process, or no scratch folder, can be made; or too many run.
        """
        self._forget_old()
        if sum(one.ended is None for one in self._all.values()) >= MOST_RUNNING:
            raise OSError("too many commands run already")
        scratch = Path(tempfile.mkdtemp(prefix="moltbot-run-")).resolve()
        # bubblewrap shows the scratch folder as /tmp.
        inside = "/tmp" if plan.walls.backend is Backend.BUBBLEWRAP else str(scratch)
        home = str(Path.home()) if plan.walls.backend is Backend.NONE else inside
        environment = {**plan.system.homes(home, inside), **plan.environment}
        steering = Steering.look(plan.walls.folder) if plan.walls.writable else None
        try:
            running = self.start(
                lambda line: plan.order(line, scratch),
                environment,
                terminal=plan.terminal,
                talks=talks,
            )
        except OSError:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        running.stop_after(seconds, TIMED_OUT)
        session = Session(
            str(next(self._numbers)),
            conversation,
            command,
            plan.folder,
            running,
            self.clock.monotonic(),
            hidden,
            taints,
            seconds,
            steering,
        )
        self._all[session.id] = session
        task = asyncio.create_task(self._until_over(session, scratch), name="command")
        self._tidying.add(task)
        task.add_done_callback(self._tidying.discard)
        return session

    def of(self, conversation: SessionKey) -> list[Session]:
        """Those in the background, oldest first."""
        self._forget_old()
        return [
            one for one in self._all.values() if one.conversation == conversation and one.background
        ]

    def find(self, conversation: SessionKey, number: str) -> Session | None:
        """One in the background; without a number the only one there is."""
        mine = self.of(conversation)
        if not number:
            return mine[0] if len(mine) == 1 else None
        return next((one for one in mine if one.id == number.removeprefix("#")), None)

    def forget(self, session: Session) -> None:
        """Stop it if it runs, and put it away."""
        session.running.stop(STOPPED)
        self._all.pop(session.id, None)

    async def close(self) -> None:
        """Stop all; returns when nothing of them is left, and soon in any case."""
        for one in self._all.values():
            one.running.stop(STOPPED)
        if self._tidying:
            await asyncio.wait(tuple(self._tidying), timeout=_LAST_CHANCE_SECONDS)
        self._all.clear()

    async def _until_over(self, session: Session, scratch: Path) -> None:
        await session.running.over.wait()
        session.ended = self.clock.monotonic()
        session.steered()
        await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
        if session.background and session.running.stopped != STOPPED and self.on_over is not None:
            await self.on_over(session)

    def _forget_old(self) -> None:
        now = self.clock.monotonic()
        for one in list(self._all.values()):
            if one.ended is not None and now - one.ended > self.kept_seconds:
                del self._all[one.id]
