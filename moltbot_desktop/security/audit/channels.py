"""Whom the settings of channels let in.

    channel_findings([Door("telegram", "default", dm_policy="open", allow_from=("*",))], ...)

Strangers' words are untrusted here whatever the settings say, and no sender on a channel is the
owner; still, whoever is let in may have the model work, and read what it answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from moltbot_desktop.sdk.audit import Finding, Setting, Severity

_ANYBODY = "*"
_NAME = re.compile(r"@?[^\W\d_][\w .'-]*")
"""What a person calls another; an id has a digit, a sign before it, or is a number."""


@dataclass(frozen=True)
class Door:
    """Who may write on one account of a channel, as the settings have it.

    Attributes:
        place: of the account's settings in moltbot.json.
        group_from: who is answered in groups; None for those of `allow_from`.
        unmentioned: in some groups it answers also what does not name it.
    """

    channel: str
    account: str
    place: str
    dm_policy: str = "pairing"
    allow_from: tuple[str, ...] = ()
    group_policy: str = "allowlist"
    group_from: tuple[str, ...] | None = None
    unmentioned: bool = False


def channel_findings(doors: Iterable[Door], *, shared: bool, lists_bind: bool) -> Iterator[Finding]:
    """`shared`: all private chats are one conversation (`session.dmScope`); `lists_bind`: only who
    is on a list may give commands (`commands.useAccessGroups`)."""
    any_door = several = False
    for door in doors:
        any_door = True
        several |= door.dm_policy == "open" or len(door.allow_from) > 1
        yield from _direct(door)
        yield from _groups(door)
    if several and shared:
        repair = Setting("session.dmScope", "per-channel-peer")
        yield Finding("channels.dm.shared", Severity.WARNING, repair=repair)
    if any_door and not lists_bind:
        repair = Setting("commands.useAccessGroups", True)
        yield Finding("channels.commands.anybody", Severity.WARNING, repair=repair)


def _direct(door: Door) -> Iterator[Finding]:
    facts = {"channel": door.channel, "account": door.account}
    anybody = _ANYBODY in door.allow_from
    if door.dm_policy == "open" and anybody:
        repair = Setting(f"{door.place}.dmPolicy", "pairing")
        yield Finding("channels.dm.open", Severity.CRITICAL, facts, repair)
    elif anybody:
        # Without the policy it lets nobody in, and it would the moment that somebody writes "open".
        yield Finding("channels.dm.anybody", Severity.INFO, facts)
    names = [one for one in (*door.allow_from, *(door.group_from or ())) if _is_name(one)]
    if names:
        named = {**facts, "names": ", ".join(dict.fromkeys(names[:3]))}
        yield Finding("channels.names", Severity.WARNING, named)


def _groups(door: Door) -> Iterator[Finding]:
    facts = {"channel": door.channel, "account": door.account}
    listed = door.allow_from if door.group_from is None else door.group_from
    if door.group_policy == "open":
        repair = Setting(f"{door.place}.groupPolicy", "allowlist")
        yield Finding("channels.group.open", Severity.CRITICAL, facts, repair)
    elif door.group_policy == "allowlist" and _ANYBODY in listed:
        yield Finding("channels.group.anybody", Severity.CRITICAL, facts)
    if door.unmentioned and door.group_policy != "disabled":
        yield Finding("channels.group.unmentioned", Severity.INFO, facts)


def _is_name(entry: str) -> bool:
    return entry != _ANYBODY and _NAME.fullmatch(entry) is not None
