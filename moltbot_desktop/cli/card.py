"""A card of the assistant in a terminal: what it asks, where that comes from, and for how long.

sys.stdout.write(question(card, elsewhere=True))
allow, term = answered(line, card.offer.terms)
client.answer_approval(card.approval_id, allow=allow, term=term)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.i18n import Language, Phrases, language_of
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.origins import origin_words

_WORDS: Mapping[str, Term] = MappingProxyType(
    {
        **dict.fromkeys(("y", "yes", "once", "是", "好", "可以"), Term.ONCE),
        **dict.fromkeys(("r", "run", "本次"), Term.RUN),
        **dict.fromkeys(("h", "hour", "一小时"), Term.HOUR),
        **dict.fromkeys(("a", "always", "始终"), Term.ALWAYS),
    }
)
_LETTERS = MappingProxyType({Term.ONCE: "y", Term.RUN: "r", Term.HOUR: "h", Term.ALWAYS: "a"})
_PHRASES = Phrases(
    english={
        "may_i": "May I {title}? [{letters}/N] ",
        "changes": "What would change:",
        "longer": "y: once. Longer ({letters}) it holds for: {about}",
        "r": "r: this run",
        "h": "h: an hour",
        "a": "a: always",
    },
    chinese={
        "may_i": "可以{title}吗？[{letters}/N] ",
        "changes": "会改动：",
        "longer": "y：一次。更久（{letters}）则适用于：{about}",
        "r": "r：这次任务",
        "h": "h：一小时",
        "a": "a：始终",
    },
)


def question(card: ApprovalRequested, *, elsewhere: bool) -> str:
    """The card in full, up to where the answer is typed.

    Args:
        elsewhere: it is not about what was just said here, so it says where it comes from.
    """
    language = language_of(card.title, Language.ENGLISH)
    offer = card.offer
    lines = [origin_words(card.session, language)] if elsewhere else []
    if offer.changes:
        lines += [_PHRASES.say("changes", language), _visible(offer.changes)]
    if not offer.changes or offer.changes.endswith("@@"):  # not all of it is in the changes
        lines += _arguments(card)
    letters = [_LETTERS[term] for term in offer.terms]
    if len(letters) > 1:
        longer = ", ".join(_PHRASES.say(one, language) for one in letters[1:])
        about = _visible(offer.about)
        lines.append(_PHRASES.say("longer", language, letters=longer, about=about))
    if card.reason:
        lines.append(_visible(card.reason))
    said = {"title": _visible(card.title), "letters": "/".join(letters)}
    lines.append(_PHRASES.say("may_i", language, **said))
    return "\n" + "\n".join(map(shown, lines))


def answered(answer: str, terms: Sequence[Term]) -> tuple[bool, Term]:
    """Whether it is a yes, and for how long. Anything else is a no, and so is more than was
    offered."""
    term = _WORDS.get(answer.strip().casefold())
    if term is None or term not in terms:
        return False, Term.ONCE
    return True, term


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
