"""Lasting permissions that are wider than anybody means, or that nobody needs any more.

grant_findings(permissions.grants(), now, user_home)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.audit import Finding, Severity, TakeBack
from moltbot_desktop.sdk.permissions import Grant, Kind
from moltbot_desktop.security.grant_programs import says_all
from moltbot_desktop.security.grants import is_wide

UNUSED = timedelta(days=90)
_SHORT = 8


def grant_findings(grants: Iterable[Grant], now: datetime, user_home: Path) -> Iterator[Finding]:
    """Of what holds for always; an hour's yes ends by itself."""
    for grant in grants:
        if grant.term is not Term.ALWAYS:
            continue
        facts = {"id": grant.id[:_SHORT], "what": grant.part.subject or grant.part.verb}
        back = TakeBack(grant.id)
        if id := _too_wide(grant, user_home):
            yield Finding(id, Severity.WARNING, facts, back)
        if now - (grant.last_used or grant.given) > UNUSED:
            days = (now - (grant.last_used or grant.given)).days
            yield Finding("grants.unused", Severity.INFO, {**facts, "days": days}, back)


def _too_wide(grant: Grant, user_home: Path) -> str:
    part = grant.part
    if part.kind is Kind.FOLDER and is_wide(Path(part.subject), user_home):
        return "grants.folder"
    if part.kind is not Kind.PROGRAM:
        return ""
    if _is_wide_pattern(part.subject) and part.pattern:
        return "grants.program.any"
    # A rule for all of git is none for what makes git start others (`grants.covers`).
    words = (part.subject, *(part.words[1:] or ("status",)))
    return "" if says_all(words) else "grants.program.starts_others"


def _is_wide_pattern(subject: str) -> bool:
    """A pattern for whatever lies in a folder, or whose name anybody may give a program."""
    folder, _, name = subject.replace("\\", "/").rpartition("/")
    return not name.strip("*?") or not folder.strip("*?/")
