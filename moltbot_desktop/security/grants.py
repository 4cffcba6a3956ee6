"""Grants: which yes may last, what it is about, and which calls it covers. Pure.

    terms_for(asked)                       # (Term.ONCE, Term.RUN)
    covers(grant, part, "main", now)       # True: no card for this part
    offered(part, home)                    # the part that a longer yes is written for

A grant can only turn a card into a yes (R3, R5, R8 and every "deny" stand above it: whoever asks
here has the verdict "ask" already). While words of others are in a conversation nothing lasts
longer than the run, and only until more of them come in (`Asked.taints` of the moment is part of
what a yes for the run holds for), because the labels do not say whose words wish for what; a grant
from the disk covers clean conversations alone.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePath

from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.permissions import Grant, Kind, Part
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.grant_programs import says_all
from moltbot_desktop.security.labels import Labels

EVERY_AGENT = "*"
ANY_MORE = "**"

_ONCE = (Term.ONCE,)
_RUN = (Term.ONCE, Term.RUN)
_HOUR = (Term.ONCE, Term.RUN, Term.HOUR)
_ALL = tuple(Term)
_NEVER_LASTS = frozenset(
    {
        Effect.SCHEDULE_WRITE,
        Effect.MESSAGE,
        Effect.REPLY,
        Effect.SEND_FILE,
        Effect.SESSION_SEND,
        Effect.HELPER,
        Effect.MEMORY_FORGET,
    }
)
"""Each of these says something else to somebody else; a yes to one is none to the next."""
_SINKS = frozenset(
    {
        Effect.MESSAGE,
        Effect.REPLY,
        Effect.SEND_FILE,
        Effect.SESSION_SEND,
        Effect.WEB_READ,
        Effect.WEB_NAMED,
        Effect.OPEN_EXTERNAL,
        Effect.FOREIGN,
        Effect.FOREIGN_ALLOWED,
        # Keys and clicks may send as much from a mail program, or a browser that is on the screen,
        # as from our own browser: both show each act once the conversation holds private things
        # and words of others (R2), which is so from the first look at the screen on.
        Effect.BROWSER_ACT,
        Effect.DESKTOP,
    }
)


@dataclass(frozen=True)
class Asked:
    """A call whose verdict is "ask".

    Attributes:
        parts: what a yes is needed for; () when nobody can say it, and then only once is offered.
        labels: of the conversation.
        settled: everything a program would do is in its words, and nobody may change the program.
    """

    effect: Effect
    parts: tuple[Part, ...]
    labels: Labels
    settled: bool = False


def terms_for(asked: Asked) -> tuple[Term, ...]:
    """How long the owner may say yes for, the shortest first. Total."""
    if not asked.parts or asked.effect in _NEVER_LASTS:
        return _ONCE
    online = any(part.network for part in asked.parts)
    if asked.labels.untrusted:
        out = asked.effect in _SINKS or online or _is_browser(asked)
        return _ONCE if out and asked.labels.private else _RUN
    if asked.effect is Effect.EXEC:
        return _terms_of_programs(asked, online=online)
    match asked.effect:
        case Effect.FILE_READ | Effect.FOREIGN:
            return _ALL
        case Effect.SCREENSHOT | Effect.DESKTOP:
            return _HOUR
        case Effect.OPEN_EXTERNAL | Effect.CLIPBOARD_READ | Effect.FILE_WRITE:
            return _RUN
    if all(part.kind is Kind.SITE for part in asked.parts):
        return _HOUR
    return _ONCE


def _is_browser(asked: Asked) -> bool:
    return any(part.kind is Kind.SITE for part in asked.parts)


def _terms_of_programs(asked: Asked, *, online: bool) -> tuple[Term, ...]:
    if asked.settled and all(says_all(part.words) for part in asked.parts):
        return _ALL
    # What a file or a project says may change under the yes; the walls hold it in the workspace.
    held = not online and all(part.walled for part in asked.parts)
    return _RUN if held else _ONCE


def offered(part: Part, user_home: Path) -> Part:
    """What a longer yes to `part` is written for: of a file outside the workspace its folder, when
    that is not a whole home, disk, or something near it; of a program exactly what was shown."""
    if part.kind is not Kind.FOLDER or part.verb != "read":
        return part
    folder = Path(part.subject)
    folder = folder if folder.is_dir() else folder.parent
    return part if is_wide(folder, user_home) else replace(part, subject=str(folder))


def is_wide(folder: Path, user_home: Path) -> bool:
    """Whether `folder` is a whole home, a disk, or something near it."""
    return len(folder.parts) <= 2 or folder == user_home or folder in user_home.parents


def covers(grant: Grant, part: Part, agent: str, now: datetime, process: str) -> bool:
    """Whether `grant` holds now for `part` of a call of `agent`, made in `process`.

    A clock that was put back ends what should end in time: an hour's yes holds between when it was
    given and an hour later, and never in another process.
    """
    if grant.agent not in (agent, EVERY_AGENT):
        return False
    if grant.process and grant.process != process:
        return False
    if grant.until is not None and not grant.given <= now < grant.until:
        return False
    return matches(grant.part, part)


def matches(granted: Part, part: Part) -> bool:
    """Whether the owner's yes to `granted` is one to `part`."""
    if granted.kind is not part.kind:
        return False
    match part.kind:
        case Kind.PROGRAM:
            return _same_program(granted, part)
        case Kind.FOLDER:
            return granted.verb == part.verb and _below(part.subject, granted.subject)
        case Kind.SITE:
            same = (granted.verb, granted.subject) == (part.verb, part.subject)
            return same and granted.words in ((), part.words)
        case Kind.TOOL:
            # A yes to all that a tool does is one to what it does besides, such as only to look.
            same = (granted.verb, granted.words) == (part.verb, part.words)
            return same and granted.subject in ("", part.subject)
    raise AssertionError(part.kind)


def _same_program(granted: Part, part: Part) -> bool:
    if part.network and not granted.network:
        return False
    if granted.walled and not part.walled:
        return False
    if granted.folder and not _below(part.folder, granted.folder):
        return False
    if not granted.pattern:
        return (granted.subject, granted.words) == (part.subject, part.words)
    # A rule of somebody's own hand: never for what its words do not say.
    fits = path_fits(granted.subject, part.subject) and words_fit(granted.words, part.words)
    return fits and says_all(part.words)


def words_fit(patterns: Sequence[str], words: Sequence[str]) -> bool:
    """Each word its own pattern (`*` stands for any part of one word); a last `**` for all others.
    No patterns at all fit everything."""
    if not patterns:
        return True
    if patterns[-1] == ANY_MORE:
        patterns = patterns[:-1]
        words = words[: len(patterns)] if len(words) >= len(patterns) else words
    return len(patterns) == len(words) and all(
        _word_fits(pattern, word) for pattern, word in zip(patterns, words, strict=True)
    )


def _word_fits(pattern: str, word: str) -> bool:
    if pattern == word:
        return True
    return "*" in pattern and fnmatch.fnmatchcase(word, pattern.replace("[", "[[]"))


def path_fits(pattern: str, path: str) -> bool:
    """A real path by the reference's patterns: `*` and `?` within a folder, `**` over folders,
    letters in any case there; a pattern without a folder fits nothing."""
    if pattern == path:
        return True
    if "/" not in pattern and "\\" not in pattern:
        return False
    return _segments_fit(_segments(pattern), _segments(path))


def _segments(path: str) -> tuple[str, ...]:
    return tuple(path.replace("\\", "/").casefold().split("/"))


def _segments_fit(patterns: Sequence[str], names: Sequence[str]) -> bool:
    """`reached`: how many of `patterns` may be used up after each name; linear in both."""
    reached = _skipping({0}, patterns)
    for name in names:
        reached = _skipping(
            {
                at if patterns[at] == ANY_MORE else at + 1
                for at in reached
                if at < len(patterns)
                and (patterns[at] == ANY_MORE or _segment_fits(patterns[at], name))
            },
            patterns,
        )
    return len(patterns) in reached


def _skipping(reached: Iterable[int], patterns: Sequence[str]) -> set[int]:
    found = set()
    for at in reached:
        found.add(at)
        while at < len(patterns) and patterns[at] == ANY_MORE:
            at += 1
            found.add(at)
    return found


def _segment_fits(pattern: str, name: str) -> bool:
    return fnmatch.fnmatchcase(name, pattern.replace("**", "*").replace("[", "[[]"))


def _below(path: str, folder: str) -> bool:
    """Both real paths."""
    return PurePath(path) == PurePath(folder) or PurePath(folder) in PurePath(path).parents
