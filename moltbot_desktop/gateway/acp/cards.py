"""A card of the assistant as an editor asks it, and what the answer means. Pure.

    request = asked(card, "run-1-2", Language.ENGLISH)       # session/request_permission
    allow, term = answered(response, card.offer)             # (True, Term.RUN)

The whole card stands in it: what would be done, how files would change, every argument that is not
whole in the title, why it is asked. A yes is for that card and no other (`approvals.answer`); what
is no clear yes is a no, and so is an editor that went away. What an editor can give is a yes for
once and for the answer that is being made; one that outlasts it would hold in the window too, where
somebody else may be speaking, so it is given there or in a shell.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from acp import helpers
from acp.schema import (
    AllowedOutcome,
    PermissionOption,
    PermissionOptionKind,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.permissions import Offer, Term
from moltbot_desktop.gateway.acp.harmless import in_one_line, verbatim
from moltbot_desktop.gateway.acp.telling import kind_of

_LONGEST_TITLE = 300
_TERMS: Mapping[Term, PermissionOptionKind] = MappingProxyType(
    {Term.ONCE: "allow_once", Term.RUN: "allow_always"}
)
_NO = "no"
_PHRASES = Phrases(
    english={
        "may_i": "May I? {title}",
        "changes": "What would change:",
        "about": "“{run}” holds for: {about}",
        "once": "Yes, this once",
        "run": "Yes, until this answer is done",
        "no": "No",
    },
    chinese={
        "may_i": "可以吗？{title}",
        "changes": "会改动：",
        "about": "“{run}”适用于：{about}",
        "once": "可以，仅此一次",
        "run": "可以，直到这次回答结束",
        "no": "不可以",
    },
)


@dataclass(frozen=True)
class Asked:
    """The parameters of a `session/request_permission`."""

    call: ToolCallUpdate
    options: list[PermissionOption]


def asked(card: ApprovalRequested, number: str, language: Language) -> Asked:
    """`number`: of the call that the card is about."""
    title = in_one_line(_PHRASES.say("may_i", language, title=card.title), _LONGEST_TITLE)
    text = "\n\n".join(_parts(card, language))
    call = ToolCallUpdate(
        tool_call_id=number,
        kind=kind_of(card.tool),
        status="pending",
        title=title,
        content=[helpers.tool_content(helpers.text_block(text))],
        raw_input=dict(card.arguments),
    )
    options = [
        PermissionOption(option_id=one.value, name=_PHRASES.say(one.value, language), kind=kind)
        for one, kind in _TERMS.items()
        if one in card.offer.terms
    ]
    no = PermissionOption(option_id=_NO, name=_PHRASES.say("no", language), kind="reject_once")
    return Asked(call, [*options, no])


def answered(response: RequestPermissionResponse, offer: Offer) -> tuple[bool, Term]:
    """Whether it is a yes, and for how long. Anything else is a no."""
    outcome = response.outcome
    if isinstance(outcome, AllowedOutcome):
        for term in _TERMS:
            if outcome.option_id == term.value and term in offer.terms:
                return True, term
    return False, Term.ONCE


def _parts(card: ApprovalRequested, language: Language) -> Sequence[str]:
    changes, offer = card.offer.changes, card.offer
    parts = [verbatim(card.title)]
    if changes:
        parts += [_PHRASES.say("changes", language), verbatim(changes)]
    if not changes or changes.endswith("@@"):  # not all of it is in the changes
        parts += _arguments(card)
    if Term.RUN in offer.terms and offer.about:
        run = _PHRASES.say("run", language)
        parts.append(verbatim(_PHRASES.say("about", language, run=run, about=offer.about)))
    if card.reason:
        parts.append(verbatim(card.reason))
    return parts


def _arguments(card: ApprovalRequested) -> Sequence[str]:
    """The arguments that the title does not show whole: nobody says yes to the beginning of a
    text."""
    told = []
    for name, value in card.arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if text not in card.title:
            told.append(verbatim(f"{name}: {text}"))
    return told
