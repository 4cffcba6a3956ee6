"""A long transcript that was read ahead opens as if it had been read then, and never as it was."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions import ahead, transcript
from moltbot_desktop.sessions.ahead import read_ahead
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import Session, SessionStore

MAIN = main_session_key(DEFAULT_AGENT)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SessionStore:
    monkeypatch.setattr(ahead, "LONG_BYTES", 1)
    return SessionStore(tmp_path, ManualClock(datetime(2026, 3, 1, tzinfo=UTC)))


def talked(store: SessionStore, *texts: str) -> Session:
    session = store.open(MAIN)
    for text in texts:
        run = RunId(text)
        session.transcript.append_user(text, run)
        session.transcript.append_assistant(ChatMessage(Role.ASSISTANT, f"about {text}"), run)
        session.transcript.append_outcome(run, RunOutcome(OutcomeKind.ANSWERED, "ok"))
    store.close(session)
    return session


def read(store: SessionStore) -> bool:
    """On a thread of its own, as the program does; whether there was something to read."""
    work = store.reading_ahead(MAIN)
    if work is not None:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    return work is not None


def test_it_is_not_read_again_when_it_is_opened(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = talked(store, "one", "two").transcript
    assert read(store)
    assert not read(store)  # it was, and nothing has changed

    def again(_: Path) -> None:
        raise AssertionError("it is read on the event loop")

    with monkeypatch.context() as patched:
        patched.setattr(transcript, "repair_jsonl", again)
        opened = store.open(MAIN)
    assert opened.transcript.entries() == before.entries()
    assert opened.transcript.header == before.header
    assert not read(store)  # it is open
    opened.transcript.append_user("three", RunId("three"))
    store.close(opened)
    assert len(store.open(MAIN).transcript.entries()) > len(before.entries())


@pytest.mark.parametrize("more", [b"{broken\n", b'{"torn', b""])
def test_a_file_that_has_changed_since_is_read_as_it_is(store: SessionStore, more: bytes) -> None:
    path = talked(store, "one").transcript.path
    assert read(store)
    talked(store, "two")
    with path.open("ab") as file:
        file.write(more)
    texts = [getattr(one, "text", "") for one in store.open(MAIN).transcript.entries()]
    assert [text for text in texts if text] == ["one", "two"]


@pytest.mark.parametrize("damage", ["bad line", "torn", "no first line", "no last newline", "gone"])
def test_what_has_to_be_mended_is_not_read_ahead(store: SessionStore, damage: str) -> None:
    path = talked(store, "one").transcript.path
    lines = path.read_bytes().splitlines(keepends=True)
    match damage:
        case "bad line":
            lines.insert(2, b"{broken\n")
        case "torn":
            lines.append(b'{"torn')
        case "no first line":
            del lines[0]
        case "no last newline":
            lines[-1] = lines[-1].rstrip()
        case _:
            lines = []
    path.write_bytes(b"".join(lines)) if lines else path.unlink()
    assert read_ahead(path) is None
    read(store)
    store.close(store.open(MAIN))


def test_a_short_one_and_one_that_never_began_are_not(tmp_path: Path) -> None:
    store = SessionStore(tmp_path, ManualClock(datetime(2026, 3, 1, tzinfo=UTC)))
    assert not read(store)
    talked(store, "one")
    assert not read(store)
