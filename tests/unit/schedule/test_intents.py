"""Which files a standing intent means, and that watching costs nothing while none wants it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from moltbot_desktop.schedule.intents import FileIntents, fits, matters
from moltbot_desktop.schedule.ledger import What
from moltbot_desktop.sdk.schedule import (
    AgentTurn,
    EventKind,
    Every,
    Job,
    JobDraft,
    OnEvent,
    Schedule,
)
from moltbot_desktop.storage.changes import Changes


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("notes/*.md", "notes/a.md", True),
        ("notes/*.md", "notes/b/a.md", False),
        ("notes/**/*.md", "notes/b/c/a.md", True),
        ("notes/**/*.md", "notes/a.md", True),
        ("notes", "notes/b/a.md", True),
        ("notes/", "notes/a.md", True),
        ("./notes", "notes2/a.md", False),
        ("", "anything/at.all", True),
        ("a.md", "a.md", True),
        ("a.md", "b/a.md", False),
        ("[", "[", True),
        ("notes/**", "notes", False),
        ("**", "a", True),
        ("**/a/**/b", "x/a/y/b/z", True),
        ("**/b/**/a", "x/a/y/b/z", False),
        ("**/a/" * 15 + "b", "a/" * 60 + "c", False),  # ends in this life
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert fits(pattern, path) is expected


def test_what_editors_leave_is_no_news() -> None:
    assert [matters(Path(name)) for name in ("a.md", ".a.md.swp", "a.md~", ".git")] == [
        *(True, False, False, False)
    ]


class _Watch:
    def __init__(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running = False


def _job(schedule: Schedule, enabled: bool = True) -> Job:
    return Job("1", 0, 0, JobDraft("x", schedule, AgentTurn("x"), enabled=enabled))


def test_watches_only_while_an_intent_wants_it() -> None:
    workspace, jobs, watches = Path("/workspace"), [_job(Every(1000))], []
    told: list[tuple[EventKind, str]] = []
    heard: list[Callable[[Changes], None]] = []

    def start(folder: Path, changed: Callable[[Changes], None]) -> _Watch:
        watches.append(_Watch())
        heard.append(changed)
        return watches[-1]

    def happened(kind: EventKind, what: What) -> None:
        told.append((kind, what("", "notes")))
        assert what("work", "notes") == ""  # it has a workspace of its own

    intents = FileIntents(lambda agent: workspace, lambda: jobs, start, happened)
    intents.refresh()
    assert watches == []
    jobs.append(_job(OnEvent(EventKind.FILE, "notes")))
    intents.refresh()
    intents.refresh()
    [watch] = watches
    heard[0](Changes(frozenset({workspace / "notes" / "a.md", workspace / "b.md"})))
    heard[0](Changes(frozenset({workspace / "b.md"})))
    heard[0](Changes(everything=True))
    assert told == [(EventKind.FILE, "Changed: notes/a.md"), (EventKind.FILE, "")]
    jobs[1] = _job(OnEvent(EventKind.FILE, "notes"), enabled=False)
    intents.refresh()
    assert not watch.running
