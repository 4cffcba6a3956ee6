"""Transcripts on a real disk: durable, repaired when opened, never losing a good entry."""

from __future__ import annotations

import errno
import json
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import DiskFull, StorageError
from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    OtherEntry,
    OutcomeEntry,
    UserEntry,
)
from moltbot_desktop.sessions.transcript import (
    Transcript,
    create_transcript,
    open_transcript,
    read_header,
)

KEY = SessionKey("agent:main:main")
ONE, TWO = RunId("one"), RunId("two")
DONE = RunOutcome(OutcomeKind.ANSWERED, "fine")


def a_clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, 9, 30, tzinfo=timezone(timedelta(hours=8))))


def created(folder: Path) -> Transcript:
    return create_transcript(folder / "s1.jsonl", SessionId("s1"), KEY, "/home", a_clock())


def reopened(path: Path) -> Transcript:
    return open_transcript(path, SessionId(path.stem), KEY, "/home", a_clock())


def test_an_end_that_the_disk_does_not_take_whole_is_not_there_at_all(tmp_path, monkeypatch):
    transcript = created(tmp_path)
    transcript.append_user("hi", ONE)
    before, real = transcript.entries(), os.write

    def one_line(descriptor: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", refused)
        return real(descriptor, data[: bytes(data).index(b"\n") + 1])

    def refused(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as monkeypatch:
        monkeypatch.setattr(os, "write", one_line)
        with pytest.raises(DiskFull):
            transcript.append_end(ONE, DONE, ChatMessage(Role.ASSISTANT, "fine"))
    assert transcript.entries() == before
    transcript.append_end(ONE, DONE, ChatMessage(Role.ASSISTANT, "fine"))
    transcript.append_end(ONE, RunOutcome(OutcomeKind.CANCELLED), None)  # it has one
    assert reopened(transcript.path).entries() == transcript.entries()
    kinds = [type(entry) for entry in transcript.entries()]
    assert kinds == [UserEntry, AssistantEntry, OutcomeEntry]


def test_a_conversation_is_the_same_after_reopening(tmp_path):
    written = created(tmp_path)
    written.append_user("记住 \u2028 \0 this", ONE)
    call = ToolCall("c1", "calc", {"expression": {"deep": [1, 2.5, None]}}, confidence=0.4)
    written.append_assistant(ChatMessage(Role.ASSISTANT, "", (call,), "hm"), ONE)
    answer = ChatMessage(Role.TOOL, "{}", tool_call_id="c1", tool_name="calc")
    written.append_tool_result(answer, ONE, ok=False, display="no")
    found = UsedMemory("MEMORY.md", 1, 1, 0.9, "0" * 16, Use.FOUND)
    written.append_end(ONE, DONE, ChatMessage(Role.ASSISTANT, "fine"), (found,))
    written.append_labels({"untrusted": True})
    read = reopened(written.path)
    assert read.entries() == written.entries()
    assert read.messages() == written.messages()
    assert read.repaired == ()
    assert read.entries()[0].time == "2026-03-01T09:30:00.000+08:00"
    parents = [entry.parent_id for entry in read.entries()]
    assert parents == ["", *[entry.id for entry in read.entries()[:-1]]]


def test_a_run_has_one_outcome_only(tmp_path):
    transcript = created(tmp_path)
    transcript.append_user("hi", ONE)
    transcript.append_outcome(ONE, DONE)
    transcript.append_outcome(ONE, RunOutcome(OutcomeKind.CANCELLED))
    assert [e.outcome for e in transcript.entries() if isinstance(e, OutcomeEntry)] == [DONE]


def test_labels_only_rise(tmp_path):
    transcript = created(tmp_path)
    transcript.append_labels({"untrusted": True, "private": False})
    transcript.append_labels({"untrusted": False, "private": True})
    assert reopened(transcript.path).labels() == {"untrusted": True, "private": True}


def test_a_killed_run_is_closed_when_opened_and_only_once(tmp_path):
    transcript = created(tmp_path)
    transcript.append_user("hi", ONE)
    transcript.append_assistant(ChatMessage(Role.ASSISTANT, "half an ans"), ONE)
    read = reopened(transcript.path)
    outcome = read.entries()[-1]
    assert isinstance(outcome, OutcomeEntry)
    assert outcome.outcome == RunOutcome(OutcomeKind.CANCELLED, "", "the program ended")
    answer = read.entries()[1]
    assert isinstance(answer, AssistantEntry)
    assert answer.unfinished
    again = reopened(transcript.path)
    assert again.entries() == read.entries()
    assert again.repaired == ()


def test_a_torn_last_line_is_cut_and_kept_aside(tmp_path):
    transcript = created(tmp_path)
    transcript.append_user("whole", ONE)
    transcript.append_outcome(ONE, DONE)
    whole = transcript.path.read_bytes()
    transcript.path.write_bytes(whole + b'{"type":"message","id":"x","mess')
    read = reopened(transcript.path)
    assert read.entries() == transcript.entries()
    assert transcript.path.read_bytes() == whole
    assert b'"mess' in (tmp_path / "s1.jsonl.bad").read_bytes()
    assert any("torn" in note for note in read.repaired)


def test_bad_lines_in_the_middle_cost_nothing_else(tmp_path):
    transcript = created(tmp_path)
    transcript.append_user("first", ONE)
    with transcript.path.open("ab") as file:
        file.write(b'\xff\xfe not text\n[1]\n{"type":"label","id":"c","summary":"s"}\n')
    transcript.append_user("second", TWO)
    read = reopened(transcript.path)
    assert [e.text for e in read.entries() if isinstance(e, UserEntry)] == ["first", "second"]
    assert [e.kind for e in read.entries() if isinstance(e, OtherEntry)] == ["label"]
    assert b'"summary":"s"' in transcript.path.read_bytes()
    assert b"[1]" in (tmp_path / "s1.jsonl.bad").read_bytes()


def test_a_lost_first_line_is_made_again(tmp_path):
    transcript = created(tmp_path)
    transcript.append_user("kept", ONE)
    transcript.append_outcome(ONE, DONE)
    lines = transcript.path.read_bytes().split(b"\n")
    transcript.path.write_bytes(b"\n".join([b"#damaged#", *lines[1:]]))
    assert read_header(transcript.path) is None
    read = reopened(transcript.path)
    assert read.entries() == transcript.entries()
    header = read_header(transcript.path)
    assert header is not None
    assert (header.session_id, header.key) == ("s1", KEY)


def test_a_transcript_is_readable_by_its_owner_only(tmp_path):
    assert created(tmp_path).path.stat().st_mode & 0o777 == 0o600


def test_a_message_that_could_not_be_written_is_an_error_and_leaves_no_trace(tmp_path):
    transcript = created(tmp_path)
    transcript.append_user("kept", ONE)
    before = transcript.entries()
    transcript.path.rename(tmp_path / "moved")
    transcript.path.mkdir()  # writing to a folder fails for every user, root included
    with pytest.raises(StorageError):
        transcript.append_user("lost", TWO)
    assert transcript.entries() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_named_and_the_conversation_goes_on_in_memory(tmp_path):
    header = created(tmp_path).header
    transcript = Transcript(Path("/dev/full"), header, (), a_clock())
    with pytest.raises(DiskFull) as caught:
        transcript.append_user("does not fit", ONE)
    assert "Free some space" in caught.value.hint
    assert transcript.entries() == ()


@settings(max_examples=120, deadline=None)
@given(junk=st.binary(max_size=200), cut=st.integers(0, 600), newline=st.booleans())
def test_any_bytes_are_repaired_and_other_entries_kept(junk, cut, newline, tmp_path_factory):
    """Junk goes in anywhere; every line that it does not touch is still there."""
    folder = tmp_path_factory.mktemp("fuzz")
    transcript = created(folder)
    transcript.append_user("first", ONE)
    transcript.append_outcome(ONE, DONE)
    data = transcript.path.read_bytes()
    at = min(cut, len(data))
    transcript.path.write_bytes(data[:at] + junk + (b"\n" if newline else b"") + data[at:])
    untouched = data[: data.rfind(b"\n", 0, at) + 1].splitlines()
    untouched += data[data.find(b"\n", at) + 1 :].splitlines() if at < len(data) else []
    expected = {json.loads(line)["id"] for line in untouched} - {"s1"}
    read = reopened(transcript.path)
    assert expected <= {entry.id for entry in read.entries()}
    read.append_user("goes on", TWO)
    last = reopened(transcript.path).entries()[-2]
    assert isinstance(last, UserEntry)
    assert last.text == "goes on"


@settings(max_examples=120, deadline=None)
@given(data=st.binary(max_size=300))
def test_a_file_of_any_bytes_becomes_a_usable_conversation(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / "s1.jsonl"
    path.write_bytes(data)
    reopened(path).append_user("hello", ONE)
    entries = reopened(path).entries()
    assert [entry.text for entry in entries if isinstance(entry, UserEntry)] == ["hello"]


def test_the_end_of_a_run_costs_no_flush_until_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript, real, flushed = created(tmp_path), os.fsync, []

    def counted(descriptor: int) -> None:
        flushed.append(descriptor)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", counted)
    transcript.append_user("Hello", ONE)
    assert len(flushed) == 1
    transcript.append_assistant(ChatMessage(Role.ASSISTANT, "Hi"), ONE)
    transcript.append_outcome(ONE, DONE)
    assert len(flushed) == 1
    transcript.flush()
    transcript.flush()
    assert len(flushed) == 2
