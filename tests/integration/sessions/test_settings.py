"""What is set for a conversation holds in the next process, and costs one write a turn."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.core.ids import DEFAULT_AGENT, SessionKey
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.settings import SessionSettings
from moltbot_desktop.sessions.store import SessionStore

MAIN = main_session_key(DEFAULT_AGENT)
GROUP = SessionKey("agent:main:telegram:group:7")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def store(home, clock) -> SessionStore:
    return SessionStore(home, clock)


@pytest.fixture
def index(home):
    return home / "agents" / "main" / "sessions" / "sessions.json"


def thinking_hard(settings: SessionSettings) -> SessionSettings:
    return replace(settings, think="high", label="Plans")


def counted(settings: SessionSettings) -> SessionSettings:
    return replace(settings, total_tokens=settings.total_tokens + 10)


def test_a_turn_writes_the_index_once(store, index):
    store.open(MAIN)
    before = index.stat()
    store.touch(MAIN)
    store.change_settings(MAIN, thinking_hard)
    store.change_settings(MAIN, counted)
    assert index.stat().st_mtime_ns == before.st_mtime_ns
    store.save()
    first = index.stat()
    assert json.loads(index.read_text())[MAIN]["totalTokens"] == 10
    store.save()
    assert index.stat().st_ino == first.st_ino


def test_what_was_set_is_there_in_the_next_process(store, home, clock):
    session = store.open(MAIN)
    store.change_settings(MAIN, thinking_hard)
    store.close(session)
    later = SessionStore(home, clock)
    assert later.settings(MAIN).think == "high"
    later.open(MAIN)
    assert later.settings(MAIN) == replace(SessionSettings(), think="high", label="Plans")


@pytest.mark.parametrize("lost", ["not saved", "deleted", "damaged"])
def test_what_was_set_survives_without_the_index(store, home, clock, index, lost):
    clock.advance(60)
    session = store.open(MAIN)
    clock.advance(60)
    store.change_settings(MAIN, thinking_hard)
    if lost != "not saved":
        store.close(session)
        index.unlink() if lost == "deleted" else index.write_text("{")
    else:
        store._unlock(MAIN)  # the process is killed
    later = SessionStore(home, clock)
    later.open(MAIN)
    assert later.settings(MAIN).think == "high"


def test_what_was_set_after_the_clock_went_back_survives_a_kill(store, home, clock):
    store.close(store.open(MAIN))
    clock = ManualClock(clock.now() - timedelta(days=1))
    store = SessionStore(home, clock)
    store.open(MAIN)
    store.change_settings(MAIN, thinking_hard)
    store._unlock(MAIN)  # the process is killed
    later = SessionStore(home, clock)
    later.open(MAIN)
    assert later.settings(MAIN).think == "high"


def test_what_the_index_says_beats_settings_of_the_transcript_that_it_has(
    store, home, clock, index
):
    session = store.open(MAIN)
    store.change_settings(MAIN, thinking_hard)
    store.close(session)
    written = json.loads(index.read_text())
    written[MAIN]["thinkingLevel"] = "low"  # by hand
    written[MAIN]["updatedAt"] = 0
    index.write_text(json.dumps(written))
    later = SessionStore(home, clock)
    later.open(MAIN)
    assert later.settings(MAIN).think == "low"


def test_settings_that_a_power_cut_took_from_the_transcript_hold_by_the_index(
    store, home, clock, index
):
    session = store.open(MAIN)
    store.change_settings(MAIN, lambda old: replace(old, think="low"))
    clock.advance(60)
    store.change_settings(MAIN, thinking_hard)
    store.close(session)
    lines = session.transcript.path.read_bytes().splitlines(keepends=True)
    session.transcript.path.write_bytes(b"".join(lines[:-1]))
    later = SessionStore(home, clock)
    later.open(MAIN)
    assert later.settings(MAIN).think == "high"


def test_without_the_index_a_conversation_is_as_old_as_its_last_word(store, clock, home, index):
    session = store.open(MAIN)
    session.transcript.append_labels({"untrusted": False})
    store.close(session)
    index.unlink()
    clock.advance(3600)
    later = SessionStore(home, clock)
    later.open(MAIN)
    assert later.last_used(MAIN) == datetime(2026, 3, 1, tzinfo=UTC)


def test_opening_is_not_using(store, clock):
    assert store.last_used(MAIN) is None
    store.close(store.open(MAIN))
    clock.advance(3600)
    session = store.open(MAIN)
    assert store.last_used(MAIN) == datetime(2026, 3, 1, tzinfo=UTC)
    store.touch(MAIN)
    assert store.last_used(MAIN) == clock.now()
    store.close(session)
    assert store.last_used(MAIN) == clock.now()


def test_a_conversation_that_is_not_open_can_be_set_too(store, home, clock):
    store.change_settings(GROUP, lambda old: replace(old, activation="always"))
    other = SessionStore(home, clock)
    session = other.open(GROUP)
    assert other.settings(GROUP).activation == "always"
    with pytest.raises(StoreBusy):
        store.change_settings(GROUP, thinking_hard)
    other.close(session)


def test_a_fresh_conversation_keeps_how_to_think_and_not_the_name(store, home, clock, index):
    store.open(MAIN)
    store.change_settings(MAIN, thinking_hard)
    store.change_settings(MAIN, counted)
    clock.advance(1)
    store.close(store.new(MAIN))
    index.unlink()
    later = SessionStore(home, clock)
    later.open(MAIN)
    assert later.settings(MAIN) == replace(SessionSettings(), think="high")


def test_a_field_that_another_program_wrote_meanwhile_stays(store, index):
    session = store.open(MAIN)
    written = json.loads(index.read_text())
    written[MAIN]["skillsSnapshot"] = {"version": 1}
    index.write_text(json.dumps(written))
    store.change_settings(MAIN, thinking_hard)
    store.close(session)
    assert json.loads(index.read_text())[MAIN]["skillsSnapshot"] == {"version": 1}
