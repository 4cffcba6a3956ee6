"""What the owner says, in whichever conversation: commands are carried out, the rest is asked.

    words = OwnerWords(commands, decide, Language.ENGLISH, emit, ask, lambda: not closing, heard)
    words.accept(OwnerMessage(run_id, session, "/think high what is 17 * 3?", presence))

A command answers at once, outside the transcript, without a model. One that stands beside other
words, and one that leaves words over (``/new hello``), ends with the id of the run that says the
rest, so whoever waits for the answer knows what to wait for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.core.events import RunEnded, RunEvent, RunStarted
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.directives import Directives
from moltbot_desktop.gateway.commands.options import QueueOptions
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply
from moltbot_desktop.gateway.decisions import AgentTurn, InboundDecision, RunCommand
from moltbot_desktop.gateway.editors import NO_EDITOR, EditorSide
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.sources import Source, SourceKind


@dataclass(frozen=True)
class OwnerMessage:
    """A checked message of the owner's.

    Attributes:
        presence: whether the one who says it can answer a card.
        settings: what it sets for its own run.
        queue: how it queues, where it says so itself.
        promised: whoever says it is told that it is kept as soon as it was taken in; else by the
            start of its run.
        editor: what an editor sends along.
        brought: the names of files that came with it, which others may have given them.
    """

    run_id: RunId
    session: SessionKey
    text: str
    presence: Presence
    settings: RunSettings = field(default_factory=RunSettings)
    promised: bool = True
    queue: QueueOptions = field(default_factory=QueueOptions)
    editor: EditorSide = NO_EDITOR
    brought: tuple[str, ...] = ()

    @property
    def source(self) -> Source | None:
        """Whose words come with the owner's in its text; None for nobody's."""
        return Source(SourceKind.FILE, ", ".join(self.brought)) if self.brought else None

    def saying(self, text: str, directives: Directives) -> OwnerMessage:
        """The words alone, with what was set beside them, which beats what was set with them."""
        settings = directives.for_run.over(self.settings)
        return replace(self, text=text, settings=settings, queue=directives.queue)


@dataclass(frozen=True)
class OwnerWords:
    """Lives on the agent's event loop.

    Attributes:
        language: of a command that was typed in Latin letters; everything else is answered in
            its own.
        ask: takes what is for the agent, and tells itself what becomes of it.
        goes_on: whether something may begin still.
        heard: hears of each message before it is decided about.
    """

    commands: CommandDesk
    decide: Callable[[str], InboundDecision]
    language: Language
    emit: Callable[[RunEvent], None]
    ask: Callable[[OwnerMessage], None]
    goes_on: Callable[[], bool]
    heard: Callable[[OwnerMessage], None]

    def accept(self, message: OwnerMessage) -> None:
        """Do what `message` says."""
        self.heard(message)
        match self.decide(message.text):
            case RunCommand() as decision:
                self._command(message, decision)
            case AgentTurn() as turn if turn.simple:
                self._command(message, RunCommand(turn.simple[0]), turn)
            case AgentTurn() as turn:
                self.ask(message.saying(turn.text, turn.directives))
            case refused:
                raise AssertionError(f"the owner was refused: {refused}")

    def _command(
        self, message: OwnerMessage, decision: RunCommand, turn: AgentTurn | None = None
    ) -> None:
        """`turn` is what a message says beside commands; its further ones follow, then its
        words."""
        language = language_of(message.text, self.language)
        if message.text.startswith("/") and language is Language.ENGLISH:
            language = self.language  # the names of commands are English for everybody
        run_id, key = message.run_id, message.session
        self.emit(RunStarted(run_id, key, 1, message.text, command=True))
        call = CommandCall(
            decision.name,
            decision.rest,
            key,
            language,
            directives=decision.directives,
            presence=message.presence,
        )

        def done(reply: CommandReply) -> None:
            reason = "" if reply.ok else reply.text
            kind = OutcomeKind.ANSWERED if reply.ok else OutcomeKind.FAILED
            words = turn.text if turn else reply.turn
            then = RunId(f"{run_id}-first" if words and self.goes_on() else "")
            self.emit(RunEnded(run_id, key, 2, RunOutcome(kind, reply.text, reason), then))
            if not then:
                return
            rest = replace(message, run_id=then, text=words)
            rest = rest.saying(words, turn.directives) if turn else rest
            if turn is not None and turn.simple[1:]:
                further = replace(turn, simple=turn.simple[1:])
                self._command(rest, RunCommand(further.simple[0]), further)
            else:
                self.ask(rest)

        self.commands.start(call, done)
