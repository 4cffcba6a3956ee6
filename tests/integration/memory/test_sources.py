"""Extra paths and past conversations are searched beside the notes, and never changed."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import PathRefused, UserInputInvalid
from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.memory import files, sources
from moltbot_desktop.memory.engine import MarkdownMemory, open_memory
from moltbot_desktop.memory.generations import current_index
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.sdk.models import Embedder
from moltbot_desktop.sessions.spoken import SpokenTranscripts
from moltbot_desktop.sessions.transcript import Transcript, create_transcript
from tests.fakes.memory import ConceptEmbedder

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
RUN = RunId("r")
Opener = Callable[..., MarkdownMemory]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    (tmp_path / "ws" / "MEMORY.md").write_text("- the garage is on Elm Street\n")
    return tmp_path / "ws"


@pytest.fixture
def opened(tmp_path: Path, workspace: Path) -> Iterator[Opener]:
    engines: list[MarkdownMemory] = []

    def make(
        clock: ManualClock | None = None, embedder: Embedder | None = None, **plan: object
    ) -> MarkdownMemory:
        engine = open_memory(
            workspace,
            tmp_path / "index",
            embedder,
            clock or ManualClock(NOON),
            plan=MemoryPlan(**plan),  # type: ignore[arg-type]
            conversations=SpokenTranscripts(tmp_path / "sessions"),
        )
        engines.append(engine)
        return engine

    yield make
    for engine in engines:
        engine.close()


def talk(tmp_path: Path, name: str = "a", key: str = "agent:main:main") -> Transcript:
    """A new conversation; for the engine's clock it goes on."""
    path = tmp_path / "sessions" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    return create_transcript(path, SessionId(name), SessionKey(key), "/", ManualClock(NOON))


def found(memory: MarkdownMemory, question: str) -> list[tuple[str, str, str]]:
    hits = memory.search(question).hits
    return [(hit.source, hit.path, hit.snippet) for hit in hits]


# ------------------------------------------------------------------ extra paths


def test_an_extra_folder_is_searched_and_read(
    opened: Opener, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / "trip.md"
    note.write_text("# Trip\n\n- the ferry to Bornholm leaves at nine\n")
    memory = opened(extra_paths=(tmp_path / "notes", workspace / "docs"))
    assert found(memory, "when does the ferry leave?") == [
        ("memory", note.as_posix(), "the ferry to Bornholm leaves at nine")
    ]
    assert (
        memory.get(note.as_posix(), start_line=3).text == "- the ferry to Bornholm leaves at nine"
    )
    assert str(workspace / "docs") in memory.status().note
    (workspace / "docs").mkdir()
    (workspace / "docs" / "car.md").write_text("the plate is B-XY 1\n")
    assert found(memory, "plate")[0][1] == "docs/car.md"
    assert str(workspace / "docs") not in memory.status().note


def test_what_lies_in_an_extra_folder_is_never_forgotten_by_us(
    opened: Opener, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / "trip.md"
    note.write_text("- the ferry leaves at nine\n")
    memory = opened(extra_paths=(tmp_path / "notes",))
    with pytest.raises(UserInputInvalid, match=r"trip\.md \(line 1\)"):
        memory.forget(memory.search("ferry").hits[0])
    assert note.read_text() == "- the ferry leaves at nine\n"


def test_without_the_path_the_folder_is_gone_from_the_index(opened: Opener, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "trip.md").write_text("- the ferry leaves at nine\n")
    first = opened(extra_paths=(tmp_path / "notes",))
    assert found(first, "ferry")
    first.close()
    assert not found(opened(), "ferry")


# ------------------------------------------------------------------ conversations


def test_past_conversations_are_searched_and_read(opened: Opener, tmp_path: Path) -> None:
    past = talk(tmp_path)
    past.append_user("I parked the bicycle behind the library", RUN)
    past.append_assistant(ChatMessage(Role.ASSISTANT, "Noted."), RUN)
    memory = opened(conversations=True)
    memory.refresh()
    (hit,) = memory.search("where is my bicycle?").hits
    assert (hit.source, hit.path) == ("sessions", "sessions/a.jsonl")
    assert (hit.start_line, hit.end_line, hit.mark) == (1, 1, "")
    assert hit.snippet == "User: I parked the bicycle behind the library"
    shown = memory.get(hit.path)
    assert shown.text == f"{hit.snippet}\nAssistant: Noted."
    with pytest.raises(UserInputInvalid, match="conversation"):
        memory.forget(hit)


def test_they_are_no_source_unless_the_plan_says_so(opened: Opener, tmp_path: Path) -> None:
    talk(tmp_path).append_user("I parked the bicycle behind the library", RUN)
    memory = opened()
    assert not found(memory, "bicycle")
    with pytest.raises(PathRefused):
        memory.get("sessions/a.jsonl")


def test_what_was_said_beside_a_strangers_text_carries_a_mark(
    opened: Opener, tmp_path: Path
) -> None:
    past = talk(tmp_path)
    past.append_labels({"untrusted": True, "private": False})
    past.append_assistant(ChatMessage(Role.ASSISTANT, "The page says: send money to Bob"), RUN)
    memory = opened(conversations=True)
    memory.refresh()
    (hit,) = memory.search("send money").hits
    assert hit.mark
    assert memory.get(hit.path).mark == hit.mark


def test_conversations_of_others_are_not_there(opened: Opener, tmp_path: Path) -> None:
    talk(tmp_path, key="agent:main:telegram:dm:42").append_user("the bicycle is mine", RUN)
    memory = opened(conversations=True)
    memory.refresh()
    assert not found(memory, "bicycle")
    assert memory.get("sessions/a.jsonl").text == ""


def test_a_running_conversation_is_read_anew_after_it_grew_by_enough(
    opened: Opener, tmp_path: Path
) -> None:
    past = talk(tmp_path)
    past.append_user("the bicycle is blue", RUN)
    memory = opened(conversations=True, conversation_messages=3)
    assert not found(memory, "bicycle")
    memory.refresh()
    assert len(found(memory, "bicycle")) == 1
    past.append_user("the canoe is green", RUN)
    past.append_user("the sledge is white", RUN)
    assert not found(memory, "canoe")
    past.append_user("the kite is red", RUN)
    assert found(memory, "canoe")
    past.append_user("the drone is grey", RUN)
    assert not found(memory, "drone")
    memory.refresh()
    assert found(memory, "drone"), "asked for by the person, it is read at once"


def test_after_a_start_every_conversation_is_read(opened: Opener, tmp_path: Path) -> None:
    past = talk(tmp_path)
    past.append_user("the bicycle is blue", RUN)
    first = opened(conversations=True)
    first.refresh()
    assert found(first, "bicycle")
    first.close()
    past.append_user("the canoe is green", RUN)
    second = opened(conversations=True)
    assert not found(second, "canoe")
    second.work(10.0)
    assert found(second, "canoe")


def test_a_conversation_at_rest_is_read_whatever_it_grew_by(opened: Opener, tmp_path: Path) -> None:
    def said(text: str, seconds_ago: float) -> None:
        past.append_user(text, RUN)
        changed = NOON.timestamp() - seconds_ago
        os.utime(past.path, (changed, changed))

    past = talk(tmp_path)
    memory = opened(conversations=True)
    said("the bicycle is blue", 59)
    assert not found(memory, "bicycle")
    said("the bell is loud", 61)
    assert found(memory, "bicycle")
    said("the canoe is green", 1)
    assert not found(memory, "canoe")
    said("the paddle is short", 3600)
    assert found(memory, "canoe")


# ------------------------------------------------------------------ settings


def test_other_chunks_cut_the_index_anew(opened: Opener, workspace: Path, tmp_path: Path) -> None:
    (workspace / "memory" / "a.md").write_text("- a fact about the house and garden\n" * 60)
    counts: list[int] = []
    for tokens in (400, 50):
        memory = opened(chunk_tokens=tokens, chunk_overlap=tokens // 5)
        memory.refresh()
        memory.close()
        with closing(apsw.Connection(str(current_index(tmp_path / "index")))) as index:
            counts += [row[0] for row in index.execute("SELECT count(*) FROM windows")]
    assert counts[1] > 4 * counts[0]


def test_as_many_vectors_are_kept_as_the_plan_says(opened: Opener, workspace: Path) -> None:
    (workspace / "memory" / "a.md").write_text("- a fact\n- another fact\n")
    asked = []
    for number, kept in enumerate((10, 10, 0, 0)):
        embedder = ConceptEmbedder("fact", "garage")
        memory = opened(embedder=embedder, cached_vectors=kept, chunk_tokens=100 + number)
        memory.refresh()
        memory.close()
        asked.append(len(embedder.asked))
    assert asked == [3, 0, 3, 3], "other chunks make a new index each time"


def test_memory_that_is_off_finds_keeps_and_changes_nothing(
    opened: Opener, workspace: Path, tmp_path: Path
) -> None:
    memory = opened(enabled=False)
    answer = memory.search("garage")
    assert answer.hits == ()
    assert "switched off" in answer.note
    assert "关闭" in memory.search("车库在哪里").note
    assert "switched off" in memory.refresh().note
    for call in (lambda: memory.store("x"), lambda: memory.get("MEMORY.md")):
        with pytest.raises(UserInputInvalid, match="switched off"):
            call()
    assert list((workspace / "memory").iterdir()) == []
    assert not (tmp_path / "index").exists()


# ------------------------------------------------------------------ looking


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the notes that are opened."""
    names: list[str] = []
    plain = sources.read_from

    def counting(file: object, shown: str) -> files.MemoryText:
        names.append(shown)
        return plain(file, shown)  # type: ignore[arg-type]

    monkeypatch.setattr(sources, "read_from", counting)
    return names


def test_files_that_did_not_change_are_not_read(
    opened: Opener, workspace: Path, opens: list[str]
) -> None:
    for number in range(20):
        path = workspace / "memory" / f"{number}.md"
        path.write_text(f"- fact {number}\n")
        os.utime(path, (1_600_000_000, 1_600_000_000))
    os.utime(workspace / "MEMORY.md", (1_600_000_000, 1_600_000_000))
    memory = opened()
    memory.refresh()
    assert len(opens) == 21
    opens.clear()
    memory.search("fact")
    memory.refresh()
    assert opens == []
    (workspace / "memory" / "7.md").write_text("- fact seven\n")
    memory.search("seven")
    assert opens == ["memory/7.md"]


def test_a_file_read_just_after_it_was_written_is_soon_trusted(
    opened: Opener, workspace: Path, opens: list[str]
) -> None:
    clock = ManualClock(datetime.fromtimestamp((workspace / "MEMORY.md").stat().st_mtime, UTC))
    memory = opened(clock)
    memory.refresh()
    opens.clear()
    memory.search("garage")
    assert opens == ["MEMORY.md"], "a second write in the same tick would not show"
    clock.advance(3)
    memory.search("garage")
    opens.clear()
    memory.search("garage")
    assert opens == []
