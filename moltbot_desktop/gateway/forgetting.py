"""`/unforget` and `/erase`: what a person says after a note was forgotten in a chat.

Both answer at once, outside the transcript and without a model: a request to forget words must
not write them down again.
"""

from __future__ import annotations

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, in_one_line
from moltbot_desktop.gateway.texts import PHRASES
from moltbot_desktop.sdk.forgetting import Forgetting


def brought_back(forgetting: Forgetting, language: Language) -> str:
    """Put the last forgotten note back; what to say.

    Raises:
        MoltbotError: there is none, or it is too late.
    """
    note = forgetting.bring_back()
    return PHRASES.say("unforgotten", language, path=note.path, line=note.line)


def erased(forgetting: Forgetting, language: Language) -> str:
    """Take the words of the last forgotten note out of all conversations; what to say.

    Raises:
        StorageError: a conversation cannot be read; those before it are done.
    """
    words = forgetting.last_words
    said = forgetting.said_in(words) if words else ()
    if not said:
        return PHRASES.say("nothing_to_erase", language)
    lines = []
    done = 0
    for one in said:
        try:
            forgetting.blot(one, words)
        except MoltbotError as error:
            problem = in_one_line(error.message, error.hint)
            lines.append(PHRASES.say("not_erased", language, day=one.day, problem=problem))
        else:
            done += 1
    if done:
        lines.insert(0, PHRASES.say("erased", language, count=done))
    return "\n".join(lines)
