"""/approve answers a card; /permissions shows what is allowed for longer, takes it back, and says
what was done.

    /approve yes            /approve 3f2a hour           /approve 3f2a deny
    /permissions            /permissions revoke 1c9e     /permissions audit 20
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.ports import (
    CommandCall,
    CommandPorts,
    CommandReply,
    WaitingCard,
)
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.sdk.permissions import deed_words, grant_words, term_words

_NO = frozenset("no n deny refuse reject 否 不 不行 拒绝".split())
_TERMS: Mapping[str, Term] = MappingProxyType(
    {
        **dict.fromkeys(
            "yes y allow allow-once once approve ok 是 好 可以 允许 同意 一次".split(), Term.ONCE
        ),
        **dict.fromkeys("run 本次 这次任务".split(), Term.RUN),
        **dict.fromkeys("hour 一小时 1h".split(), Term.HOUR),
        **dict.fromkeys("always allow-always 始终 总是".split(), Term.ALWAYS),
    }
)
_USUAL_DEEDS = 10
_MOST_DEEDS = 100
_MOST_CHANGES = 3_000
"""Characters of a diff in a message; the window shows more."""
_PHRASES = Phrases(
    {
        "none": "Nothing is allowed for longer than once. A card offers that where it can be.",
        "line": "- {id} {grant}",
        "revoked": "Taken back: {grant}",
        "no_such": "No permission begins with {id}, or more than one does.",
        "no_deeds": "I have not done anything yet that needed a permission or changed something.",
        "form": "The form is /permissions, /permissions revoke ID or /permissions audit [N].",
        "kept": "Allowed {term}.",
        "not_so_long": "This can only be allowed: {terms}. It still waits.",
        "which": "This card has only just come up, or another one has gone meanwhile. Say that you"
        " mean it: /approve ID once.\n{cards}",
        "how": "/approve ID {words} — or deny. “once” holds for exactly this call.",
    },
    {
        "none": "没有任何长于一次的许可。确认卡上会在可以的时候提供。",
        "line": "- {id} {grant}",
        "revoked": "已收回：{grant}",
        "no_such": "没有以 {id} 开头的许可，或者不止一个。",
        "no_deeds": "还没有做过需要许可或改动东西的事。",
        "form": "写法是 /permissions、/permissions revoke 编号 或 /permissions audit [条数]。",
        "kept": "已允许：{term}。",
        "not_so_long": "这件事只能允许：{terms}。卡片仍在等待。",
        "which": "这张卡刚刚出现，或者另一张在这期间消失了。"
        "请写明编号：/approve 编号 once。\n{cards}",
        "how": "/approve 编号 {words}，或 deny。“once”只对这一次调用有效。",
    },
)


def _said(call: CommandCall, key: str, *, ok: bool = True, **slots: object) -> CommandReply:
    return CommandReply(PHRASES.say(key, call.language, **slots), ok=ok)


def _approve(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """/approve yes for the only card, /approve ID hour for one of several."""
    waiting = ports.cards.waiting()
    words = call.rest.split()
    answer = words[-1].casefold() if words else ""
    if not waiting:
        return _said(call, "cards_none", ok=False)
    if answer not in _NO and answer not in _TERMS:
        return _said(call, "card_how", ok=not words, cards=_cards(waiting, call.language))
    if len(words) > 1:
        found = [one for one in waiting if one.id.startswith(words[0])]
        card = found[0] if len(found) == 1 else None
    else:
        card = waiting[0] if len(waiting) == 1 else None
        if card is None:
            return _said(call, "cards_several", ok=False, cards=_cards(waiting, call.language))
        if answer in _TERMS and not card.sure:
            cards = _cards(waiting, call.language)
            return CommandReply(_PHRASES.say("which", call.language, cards=cards), ok=False)
    if card is None:
        return _said(call, "card_unknown", ok=False, id=words[0])
    return _answered(call, ports, card, _TERMS.get(answer))


def _answered(
    call: CommandCall, ports: CommandPorts, card: WaitingCard, term: Term | None
) -> CommandReply:
    """`term` None for a no."""
    if term is None:
        ports.cards.answer(card.id, allow=False, term=Term.ONCE)
        return _said(call, "card_no")
    if term not in card.terms:
        terms = ", ".join(term_words(one, call.language) for one in card.terms)
        return CommandReply(_PHRASES.say("not_so_long", call.language, terms=terms), ok=False)
    if not ports.cards.answer(card.id, allow=True, term=term):
        return _said(call, "card_unknown", ok=False, id=card.id)
    if term is Term.ONCE:
        return _said(call, "card_yes")
    words = term_words(term, call.language)
    return CommandReply(_PHRASES.say("kept", call.language, term=words))


def _cards(waiting: Sequence[WaitingCard], language: Language) -> str:
    lines = []
    for one in waiting:
        lines.append(PHRASES.say("card_line", language, id=one.id, title=one.title))
        if one.changes:
            cut = one.changes[:_MOST_CHANGES] + "\n@@ …" * (len(one.changes) > _MOST_CHANGES)
            lines.append("```diff\n" + cut.replace("```", "'''") + "\n```")
        words = " | ".join(term.value for term in one.terms)
        lines.append("  " + _PHRASES.say("how", language, words=words))
    return "\n".join(lines)


def _permissions(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """Raises UserInputInvalid, StorageError."""
    kept, language = ports.permissions, call.language
    if kept is None:
        return _said(call, "not_built", ok=False, name=call.name)
    match call.rest.split():
        case [] | ["list"]:
            lines = [
                _PHRASES.say("line", language, id=one.id, grant=grant_words(one, language))
                for one in kept.grants()
            ]
            return CommandReply("\n".join(lines) or _PHRASES.say("none", language))
        case ["revoke", begins]:
            gone = kept.revoke(begins)
            if gone is None:
                return CommandReply(_PHRASES.say("no_such", language, id=begins), ok=False)
            words = grant_words(gone, language)
            return CommandReply(_PHRASES.say("revoked", language, grant=words))
        case ["audit", *more] if len(more) < 2:
            most = int(more[0]) if more and more[0].isdecimal() and len(more[0]) < 4 else 0
            deeds = kept.deeds(min(most or _USUAL_DEEDS, _MOST_DEEDS))
            lines = [f"- {deed_words(one, language)}" for one in deeds]
            return CommandReply("\n".join(lines) or _PHRASES.say("no_deeds", language))
    raise UserInputInvalid(_PHRASES.say("form", language))


PERMITTING: Mapping[str, Handler] = MappingProxyType(
    {"approve": _approve, "permissions": _permissions}
)
