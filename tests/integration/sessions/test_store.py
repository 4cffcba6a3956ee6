"""The store finds the right conversation, for one process at a time, whatever was damaged."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StorageError, StoreBusy, UserInputInvalid
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.entries import UserEntry
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import Session, SessionStore

MAIN = main_session_key(DEFAULT_AGENT)
OTHER = SessionKey("agent:main:telegram:dm:a/b@c")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture
def store(tmp_path, clock) -> SessionStore:
    return SessionStore(tmp_path / "home", clock)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home" / "agents" / "main" / "sessions"


def speak(session: Session, text: str) -> None:
    run = RunId(text)
    session.transcript.append_user(text, run)
    session.transcript.append_outcome(run, RunOutcome(OutcomeKind.ANSWERED, "ok"))


def words(session: Session) -> list[str]:
    return [e.text for e in session.transcript.entries() if isinstance(e, UserEntry)]


def test_a_conversation_goes_on_in_the_next_process(store, tmp_path, clock, folder):
    session = store.open(MAIN)
    speak(session, "hello")
    store.close(session)
    again = SessionStore(tmp_path / "home", clock).open(MAIN)
    assert again.session_id == session.session_id
    assert words(again) == ["hello"]
    assert again.transcript.path == folder / f"{session.session_id}.jsonl"


def test_a_new_conversation_leaves_the_old_file_alone(store, clock):
    old = store.open(MAIN)
    speak(old, "old")
    clock.advance(1)
    new = store.new(MAIN)
    assert words(new) == []
    assert old.transcript.path.exists()
    store.close(old)
    assert store.open(MAIN) is new
    store.close(new)
    assert store.open(MAIN).session_id == new.session_id


def test_a_late_outcome_of_a_closed_conversation_is_still_stored(store, clock):
    old = store.open(MAIN)
    old.transcript.append_user("hi", RunId("r"))
    store.close(old)
    store.new(MAIN)
    old.transcript.append_outcome(RunId("r"), RunOutcome(OutcomeKind.CANCELLED))
    assert len(old.transcript.entries()) == 2


def test_two_processes_never_write_one_conversation(store, tmp_path, clock):
    second = SessionStore(tmp_path / "home", clock)
    session = store.open(MAIN)
    for refused in (second.open, second.new):
        with pytest.raises(StoreBusy):
            refused(MAIN)
    assert words(second.open(OTHER)) == []
    store.close(session)
    assert second.open(MAIN).session_id == session.session_id


def test_keys_have_conversations_of_their_own(store):
    one, two = store.open(MAIN), store.open(OTHER)
    speak(one, "here")
    assert words(two) == []
    assert one.session_id != two.session_id


def test_settings_the_program_does_not_know_are_kept(store, folder):
    store.close(store.open(MAIN))
    path = folder / "sessions.json"
    index = json.loads(path.read_text())
    index[MAIN]["thinkingLevel"] = "high"
    index["global"] = "whatever"
    path.write_text(json.dumps(index))
    store.close(store.new(MAIN))
    kept = json.loads(path.read_text())
    assert kept[MAIN]["thinkingLevel"] == "high"
    assert kept["global"] == "whatever"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("left", [b'{"agent:main:main": {"sess', b""])
def test_a_damaged_index_is_set_aside_and_rebuilt(left, store, clock, folder):
    speak(store.open(MAIN), "old")
    clock.advance(60)
    session = store.new(MAIN)
    speak(session, "kept")
    other = store.open(OTHER)
    store.close(session)
    store.close(other)
    (folder / "sessions.json").write_bytes(left)
    again = store.open(MAIN)
    assert words(again) == ["kept"]
    assert (folder / "sessions.json.bad").read_bytes() == left
    assert json.loads((folder / "sessions.json").read_text())[OTHER]["sessionId"] == (
        other.session_id
    )


def test_an_index_entry_that_points_outside_is_not_followed(store, folder, tmp_path):
    session = store.open(MAIN)
    speak(session, "mine")
    store.close(session)
    (tmp_path / "stolen.jsonl").write_text("{}\n")
    outside = {MAIN: {"sessionId": "../../../../stolen", "updatedAt": 1}}
    (folder / "sessions.json").write_text(json.dumps(outside))
    assert words(store.open(MAIN)) == ["mine"]
    assert (tmp_path / "stolen.jsonl").read_text() == "{}\n"


def test_what_is_no_key_is_refused_before_anything_is_made(store, tmp_path):
    with pytest.raises(UserInputInvalid):
        store.open(SessionKey("agent:../../etc:main"))
    assert not (tmp_path / "home").exists()


def test_a_home_that_is_a_file_is_a_clear_error(tmp_path, clock):
    (tmp_path / "home").write_text("not a folder")
    store = SessionStore(tmp_path / "home", clock)
    with pytest.raises(StorageError) as caught:
        store.open(MAIN)
    assert str(tmp_path / "home") in caught.value.message


def test_a_failed_opening_leaves_no_lock_behind(store, folder, tmp_path, clock):
    store.close(store.open(MAIN))
    (folder / "sessions.json").unlink()
    (folder / "sessions.json").mkdir()
    for opening in (store.open, store.new):
        with pytest.raises(StorageError):
            opening(MAIN)
    (folder / "sessions.json").rmdir()
    another_process = SessionStore(tmp_path / "home", clock)
    another_process.open(MAIN)


@settings(max_examples=120, deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=100),
        st.recursive(
            st.none() | st.integers() | st.text(),
            lambda inner: st.dictionaries(
                st.sampled_from([MAIN, "sessionId", "updatedAt", "sessionFile", "x"]), inner
            ),
            max_leaves=6,
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_any_index_file_leads_to_the_conversation(data, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    store = SessionStore(home, clock)
    session = store.open(MAIN)
    store.close(session)
    index = home / "agents" / "main" / "sessions" / "sessions.json"
    index.write_bytes(data)
    again = store.open(MAIN)
    assert json.loads(index.read_text())[MAIN]["sessionId"] == again.session_id
    store.close(again)
