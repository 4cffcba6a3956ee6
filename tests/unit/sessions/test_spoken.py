"""What was said in a conversation, as memory may see it."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sdk.conversations import SpokenLine
from moltbot_desktop.sessions.spoken import SpokenTranscripts, is_owners
from moltbot_desktop.sessions.transcript import Transcript, create_transcript

DAY = date(2026, 1, 5)
RUN = RunId("r")


def transcript(folder: Path, key: str = "agent:main:main", name: str = "a") -> Transcript:
    clock = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))
    path = folder / f"{name}.jsonl"
    return create_transcript(path, SessionId(name), SessionKey(key), "/", clock)


def test_a_message_is_a_line_and_tools_are_left_out(tmp_path: Path) -> None:
    talk = transcript(tmp_path)
    talk.append_user("who is\n  my dentist?", RUN)
    call = ToolCall("1", "memory_search", {"query": "dentist"})
    talk.append_assistant(ChatMessage(Role.ASSISTANT, "", (call,), "thinking"), RUN)
    result = ChatMessage(Role.TOOL, "tool words", tool_call_id="1", tool_name="memory_search")
    talk.append_tool_result(result, RUN, ok=True, display="shown words")
    talk.append_assistant(ChatMessage(Role.ASSISTANT, "Dr. Oka"), RUN, unfinished=True)
    assert SpokenTranscripts(tmp_path).lines("a.jsonl") == (
        SpokenLine("User: who is my dentist?", DAY),
        SpokenLine("Assistant: Dr. Oka", DAY),
    )


def test_files_of_a_message_go_by_their_names(tmp_path: Path) -> None:
    talk = transcript(tmp_path)
    talk.append_user(
        "sum it up\n[media attached: media/inbound/3f2a9c1d-plan.pdf (application/pdf)]", RUN
    )
    assert SpokenTranscripts(tmp_path).lines("a.jsonl") == (
        SpokenLine("User: sum it up plan.pdf", DAY),
    )


def test_what_follows_a_strangers_text_is_marked(tmp_path: Path) -> None:
    talk = transcript(tmp_path)
    talk.append_user("before", RUN)
    talk.append_labels({"untrusted": False, "private": True})
    talk.append_user("still mine", RUN)
    talk.append_labels({"untrusted": True, "private": True})
    talk.append_user("after", RUN)
    talk.append_labels({"untrusted": False, "private": True})
    talk.append_user("and later", RUN)
    marks = [bool(line.mark) for line in SpokenTranscripts(tmp_path).lines("a.jsonl")]
    assert marks == [False, False, True, True]


@pytest.mark.parametrize(
    ("key", "own"),
    [
        ("agent:main:main", True),
        ("agent:main:main:thread:42", True),
        ("agent:main:cli", True),
        ("agent:main:telegram:dm:42", False),
        ("agent:main:telegram:group:42:thread:7", False),
        ("agent:main:cron:job", False),
        ("agent:main:subagent:x", False),
        ("agent:main:mainx", False),
        ("", False),
        ("main", False),
    ],
)
def test_only_the_owners_own_conversations_are_told(tmp_path: Path, key: str, own: bool) -> None:
    assert is_owners(SessionKey(key)) is own
    if key:
        transcript(tmp_path, key).append_user("hello", RUN)
        assert bool(SpokenTranscripts(tmp_path).lines("a.jsonl")) is own


def test_a_line_that_is_being_written_is_left_out(tmp_path: Path) -> None:
    talk = transcript(tmp_path)
    talk.append_user("whole", RUN)
    with talk.path.open("ab") as file:
        file.write(b'{"type":"mess')
    before = talk.path.read_bytes()
    assert len(SpokenTranscripts(tmp_path).lines("a.jsonl")) == 1
    assert talk.path.read_bytes() == before


def test_conversations_are_listed_without_being_read(tmp_path: Path) -> None:
    talk = transcript(tmp_path)
    (tmp_path / "sessions.json").write_text("{}")
    (tmp_path / "a.jsonl.bad").write_text("x")
    (tmp_path / "link.jsonl").symlink_to(talk.path)
    talk.path.chmod(0)
    found = SpokenTranscripts(tmp_path).stamps()
    talk.path.chmod(0o600)
    status = talk.path.stat()
    assert found == {"a.jsonl": (status.st_size, status.st_mtime_ns, status.st_ino)}
    assert SpokenTranscripts(tmp_path / "none").stamps() == {}


def test_new_messages_are_counted_from_where_memory_stopped(tmp_path: Path) -> None:
    talk = transcript(tmp_path)
    size = talk.path.stat().st_size
    talk.append_user("one", RUN)
    talk.append_user("two", RUN)
    assert SpokenTranscripts(tmp_path).messages_since("a.jsonl", size) == 2


@pytest.mark.parametrize("name", ["none.jsonl", "../a.jsonl", "a\0.jsonl", "a", "link.jsonl"])
def test_nothing_else_is_read(tmp_path: Path, name: str) -> None:
    talk = transcript(tmp_path)
    (tmp_path / "link.jsonl").symlink_to(talk.path)
    with pytest.raises(PathRefused):
        SpokenTranscripts(tmp_path).lines(name)


def test_what_was_said_differently_is_not_remembered_and_stays_marked(tmp_path: Path) -> None:
    talk = transcript(tmp_path)
    talk.append_user("before", RunId("1"))
    talk.append_outcome(RunId("1"), RunOutcome(OutcomeKind.ANSWERED))
    talk.append_user("my dentist is Dr. Wrong", RunId("2"))
    talk.append_labels({"untrusted": True, "private": False})
    talk.append_outcome(RunId("2"), RunOutcome(OutcomeKind.ANSWERED))
    talk.rewind()
    talk.append_user("my dentist is Dr. Okafor", RunId("3"))
    lines = SpokenTranscripts(tmp_path).lines("a.jsonl")
    assert [line.text for line in lines] == ["User: before", "User: my dentist is Dr. Okafor"]
    assert [bool(line.mark) for line in lines] == [False, True]
