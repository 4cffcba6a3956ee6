"""Which rows the list of conversations has, and what they say. Pure.

rows_of(infos, now, pinned)      # headings "Today", "Yesterday", ... with their conversations
hit_rows(hits, now)              # one row for each message that was found
place_of(row.id)                 # (session, entry)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.sdk.origins import OriginKind, origin_of
from moltbot_desktop.sdk.sessions import SessionHit, SessionInfo
from moltbot_desktop.ui.kit.rows import Row

translate = QCoreApplication.translate

_WEEK_DAYS = 7


@dataclass(frozen=True)
class RowPlace:
    """What a row leads to; `entry` is "" for the end of the conversation."""

    session: SessionId
    entry: str = ""


def rows_of(infos: Sequence[SessionInfo], now: datetime, pinned: Collection[str]) -> list[Row]:
    """The conversations under their days, the pinned ones first; the latest first in each group."""
    groups: dict[str, list[Row]] = {}
    ordered = sorted(infos, key=lambda one: one.id not in pinned)  # stable: else as they came
    for one in ordered:
        title = translate("Conversations", "Pinned")
        if one.id not in pinned:
            title = _day_words(_moment(one.updated, now), now)
        groups.setdefault(title, []).append(_row(one, now))
    rows: list[Row] = []
    for title, inside in groups.items():
        rows += [Row(f"={title}", title, heading=True), *inside]
    return rows


def hit_rows(infos: Sequence[SessionInfo], hits: Iterable[SessionHit], words: str) -> list[Row]:
    """What was found: conversations that are called so, then messages, the latest first."""
    wanted = words.casefold().split()
    named = [one for one in infos if all(word in one.title.casefold() for word in wanted)]
    rows: list[Row] = []
    if named:
        title = translate("Conversations", "Called so")
        rows = [Row("=named", title, heading=True), *(_named_row(one) for one in named)]
    found = [
        Row(f"{hit.session.id}/{hit.line.entry_id}", title_of(hit.session), hit.snippet)
        for hit in hits
    ]
    if found:
        rows += [Row("=said", translate("Conversations", "Said there"), heading=True), *found]
    return rows


def place_of(row: str) -> RowPlace:
    """What the row of this id leads to."""
    session, _, entry = row.partition("/")
    return RowPlace(SessionId(session), entry)


def title_of(info: SessionInfo) -> str:
    """Its name, or the first words that were said in it."""
    title = " ".join(info.title.split())
    return title or translate("Conversations", "Nothing said yet")


def source_of(key: SessionKey) -> str:
    """Where a conversation goes on, in a word or two; "" for one of the person's own."""
    one = origin_of(key)
    match one.kind:
        case OriginKind.MAIN:
            return ""
        case OriginKind.JOB:
            return translate("Conversations", "Scheduled job")
        case OriginKind.HELPER | OriginKind.HELPER_OF:
            return translate("Conversations", "Helper")
        case OriginKind.CHANNEL:
            return one.channel.capitalize()
        case _:
            other = translate("Conversations", "Elsewhere")
            return translate("Conversations", "Imported") if ":import:" in key else other


def _row(info: SessionInfo, now: datetime) -> Row:
    moment = _moment(info.updated, now)
    when = f"{moment:%H:%M}" if moment.date() == now.date() else f"{moment:%Y-%m-%d}"
    detail = " · ".join(filter(None, (when, source_of(info.key))))
    return Row(info.id, title_of(info), detail)


def _named_row(info: SessionInfo) -> Row:
    return Row(info.id, title_of(info), source_of(info.key))


def _day_words(moment: datetime, now: datetime) -> str:
    days = (now.date() - moment.date()).days
    if days <= 0:
        return translate("Conversations", "Today")
    if days == 1:
        return translate("Conversations", "Yesterday")
    if days < _WEEK_DAYS:
        return translate("Conversations", "This week")
    return translate("Conversations", "Earlier")


def _moment(time: str, now: datetime) -> datetime:
    """In the zone of `now`; what is no time counts as very long ago."""
    try:
        return datetime.fromisoformat(time).astimezone(now.tzinfo)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, now.tzinfo)
