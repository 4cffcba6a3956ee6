"""A card of the assistant in a terminal: what it asks, where that comes from, and a yes.

sys.stdout.write(question(card, elsewhere=True))
client.answer_approval(card.approval_id, allow=is_yes(line))
"""

from __future__ import annotations

import json

from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.i18n import Language, Phrases, language_of
from moltbot_desktop.sdk.origins import origin_words

_YES = frozenset({"y", "yes", "是", "好", "可以"})
_PHRASES = Phrases(
    english={"may_i": "May I {title}? [y/N] "},
    chinese={"may_i": "可以{title}吗？[y/N] "},
)


def question(card: ApprovalRequested, *, elsewhere: bool) -> str:
    """The card in full, up to where the answer is typed.

    Args:
        elsewhere: it is not about what was just said here, so it says where it comes from.
    """
    language = language_of(card.title, Language.ENGLISH)
    lines = [origin_words(card.session, language)] if elsewhere else []
    lines += _arguments(card)
    lines.append(_PHRASES.say("may_i", language, title=_visible(card.title)))
    return "\n" + "\n".join(map(shown, lines))


def is_yes(answer: str) -> bool:
    """Anything else is a no."""
    return answer.strip().casefold() in _YES


def _arguments(card: ApprovalRequested) -> list[str]:
    """The arguments that the card's title does not show whole, each on its lines: nobody says yes
    to the beginning of a text."""
    lines = []
    for name, value in card.arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if text not in card.title:
            lines.append(f"{name}: {_visible(text)}")
    return lines


def _visible(text: str) -> str:
    """What would steer the terminal, or turn the text round, as its code."""
    return "".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in text)
