"""Reminders, jobs and pairings as JSON: how books of the program stand in a backup.

    read_reminders(reminders_json(store.pending()))

Not the databases themselves: a backup may come from anybody, and a database of a stranger's is
code of its own kind.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.schedule.jobs_json import job_as_json
from moltbot_desktop.schedule.store import read_again
from moltbot_desktop.sdk.pairing import Contact
from moltbot_desktop.sdk.reminders import Again, Reminder
from moltbot_desktop.sdk.schedule import Job, schedule_as_json

_MOST = 10_000
_LONGEST = 20_000


@dataclass(frozen=True)
class KeptReminder:
    """`due` is aware; `again` as in `Reminder`."""

    due: datetime
    text: str
    again: Again | None = None


def as_bytes(value: JsonValue) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, default=dict).encode() + b"\n"


def reminders_json(reminders: Iterable[Reminder]) -> bytes:
    rows: list[JsonValue] = [
        {
            "due": one.due.isoformat(),
            "text": one.text,
            "created": one.created.isoformat(),
            **({} if one.again is None else {"again": dict(schedule_as_json(one.again))}),
        }
        for one in reminders
    ]
    return as_bytes({"version": 1, "reminders": rows})


def read_reminders(data: bytes) -> tuple[KeptReminder, ...]:
    """Those that can be understood.

    Raises:
        UserInputInvalid: it is no such list.
    """
    rows = _rows(data, "reminders")
    return tuple(one for one in map(_reminder, rows) if one is not None)


def jobs_json(jobs: Iterable[Job]) -> bytes:
    """As the reference's jobs.json, which `schedule.jobs_json.read_jobs` reads."""
    return as_bytes({"version": 1, "jobs": [job_as_json(one) for one in jobs]})


def pairings_json(contacts: Iterable[Contact]) -> bytes:
    rows: list[JsonValue] = [
        {
            "channel": one.channel,
            "account": one.account,
            "sender": one.sender.id,
            "name": one.sender.name,
        }
        for one in contacts
    ]
    return as_bytes({"version": 1, "contacts": rows})


def pairing_names(data: bytes) -> tuple[str, ...]:
    """Whom to let in again, as ``telegram: Ada``."""
    found = []
    for one in _rows(data, "contacts"):
        channel, name = _text(one, "channel"), _text(one, "name") or _text(one, "sender")
        if channel and name:
            found.append(f"{channel}: {name}"[:200])
    return tuple(found)


def models_json(models: Mapping[str, int]) -> bytes:
    rows: list[JsonValue] = [{"name": name, "size": size} for name, size in models.items()]
    return as_bytes({"version": 1, "models": rows})


def model_names(data: bytes) -> tuple[str, ...]:
    """What could be fetched again."""
    return tuple(name[:200] for one in _rows(data, "models") if (name := _text(one, "name")))


def _reminder(row: JsonObject) -> KeptReminder | None:
    text = _text(row, "text")
    try:
        due = datetime.fromisoformat(_text(row, "due"))
        due.timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    again = read_again(json.dumps(row["again"])) if "again" in row else None
    return KeptReminder(due, text, again) if text and due.tzinfo is not None else None


def _rows(data: bytes, name: str) -> list[JsonObject]:
    try:
        whole: JsonValue = json.loads(data)
    except (ValueError, RecursionError):
        whole = None
    rows = whole.get(name) if isinstance(whole, Mapping) else None
    if not isinstance(rows, list):
        raise UserInputInvalid(
            f"The list of {name} in it cannot be read.", hint="Use another copy of it."
        )
    return [one for one in rows[:_MOST] if isinstance(one, Mapping)]


def _text(row: JsonObject, name: str) -> str:
    value = row.get(name)
    return value[:_LONGEST] if isinstance(value, str) else ""
