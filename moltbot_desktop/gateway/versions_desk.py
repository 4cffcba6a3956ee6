"""Says something in the place of an earlier message, and turns back to what was said there before.

    versions = VersionsDesk(desk, Language.ENGLISH)
    versions.say_instead(place, run_id, "and in 1998?", brought=())
    versions.say_again(place, run_id)
    versions.turn_to(place, instead_of)

Nothing is lost by any of it: the transcript keeps each way (`sessions.tree`). Unlike the commands
/edit and /regenerate, it is done only while nothing runs: what a person presses stops no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import Notice, SaidPlace
from moltbot_desktop.gateway.decisions import AgentTurn, InboundDecision
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.sdk.attachments import parted
from moltbot_desktop.sessions.entries import UserEntry
from moltbot_desktop.sessions.forks import said_id
from moltbot_desktop.sessions.transcript import Transcript, no_such_message


@dataclass(frozen=True)
class VersionsDesk:
    """Lives on the agent's event loop.

    Attributes:
        language: of what is told where something cannot be done.
    """

    desk: FrontDesk
    language: Language

    def say_instead(
        self, place: SaidPlace, run_id: RunId, text: str, brought: tuple[str, ...]
    ) -> None:
        """Say `text`, with the files of the message in whose place it stands."""

        def instead(before: UserEntry) -> str:
            if not _asks(self.desk.decide(text)):
                raise UserInputInvalid(
                    "A command cannot stand in the place of a message.",
                    hint="Give it as a message of its own.",
                )
            return "\n".join((text, *(file.line for file in parted(before.text)[1])))

        self._say(place, run_id, instead, brought)

    def say_again(self, place: SaidPlace, run_id: RunId) -> None:
        """Say the same once more."""
        self._say(place, run_id, lambda before: before.text, ())

    def turn_to(self, place: SaidPlace, instead_of: str) -> None:
        """Go on after that message, which was said in the place of `instead_of`."""
        try:
            self._free(place).turn_to(place.said)
        except MoltbotError as error:
            self.desk.emit(Notice(in_words(error, self.language)))
            return
        self.desk.show_turned(instead_of, place.said)

    def _say(
        self,
        place: SaidPlace,
        run_id: RunId,
        words: Callable[[UserEntry], str],
        brought: tuple[str, ...],
    ) -> None:
        try:
            transcript = self._free(place)
            before = _message(transcript, place.said)
            text = words(before)
            transcript.rewind_to(place.said)
        except MoltbotError as error:
            told = in_words(error, self.language)
            outcome = RunOutcome(OutcomeKind.FAILED, told, told)
            self.desk.emit(RunEnded(run_id, self.desk.session.key, 1, outcome))
            return
        self.desk.show_turned(place.said, "")
        self.desk.accept(run_id, text, brought=brought)
        if not any(said_id(one) == run_id for one in _said(transcript)):
            self._back(transcript, place.said)  # its words could not be kept

    def _back(self, transcript: Transcript, said: str) -> None:
        with suppress(MoltbotError):
            transcript.turn_to(said)
        self.desk.show_turned("", "")

    def _free(self, place: SaidPlace) -> Transcript:
        """The transcript, if it may be left for another way now."""
        if place.session_id != self.desk.session.session_id:
            raise UserInputInvalid(
                "Another conversation is open now.", hint="Go back to this one first."
            )
        if self.desk.busy:
            raise UserInputInvalid(
                "An answer is still being written.", hint="Wait for its end, or stop it."
            )
        # Whoever goes on in an old conversation goes on in it: no new day begins another one.
        self.desk.parts.store.touch(self.desk.session.key)
        return self.desk.session.transcript


def _asks(decision: InboundDecision) -> bool:
    return isinstance(decision, AgentTurn) and not decision.simple


def _said(transcript: Transcript) -> Iterator[UserEntry]:
    return (one for one in transcript.entries() if isinstance(one, UserEntry) and one.text)


def _message(transcript: Transcript, said: str) -> UserEntry:
    found = next((one for one in _said(transcript) if said_id(one) == said), None)
    if found is None:
        raise no_such_message()
    return found
