"""Talking over the local socket: `rpc.agent_methods.Conversations` over the desks.

    desk = SocketDesk(front, results, listeners, new_id, monotonic)
    desk.say(RunId("r1"), SessionKey("agent:main:main"), "What is on today?")
    (await desk.wait(RunId("r1"), 30.0)).text

Who asks over the socket is the owner at a shell: commands work, nobody else's rights hold; but for
those that answer cards or change what is asked about (`by_hand`), which no program gives. In the
conversation that a window shows, the owner sits there and gets the cards. So they do in one that
goes on in an editor (`editors`), whose person sits before the same screen: the window shows its
cards too, or, where this very process serves the editor, the editor does. In every other one a run
is a script's, and what needs a card is denied and told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from moltbot_desktop.agent.run_settings import NOTHING_SET, RunSettings
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import (
    MoltbotError,
    PolicyDenied,
    StorageError,
    StoreBusy,
    UserInputInvalid,
)
from moltbot_desktop.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    RunEnded,
    RunEvent,
)
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun, taint
from moltbot_desktop.gateway.client import ClientEvent
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.gateway.conversation import History, conversation_items
from moltbot_desktop.gateway.decisions import RunCommand, by_hand
from moltbot_desktop.gateway.editors import NO_EDITOR, EditorSide, check_place, header, is_editors
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.handed_files import HandedFile, HandedFiles
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.gateway.owner_words import OwnerMessage, OwnerWords
from moltbot_desktop.gateway.run_results import RunResult, RunResults
from moltbot_desktop.gateway.session_desk import SessionDesk, tell_not_kept
from moltbot_desktop.gateway.session_desks import DeskRuns, SessionDesks
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.sources import Source, SourceKind
from moltbot_desktop.sessions.entries import OutcomeEntry, UserEntry

_MOST_SAID = 1_000
_KEPT_FREE_SECONDS = 30.0
"""A conversation that was begun for somebody waits so long for the first question."""


@dataclass
class SocketDesk:
    """Lives on the agent's event loop.

    Attributes:
        files: keeps what programs hand over.
        commands: hears of each command before it is carried out, as `CommandDesk.on_call`.
    """

    front: FrontDesk
    listeners: Listeners
    clock: Clock
    new_id: Callable[[], str]
    files: HandedFiles
    results: RunResults = field(init=False)
    commands: CommandDesk = field(init=False)
    _words: OwnerWords = field(init=False)
    _said: dict[RunId, None] = field(default_factory=dict, init=False)
    _begun: dict[SessionKey, float] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.results = RunResults(self.clock)
        self.listeners.overhear(self.results.heard)
        self.front.on_said(lambda message: self.results.began(message.run_id))
        self.commands = CommandDesk(replace(self.front.ports, runs=DeskRuns(self._desks)))
        self._words = OwnerWords(
            self.commands,
            self.front.decide,
            self.front.parts.language,
            self._tell,
            self._ask,
            lambda: True,
            self.front.heard,
        )

    def say(
        self,
        run_id: RunId,
        session: SessionKey,
        text: str,
        settings: RunSettings = NOTHING_SET,
        editor: EditorSide = NO_EDITOR,
        brought: tuple[str, ...] = (),
    ) -> None:
        """See `Conversations.say`.

        Args:
            brought: the names of files that stand in `text`.

        Raises:
            UserInputInvalid: `run_id` is another one's; `editor` says something and the
                conversation is not in one.
            PolicyDenied: `text` is for the person's own hand (`by_hand`).
        """
        check_place(editor, session)
        if self._was_said(run_id, session):
            return  # its answer is, or will be, under that id
        if name := by_hand(self.front.decide(text)):
            language = self.front.parts.language
            said = PHRASES.say("by_hand", language, name=name)
            raise PolicyDenied(said, hint=PHRASES.say("by_hand_how", language))
        self._begun.pop(session, None)
        there = self.front.parts.presence is Presence.PRESENT
        presence = Presence.PRESENT if there else Presence.SCRIPT
        if session == self.front.session.key:
            self.front.accept(run_id, text, presence, settings, brought)
        elif is_editors(session):
            message = OwnerMessage(run_id, session, text, presence, settings, editor=editor)
            self._words.accept(replace(message, brought=brought))
        else:
            message = OwnerMessage(run_id, session, text, Presence.SCRIPT, settings)
            self._words.accept(replace(message, brought=brought))
        self._said[run_id] = None
        while len(self._said) > _MOST_SAID:
            del self._said[next(iter(self._said))]

    async def say_with(
        self,
        run_id: RunId,
        session: SessionKey,
        text: str,
        files: Sequence[HandedFile],
        settings: RunSettings = NOTHING_SET,
        editor: EditorSide = NO_EDITOR,
    ) -> None:
        """See `Conversations.say_with`.

        Raises:
            MoltbotError: the files cannot be kept, or `say` refused; then none of them lies there.
        """
        if self._was_said(run_id, session):
            return
        if isinstance(self.front.decide(text), RunCommand):
            raise UserInputInvalid(
                "A command takes no files.", hint="Give the command first, then send the files."
            )
        kept = await self.files.keep(files, session)
        try:
            if self._was_said(run_id, session):  # the same message came again meanwhile
                await self.files.drop(kept)
                return
            said = "\n".join(filter(None, (text, *(one.line for one in kept))))
            names = tuple(one.path.name for one in kept)
            self.say(run_id, session, said, settings, editor, brought=names)
        except MoltbotError:
            await self.files.drop(kept)
            raise

    async def ready(self, session: SessionKey) -> None:
        await self._desks.ready(session)

    async def wait(self, run_id: RunId, seconds: float) -> RunResult:
        return await self.results.wait(run_id, seconds)

    def stop(self, session: SessionKey, run_id: RunId | None = None) -> bool:
        desk = self._desks.known(session)
        if desk is None:
            return False
        return desk.stop() if run_id is None else desk.stop_one(run_id)

    def begin(self, session: SessionKey) -> SessionKey:
        free = self._free(session)
        key = free if free is not None else SessionKey(f"{session}:thread:{self.new_id()}")
        if key == self.front.session.key:
            self.front.new_session()
        elif self._desks.of(key).session.transcript.entries():
            self._desks.start_new(key)
        self._begun[key] = self.clock.monotonic()
        return key

    def history(self, session: SessionKey, limit: int) -> History:
        desk = self._desks.known(session)
        if desk is None and self.front.parts.store.last_used(session) is None:
            return History()  # looking at a conversation does not begin it
        there = (desk or self._desks.of(session)).session
        return History(there.session_id, conversation_items(there.transcript.entries())[-limit:])

    async def close(self) -> None:
        await self.commands.close()

    @property
    def _desks(self) -> SessionDesks:
        return self.front.parts.desks

    def _was_said(self, run_id: RunId, session: SessionKey) -> bool:
        """Whether that message came before.

        Raises:
            UserInputInvalid: `run_id` is another one's.
        """
        if run_id in self._said or self._is_in(run_id, session):
            return True
        if self.results.known(run_id):
            raise UserInputInvalid(
                "This key names a message of somebody else.", hint="Use a new one for each message."
            )
        return False

    def _is_in(self, run_id: RunId, session: SessionKey) -> bool:
        """Whether a message stands in that conversation under that id, from before a restart.

        How its run ended then can be waited for again.
        """
        if self.front.parts.store.last_used(session) is None:
            return False
        entries = self._desks.of(session).session.transcript.entries()
        if not any(isinstance(one, UserEntry) and one.run_id == run_id for one in entries):
            return False
        if not self.results.known(run_id):
            for one in entries:
                if isinstance(one, OutcomeEntry) and one.run_id == run_id:
                    self.results.ended(run_id, one.outcome)
        return True

    def _free(self, session: SessionKey) -> SessionKey | None:
        """`session`, unless it is somebody's just now."""
        now = self.clock.monotonic()
        self._begun = {key: at for key, at in self._begun.items() if now - at < _KEPT_FREE_SECONDS}
        try:
            taken = session in self._begun or self._desks.of(session).busy
        except StoreBusy:
            taken = True
        return None if taken else session

    # ------------------------------------------------- a conversation that no window shows

    def _tell(self, event: ClientEvent) -> None:
        """Windows show their own conversation; what is no part of one is for everybody, and so are
        the cards of all."""
        if isinstance(event, RunEvent) and not isinstance(
            event, ApprovalRequested | ApprovalResolved
        ):
            self.listeners.aside(event)
        else:
            self.listeners.tell(event)

    def _ask(self, message: OwnerMessage) -> None:
        try:
            desk = self._desk_for(message)
        except StorageError as error:
            outcome = RunOutcome(OutcomeKind.FAILED, error.message, str(error))
            self._tell(RunEnded(message.run_id, message.session, 1, outcome))
            return
        now = self.clock.now()
        # A model that reads one request and nothing around it reads the bare words.
        bare = self.front.parts.one_request()
        above = "" if bare else header(message.editor)
        accepted = AcceptedRun(
            message.run_id,
            desk.session,
            above + message.text,
            now,
            self._tell,
            message.presence,
            untrusted=message.source is not None,
            sender=message.source,
            settings=message.settings,
            before=above,
        )
        try:
            for one in () if bare else message.editor.texts:
                taint(desk.session, Source(SourceKind.FILE, one.place))
            accepted.keep()
        except StorageError as error:
            tell_not_kept(accepted, error)
            return
        desk.submit(accepted, self.front.queue_rules(message.session, message.queue))

    def _desk_for(self, message: OwnerMessage) -> SessionDesk:
        """Which conversation of an editor goes on, the editor says: no hour of the day ends it."""
        key, folder = message.session, message.editor.folder
        if not is_editors(key):
            return self._desks.for_turn(key)
        desk, store = self._desks.of(key), self.front.parts.store
        store.touch(key)
        if folder and store.settings(key).editor_folder != folder:
            store.change_settings(key, lambda old: replace(old, editor_folder=folder))
        return desk
