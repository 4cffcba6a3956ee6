"""`AssistantClient` over the agent's event loop: any thread may call, the loop does the work."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionId
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.arrivals import Arrivals
from moltbot_desktop.gateway.client import (
    MAX_MESSAGE_CHARACTERS,
    ClientEvent,
    GivenFile,
    Listener,
    Notice,
    PauseLength,
    SaidPlace,
)
from moltbot_desktop.gateway.decisions import checked_message
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.handed_files import check_given
from moltbot_desktop.gateway.looking_desk import LookingDesk
from moltbot_desktop.gateway.opening_desk import OpeningDesk
from moltbot_desktop.gateway.switch_desk import SwitchDesk
from moltbot_desktop.gateway.versions_desk import VersionsDesk

_BACKLOG = 100


class Listeners:
    """Who hears events. Subscribing is safe on any thread; telling happens on the loop.

    What is told before anybody listens (a missed reminder, a broken config section) waits for
    the first listener instead of being lost.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: tuple[Listener, ...] = ()
        self._overhearing: tuple[Listener, ...] = ()
        self._backlog: deque[ClientEvent] = deque(maxlen=_BACKLOG)

    def add(self, listener: Listener) -> Callable[[], None]:
        with self._lock:
            waiting = tuple(self._backlog)
            self._backlog.clear()
            self._listeners += (listener,)
        for event in waiting:
            listener(event)
        return lambda: self._remove(listener)

    def overhear(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with everything that is told from now on; the returned function ends
        that. It is nobody's window: what nobody else has heard still waits for the first one."""
        with self._lock:
            self._overhearing += (listener,)
        return lambda: self._no_more(listener)

    def aside(self, event: ClientEvent) -> None:
        """Tell what belongs to no window."""
        for listener in self._overhearing:
            listener(event)

    def tell(self, event: ClientEvent) -> None:
        self.aside(event)
        with self._lock:
            listeners = self._listeners
            if not listeners:
                self._backlog.append(event)
        for listener in listeners:
            listener(event)

    def _no_more(self, listener: Listener) -> None:
        with self._lock:
            self._overhearing = tuple(one for one in self._overhearing if one is not listener)

    def _remove(self, listener: Listener) -> None:
        with self._lock:
            self._listeners = tuple(one for one in self._listeners if one is not listener)


class LoopClient:
    """The door that `ui` and `cli` get. Calls after the loop has ended do nothing."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        desk: FrontDesk,
        looking: LookingDesk,
        listeners: Listeners,
        new_id: Callable[[], str],
        switches: SwitchDesk,
        opening: OpeningDesk,
        arrivals: Arrivals,
        versions: VersionsDesk,
    ) -> None:
        self._loop = loop
        self._desk = desk
        self._looking = looking
        self._listeners = listeners
        self._new_id = new_id
        self._switches = switches
        self._opening = opening
        self._arrivals = arrivals
        self._versions = versions

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        return self._listeners.add(listener)

    def send(self, text: str, files: Sequence[GivenFile] = ()) -> RunId:
        given = tuple(files)
        checked = checked_message(text, alone=not given)
        check_given(given)
        run_id = RunId(self._new_id())
        self._on_loop(lambda: self._arrivals.say(run_id, checked, given))
        return run_id

    def say_instead(self, place: SaidPlace, text: str, files: Sequence[GivenFile] = ()) -> RunId:
        given = tuple(files)
        checked = checked_message(text, alone=not given)
        check_given(given)
        run_id = RunId(self._new_id())
        said = partial(self._versions.say_instead, place)
        self._on_loop(lambda: self._arrivals.say(run_id, checked, given, said))
        return run_id

    def say_again(self, place: SaidPlace) -> RunId:
        run_id = RunId(self._new_id())
        self._in_turn(lambda: self._versions.say_again(place, run_id))
        return run_id

    def turn_to(self, place: SaidPlace, instead_of: str) -> None:
        self._in_turn(lambda: self._versions.turn_to(place, instead_of))

    def typing(self, text: str) -> None:
        if len(text) <= MAX_MESSAGE_CHARACTERS:
            self._on_loop(lambda: self._desk.typing(text))

    def stop(self) -> None:
        self._in_turn(lambda: self._desk.stop())

    def new_session(self) -> None:
        self._in_turn(self._desk.new_session)

    def request_history(self, limit: int = 200) -> None:
        self._on_loop(lambda: self._desk.history(limit))

    def open_session(self, session_id: SessionId, limit: int = 200, at: str = "") -> None:
        self._in_turn(lambda: self._opening.open(session_id, limit, at))

    def show_memories(self, memories: tuple[UsedMemory, ...]) -> None:
        self._on_loop(lambda: self._desk.show_memories(memories))

    def request_status(self) -> None:
        self._on_loop(self._desk.status)

    def move_seal(self, *, closed: bool) -> None:
        self._on_loop(lambda: self._desk.move_seal(closed))

    def pause(self, length: PauseLength | None) -> None:
        self._on_loop(lambda: self._switches.stand_by(length))

    def remind_again(self, text: str, minutes: int) -> None:
        self._on_loop(lambda: self._switches.remind_again(text, minutes))

    def unload_model(self) -> None:
        self._on_loop(self._switches.unload_model)

    def request_commands(self) -> None:
        self._on_loop(self._looking.commands)

    def request_context(self) -> None:
        self._on_loop(self._looking.context)

    def answer_approval(
        self, approval_id: ApprovalId, *, allow: bool, term: Term = Term.ONCE
    ) -> None:
        self._on_loop(lambda: self._desk.answer_approval(approval_id, allow, term))

    def request_inbox(self) -> None:
        self._on_loop(lambda: self._desk.inbox.request())

    def decide(self, proposal_id: str, *, keep: bool, text: str = "") -> None:
        self._on_loop(lambda: self._desk.inbox.decide(proposal_id, keep=keep, text=text))

    def undo_memory(self, change_id: str = "") -> None:
        self._on_loop(lambda: self._desk.inbox.undo(change_id))

    def _in_turn(self, call: Callable[[], object]) -> None:
        self._on_loop(lambda: self._arrivals.in_turn(call))

    def _on_loop(self, call: Callable[[], object]) -> None:
        try:
            self._loop.call_soon_threadsafe(self._carry_out, call)
        except RuntimeError:  # the loop is closed: the program is ending
            return

    def _carry_out(self, call: Callable[[], object]) -> None:
        """Nobody waits for what comes of `call`, so what it could not do is told to all."""
        try:
            call()
        except MoltbotError as error:
            self._listeners.tell(Notice(error.message, error.hint, serious=True))
