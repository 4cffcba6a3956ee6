"""`/unforget` and `/erase`: what a person says after a note was forgotten.

    /erase                              the words of the last forgotten note
    /erase my dentist is Dr. Okafor     tells where they are said; /erase then takes them out

They answer at once, outside the transcript and without a model: a request to forget words must
not write them down again. Words that a person types are asked about once more, because nothing
brings back what was taken out, and "the" stands everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.core.error_words import translated
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.texts import PHRASES
from moltbot_desktop.sdk.forgetting import Elsewhere, Forgetting, SaidIn
from moltbot_desktop.sdk.forgetting_words import where_found, where_gone


@dataclass
class ForgettingDesk:
    """Lives on the agent's event loop."""

    forgetting: Forgetting
    _asked_about: str = ""

    def unforget(self, language: Language) -> str:
        """Put the last forgotten note back; what to say.

        Raises:
            MoltbotError: there is none, or it is too late.
        """
        note = self.forgetting.bring_back()
        return PHRASES.say("unforgotten", language, path=note.path, line=note.line)

    def erase(self, typed: str, language: Language) -> str:
        """Take words out of all conversations and wherever else they are kept, or tell where
        `typed` ones are; what to say.

        Raises:
            StorageError: a conversation cannot be read, or the index still has the words.
        """
        words = typed or self._asked_about or self.forgetting.last_words
        self._asked_about = typed
        said = self.forgetting.said_in(words) if words else ()
        if typed:
            return self._told(said, self.forgetting.elsewhere(words), language)
        # Also where nobody says them any more: a database keeps for a while what was taken out.
        other = self.forgetting.blot_elsewhere(words) if words else Elsewhere()
        lines = self._taken_out(said, words, language) + where_gone(other, language)
        return "\n".join(lines) or PHRASES.say("nothing_to_erase", language)

    def _told(self, said: Sequence[SaidIn], other: Elsewhere, language: Language) -> str:
        """Where they stand, before anything is taken out."""
        lines = where_found(other, language)
        if said:
            places = sum(one.places for one in said)
            told = PHRASES.say("said_there", language, count=len(said), places=places)
            lines.insert(0, told)
        if not said and not other.places:
            lines.append(PHRASES.say("nothing_to_erase", language))
        else:
            lines.append(PHRASES.say("ask_erase", language))
        return "\n".join(lines)

    def _taken_out(self, said: Sequence[SaidIn], words: str, language: Language) -> list[str]:
        """Raises:
        StorageError: a conversation cannot be read, or the index still has the words.
        """
        if not said:
            return []
        problems = self.forgetting.blot(said, words)
        lines = [
            PHRASES.say("not_erased", language, day=one.day, problem=translated(problem, language))
            for one, problem in zip(said, problems, strict=True)
            if problem
        ]
        if done := problems.count(""):
            lines.insert(0, PHRASES.say("erased", language, count=done))
        return lines
