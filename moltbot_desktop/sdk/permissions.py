"""What the owner has allowed for longer than once, and what was done: values for every surface.

grant_words(grant, Language.ENGLISH)    # "always: git fetch origin, in /home/a/notes"
deed_words(deed, Language.ENGLISH)      # "2026-11-22 09:30 exec: run git push … (allowed by you)"
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.core.tool_words import tool_words
from moltbot_desktop.sdk.rule_words import rule_words


class Kind(StrEnum):
    """What a grant is about."""

    PROGRAM = "program"
    FOLDER = "folder"
    SITE = "site"
    TOOL = "tool"


@dataclass(frozen=True)
class Part:
    """One thing that a call needs a yes for.

    Attributes:
        verb: what is done: `read` or `write` of a folder, else the tool's name.
        subject: a program's real path, a folder or file, a host; of a tool what it does besides,
            such as only to look, "" for all it does.
        words: of a program, its name as it is started and its arguments; of a site what is done
            there besides all that the tool does, such as only to read; of a tool that others
            may make another one under its name, what it is now.
        folder: of a program, where it runs; of a grant, there and below. "" of a grant: anywhere.
        network: it reaches the internet.
        walled: walls stand around it.
        pattern: of a rule by hand: `*` in words and subject stands for anything, a last word `**`
            for any number of words, and no words for all.
    """

    kind: Kind
    verb: str
    subject: str = ""
    words: tuple[str, ...] = ()
    folder: str = ""
    network: bool = False
    walled: bool = False
    pattern: bool = False


@dataclass(frozen=True)
class Grant:
    """A yes of the owner's that is on the disk.

    Attributes:
        part: what it is for; `network`: also with the internet, `walled`: only behind walls.
        agent: whose calls it holds for; "*" for every agent's.
        until: when it ends; None for never.
        process: the process that it dies with; "" for none.
        uses: how many calls it covered.
        note: where it came from, such as the name of an imported file; "" for a card.
    """

    id: str
    part: Part
    agent: str
    term: Term
    given: datetime
    until: datetime | None = None
    process: str = ""
    last_used: datetime | None = None
    uses: int = 0
    note: str = ""


@dataclass(frozen=True)
class Deed:
    """A call that had an effect, or was not to have one.

    Attributes:
        what: the call in words, as on a card, keys hidden.
        mark: hash of everything that was judged.
        decision: auto, ask or deny.
        rule: the policy's.
        by: who said yes or no: policy, owner, grant ID, expiry, cancel, pause, changed.
        outcome: ok, failed, denied; "" while it goes on, or when the program ended in it.
    """

    at: datetime
    run: str
    session: str
    tool: str
    what: str
    mark: str
    decision: str
    rule: str
    by: str
    outcome: str = ""


@runtime_checkable
class ChangingTool(Protocol):
    """A tool that others may make another one under its name, such as that of a server: a yes that
    lasts is to what it was."""

    @property
    def identity(self) -> str:
        """A hash of where it comes from and all that is known of what it does."""
        ...


_PHRASES = Phrases(
    {
        "once": "once",
        "run": "for this run",
        "hour": "for an hour",
        "always": "always",
        "program": "{command}",
        "program_in": "{command}, in {folder}",
        "any": "{command} with any arguments",
        "online": "{what}, with the internet",
        "folder_read": "read {subject}",
        "folder_write": "change {subject}",
        "site": "{verb} at {subject}",
        "site_of": "{verb} at {subject}",
        "tool": "{verb}",
        "tool_part": "{verb}, only calls of this kind",
        "grant": "{term}: {what}",
        "used": "{what} — used {uses} times, last {when}",
        "used_once": "{what} — used once, {when}",
        "unused": "{what} — not used yet",
        "deed": "{when} {tool}: {what} ({by}, {outcome})",
        "by_policy": "no card needed",
        "by_owner": "you",
        "by_grant": "your grant {id}",
        "by_expiry": "no answer",
        "by_cancel": "stopped",
        "by_pause": "too many questions",
        "by_changed": "it changed while I asked",
        "by_other": "{who}",
        "by_denied": "the policy: {rule}",
        "ok": "done",
        "failed": "failed",
        "denied": "not done",
        "unfinished": "not finished",
    },
    {
        "once": "这一次",
        "run": "这次任务期间",
        "hour": "一小时内",
        "always": "始终",
        "program": "{command}",
        "program_in": "在 {folder} 中运行 {command}",
        "any": "{command}（任意参数）",
        "online": "{what}，可联网",
        "folder_read": "读取 {subject}",
        "folder_write": "修改 {subject}",
        "site": "在 {subject} 上{verb}",
        "site_of": "在 {subject} 使用 {verb}",
        "tool": "{verb}",
        "tool_part": "{verb}（仅限这一类调用）",
        "grant": "{term}：{what}",
        "used": "{what}——用过 {uses} 次，最近 {when}",
        "used_once": "{what}——用过 1 次，{when}",
        "unused": "{what}——还没用过",
        "deed": "{when} {tool}：{what}（{by}，{outcome}）",
        "by_policy": "无需确认",
        "by_owner": "你",
        "by_grant": "你的许可 {id}",
        "by_expiry": "没有回答",
        "by_cancel": "已停止",
        "by_pause": "问得太多",
        "by_changed": "询问时情况变了",
        "by_other": "{who}",
        "by_denied": "规则：{rule}",
        "ok": "已完成",
        "failed": "失败",
        "denied": "没有做",
        "unfinished": "没有做完",
    },
)


_KNOWN = frozenset("policy owner grant expiry cancel pause changed".split())


def term_words(term: Term, language: Language) -> str:
    return _PHRASES.say(term.value, language)


def part_words(part: Part, language: Language) -> str:
    """What a yes for `part` holds for."""

    def say(key: str, **slots: object) -> str:
        return _PHRASES.say(key, language, **slots)

    match part.kind:
        case Kind.FOLDER:
            return say(f"folder_{part.verb}", subject=part.subject)
        case Kind.PROGRAM:
            what = _program_words(part, language)
            return say("online", what=what) if part.network else what
        case Kind.SITE:
            known = tool_words(part.verb, language).meant != part.verb
            whole = say(
                "site" if known else "site_of", verb=_verb(part, language), subject=part.subject
            )
            return say("tool_part", verb=whole) if part.words else whole
        case Kind.TOOL:
            return say("tool_part" if part.subject else "tool", verb=_verb(part, language))


def _verb(part: Part, language: Language) -> str:
    """What a tool does, in the middle of a sentence; the name of one that is not ours."""
    words = tool_words(part.verb, language).meant
    return words if words == part.verb else words[:1].lower() + words[1:]


def _program_words(part: Part, language: Language) -> str:
    words = part.words or (part.subject, "**")
    open_end = part.pattern and words[-1] == "**"
    command = shlex.join(words[:-1] if open_end else words)
    if open_end:
        command = _PHRASES.say("any", language, command=command)
    key = "program_in" if part.folder else "program"
    return _PHRASES.say(key, language, command=command, folder=part.folder)


def grant_words(grant: Grant, language: Language) -> str:
    """One line: how long, what, how often it was used."""
    what = part_words(grant.part, language)
    what = _PHRASES.say("grant", language, term=term_words(grant.term, language), what=what)
    if grant.last_used is None:
        return _PHRASES.say("unused", language, what=what)
    when = f"{grant.last_used.astimezone():%Y-%m-%d %H:%M}"
    if grant.uses == 1:
        return _PHRASES.say("used_once", language, what=what, when=when)
    return _PHRASES.say("used", language, what=what, uses=grant.uses, when=when)


def by_words(decision: str, rule: str, by: str, language: Language) -> str:
    """Who said yes or no; the fields are those of a `Deed`."""
    who, _, which = by.partition(" ")
    if who == "policy" and decision == "deny":
        return _PHRASES.say("by_denied", language, rule=rule_words(rule, language))
    key = who if who in _KNOWN else "other"  # a newer program may say more
    return _PHRASES.say(f"by_{key}", language, id=which, who=by)


def outcome_words(outcome: str, language: Language) -> str:
    """What came of a call; "" for one that nobody knows the end of."""
    known = outcome in ("ok", "failed", "denied")
    return _PHRASES.say(outcome if known else "unfinished", language)


def deed_words(deed: Deed, language: Language) -> str:
    """One line: when, what, who said so, what came of it."""
    by = by_words(deed.decision, deed.rule, deed.by, language)
    outcome = outcome_words(deed.outcome, language)
    when = f"{deed.at.astimezone():%Y-%m-%d %H:%M}"
    slots = {"when": when, "tool": deed.tool, "what": deed.what, "by": by, "outcome": outcome}
    return _PHRASES.say("deed", language, **slots)
