"""What the window says and does, in its order, though files take their time.

    arrivals = Arrivals(desk, files, emit, Language.ENGLISH)
    arrivals.say(run_id, "sum this up", (GivenFile("plan.pdf", b"%PDF…"),))
    arrivals.in_turn(desk.new_session)       # not before that message is kept
    await arrivals.close()

Files are on the disk before the message that they come with is said. What the person does meanwhile
waits for that: otherwise the next message would overtake this one, or it would be said in another
conversation. Where nothing is on its way, all is done at once. What cannot be kept comes back as
the failed end of a run that never began, with which a window gives words and files back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import ClientEvent, FilesKept, GivenFile, Notice
from moltbot_desktop.gateway.decisions import RunCommand
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.handed_files import HandedFile, HandedFiles

Accepting = Callable[[RunId, str, tuple[str, ...]], None]
"""Takes in a message with the lines of its files, and their names."""
_Work = Callable[[], Awaitable[None]]


@dataclass
class Arrivals:
    """Lives on the agent's event loop."""

    desk: FrontDesk
    files: HandedFiles
    emit: Callable[[ClientEvent], None]
    language: Language
    _waiting: deque[_Work] = field(default_factory=deque, init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)
    _closed: bool = field(default=False, init=False)

    def say(
        self,
        run_id: RunId,
        text: str,
        files: Sequence[GivenFile],
        accept: Accepting | None = None,
    ) -> None:
        """Take in a checked message with what comes with it.

        Args:
            accept: takes it in the desk's place.
        """
        taking = accept or self._accept
        if files:
            self._queue(lambda: self._say_with(run_id, text, tuple(files), taking))
        else:
            self.in_turn(lambda: taking(run_id, text, ()))

    def in_turn(self, call: Callable[[], object]) -> None:
        """Do it after what was said before; now, where all of that was taken in.

        Raises:
            MoltbotError: `call` did; a later one is told as a notice.
        """
        if self._task is None:
            call()
        else:
            self._queue(lambda: self._later(call))

    async def close(self) -> None:
        """Wait until what was said is taken in; nothing more is."""
        self._closed = True
        if self._task is not None:
            await self._task

    def _queue(self, work: _Work) -> None:
        if self._closed:
            return
        self._waiting.append(work)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work_off())

    async def _work_off(self) -> None:
        try:
            while self._waiting:
                await self._waiting.popleft()()
        finally:
            self._task = None

    async def _later(self, call: Callable[[], object]) -> None:
        try:
            call()
        except MoltbotError as error:
            self.emit(Notice(error.message, error.hint, serious=True))

    def _accept(self, run_id: RunId, text: str, brought: tuple[str, ...]) -> None:
        self.desk.accept(run_id, text, brought=brought)

    async def _say_with(
        self, run_id: RunId, text: str, files: tuple[GivenFile, ...], accept: Accepting
    ) -> None:
        session = self.desk.session.key
        try:
            if text and isinstance(self.desk.decide(text), RunCommand):
                raise UserInputInvalid(
                    "A command takes no files.",
                    hint="Give the command first, then send the files.",
                )
            handed = [HandedFile(one.name, one.content) for one in files]
            kept = await self.files.keep(handed, session)
        except MoltbotError as error:
            said = in_words(error, self.language)
            self.emit(RunEnded(run_id, session, 1, RunOutcome(OutcomeKind.FAILED, said, said)))
            return
        self.emit(FilesKept(run_id, tuple(one.attached for one in kept)))
        said = "\n".join(filter(None, (text, *(one.line for one in kept))))
        accept(run_id, said, tuple(one.path.name for one in kept))
