"""`moltbot-desktop permissions list|revoke|audit|import`: what you allowed, what was done.

    run_permissions(permissions, arguments, language, sys.stdout)

Works beside a running assistant, which looks at each call anew: what is taken back here is asked
for again there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol, TextIO

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.permissions import Deed, Grant, deed_words, grant_words
from moltbot_desktop.sdk.rule_words import rule_words

_PHRASES = Phrases(
    {
        "none": "Nothing is allowed for longer than once. A card offers that where it can be.",
        "line": "{id}  {grant}  ({whose})",
        "agent": "agent {agent}",
        "every": "every agent",
        "revoked": "Taken back: {grant}",
        "nothing": "Nothing stands in the book yet.",
        "rule": "    rule: {rule}; run {run} of {session}",
        "imported": "Rules taken over: {count}.",
        "left": "Left out: {what} ({why})",
    },
    {
        "none": "没有任何长于一次的许可。确认卡上会在可以的时候提供。",
        "line": "{id}  {grant}（{whose}）",
        "agent": "智能体 {agent}",
        "every": "所有智能体",
        "revoked": "已收回：{grant}",
        "nothing": "记录里还没有内容。",
        "rule": "    规则：{rule}；{session} 的任务 {run}",
        "imported": "导入了 {count} 条规则。",
        "left": "没有导入：{what}（{why}）",
    },
)
USUAL_DEEDS = 20


class Kept(Protocol):
    """As `gateway.commands.ports.KeptPermissions`; raises StorageError."""

    def grants(self) -> Sequence[Grant]: ...

    def revoke(self, begins: str) -> Grant | None: ...

    def deeds(self, most: int) -> Sequence[Deed]: ...


def show_grants(kept: Kept, as_json: bool, language: Language, out: TextIO) -> int:
    """Print what holds for longer than once."""
    grants = kept.grants()
    if as_json:
        out.write(_json([_grant(one) for one in grants]))
        return 0
    say = _PHRASES.say
    for one in grants:
        every = one.agent == "*"
        whose = say("every", language) if every else say("agent", language, agent=one.agent)
        line = say("line", language, id=one.id, grant=grant_words(one, language), whose=whose)
        out.write(f"{line}\n")
    if not grants:
        out.write(say("none", language) + "\n")
    return 0


def revoke(kept: Kept, begins: str, as_json: bool, language: Language, out: TextIO) -> int:
    """Take one back.

    Raises:
        UserInputInvalid: there is not exactly one whose id begins so.
    """
    gone = kept.revoke(begins)
    if gone is None:
        raise UserInputInvalid(
            f"There is not exactly one permission whose id begins with {begins[:40]}.",
            hint="“moltbot-desktop permissions list” shows their ids.",
        )
    if as_json:
        out.write(_json(_grant(gone)))
    else:
        words = _PHRASES.say("revoked", language, grant=grant_words(gone, language))
        out.write(f"{words}\n")
    return 0


def show_deeds(kept: Kept, most: int, as_json: bool, language: Language, out: TextIO) -> int:
    """Print what was done, or was not to be done, the newest first."""
    deeds = kept.deeds(most)
    if as_json:
        out.write(_json([_deed(one) for one in deeds]))
        return 0
    for one in deeds:
        out.write(f"{deed_words(one, language)}\n")
        slots = {"rule": rule_words(one.rule, language), "run": one.run[:8], "session": one.session}
        out.write(_PHRASES.say("rule", language, **slots) + "\n")
    if not deeds:
        out.write(_PHRASES.say("nothing", language) + "\n")
    return 0


def told_import(
    count: int,
    left: Sequence[tuple[str, str]],
    as_json: bool,
    language: Language,
    out: TextIO,
) -> int:
    """Print how many rules were taken over, and which not, each with why."""
    if as_json:
        rows = [{"what": what, "why": why} for what, why in left]
        out.write(_json({"imported": count, "left_out": rows}))
        return 0
    out.write(_PHRASES.say("imported", language, count=count) + "\n")
    out.writelines(_PHRASES.say("left", language, what=what, why=why) + "\n" for what, why in left)
    return 0


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _grant(grant: Grant) -> dict[str, object]:
    part = grant.part
    return {
        "id": grant.id,
        "kind": part.kind.value,
        "verb": part.verb,
        "subject": part.subject,
        "words": list(part.words),
        "folder": part.folder,
        "network": part.network,
        "walled": part.walled,
        "pattern": part.pattern,
        "agent": grant.agent,
        "term": grant.term.value,
        "given": grant.given.isoformat(),
        "until": grant.until.isoformat() if grant.until else None,
        "lastUsed": grant.last_used.isoformat() if grant.last_used else None,
        "uses": grant.uses,
        "note": grant.note,
    }


def _deed(deed: Deed) -> dict[str, object]:
    return {
        "at": deed.at.isoformat(),
        "run": deed.run,
        "session": deed.session,
        "tool": deed.tool,
        "what": deed.what,
        "mark": deed.mark,
        "decision": deed.decision,
        "rule": deed.rule,
        "by": deed.by,
        "outcome": deed.outcome,
    }
