"""Homes with something in every place that a backup knows, and the desk of each.

desk = desk_of(tmp_path / "one")
fill(desk)
"""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from moltbot_desktop.app.backup_desk import FileBackupDesk
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.schedule import AgentTurn, Cron, Job, JobDraft
from moltbot_desktop.security.secrets import SecretStore
from moltbot_desktop.sessions.store import SessionStore
from tests.fakes.key_ring import MemoryKeyRing

START = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
KEY = SessionKey("agent:main:main")
SECRET = "8134567:AAHq9vQxk2JdCanaryCanaryCanaryCanar"


def desk_of(folder: Path, ring: MemoryKeyRing | None = None) -> FileBackupDesk:
    """Of the home `folder`/.moltbot; `folder` is the person's own."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = Paths(folder / ".moltbot", folder, Path(__file__).resolve().parents[2])
    keys = ring if ring is not None else MemoryKeyRing()
    return FileBackupDesk(
        paths,
        lambda: load_config(paths.home, environment={}),
        ManualClock(START),
        Language.ENGLISH,
        SecretStore(paths.home / "secrets.json", lambda: keys),
    )


def fill(desk: FileBackupDesk, settings: JsonObject | None = None) -> None:
    home = desk.paths.home
    written = settings or {
        "ui": {"theme": "dark"},
        "channels": {"telegram": {"enabled": True, "botToken": SECRET, "allowFrom": ["7"]}},
    }
    write(home / "moltbot.json", json.dumps(written))
    workspace = home / "workspace"
    write(workspace / "MEMORY.md", "- likes tea\n")
    write(workspace / "AGENTS.md", "Be kind.\n")
    write(workspace / "memory" / "2026-05-01.md", "- met Ada\n- rain\n")
    write(workspace / "plans" / "What next?.md", "Sail.\n")
    write(workspace / ".env", f"TOKEN={SECRET}\n")
    write(home / "skills" / "tea" / "SKILL.md", "---\nname: tea\ndescription: Tea.\n---\nBoil.\n")
    write(home / "extensions" / "mine" / "plugin.py", "def register(api): pass\n")
    write(home / "hooks" / "mine" / "handler.py", "\n")
    talk(desk, "Hello there")
    inbox = {"event": "proposed", "id": "3", "time": "", "text": "Has a cat", "category": "fact"}
    write(home / "memory-inbox.jsonl", json.dumps(inbox) + "\n")
    remind(desk, "call Bob", 48)
    add_job(desk, "Any news?")
    for name in ("gateway-token", "undo.key", "logs/moltbot.log"):
        write(home / name, SECRET)
    write(home / "secrets.json", json.dumps({"version": 1, "names": ["telegram"]}))


def talk(desk: FileBackupDesk, words: str, key: SessionKey = KEY) -> Path:
    store = SessionStore(desk.paths.home, desk.clock)
    session = store.open(key)
    session.transcript.append_user(words, RunId("r"))
    session.transcript.append_outcome(RunId("r"), RunOutcome(OutcomeKind.ANSWERED))
    path = session.transcript.path
    store.close(session)
    return path


def remind(desk: FileBackupDesk, text: str, hours: int) -> None:
    with closing(ReminderStore(desk.paths.state_database, desk.clock)) as store:
        store.add(desk.clock.now() + timedelta(hours=hours), text)


def reminders(desk: FileBackupDesk) -> list[str]:
    with closing(ReminderStore(desk.paths.state_database, desk.clock)) as store:
        return [one.text for one in store.pending()]


def _book(database: ScheduleDatabase) -> JobStore:
    ids = iter(f"abcdef{number:02}" for number in range(10, 99))
    return JobStore(database, lambda: next(ids), str(KEY), lambda: True, lambda: False)


def add_job(desk: FileBackupDesk, message: str) -> Job:
    with closing(ScheduleDatabase(desk.paths.home / "cron" / "jobs.sqlite", desk.clock)) as base:
        return _book(base).add(JobDraft(message, Cron("0 9 * * *"), AgentTurn(message)))


def jobs(desk: FileBackupDesk) -> list[tuple[str, bool]]:
    with closing(ScheduleDatabase(desk.paths.home / "cron" / "jobs.sqlite", desk.clock)) as base:
        return [(one.draft.name, one.draft.enabled) for one in _book(base).jobs()]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` that counts: no locks, logs, databases or snapshots, nor what a
    killed write leaves (`storage.files.left_behind`)."""
    skipped = (".lock", ".log", ".sqlite", "-wal", "-shm", "lastgood.json", ".tmp")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and ".bak" not in path.name
        and not path.name.endswith(skipped)
        and "snapshots" not in path.parts
    }
