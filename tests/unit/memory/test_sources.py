"""What memory reads, by the paths a person sees: its own files, extra paths, conversations."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import PathRefused, StorageError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.memory import files
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.memory.sources import Sources, source_of
from moltbot_desktop.sdk.conversations import Conversations, SpokenLine


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    for name in ("MEMORY.md", "memory/2026-01-05.md", "memory/sub/x.MD", "memory/note.txt",
                 "other.md", "docs/plan.md", "docs/deep/b.md", "docs/.obsidian/c.md"):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "own.md").write_text("own")
    (tmp_path / "secret.md").write_text("s")
    return root


OWN = ["MEMORY.md", "memory/2026-01-05.md", "memory/sub/x.MD"]


def listed(workspace: Path, *extra: Path, **plan: bool) -> list[str]:
    sources = Sources(workspace, MemoryPlan(extra_paths=extra, **plan))
    found = sources.stamps()
    assert sources.stamps_of(found) == found
    return sorted(found)


def test_memory_is_memory_md_and_the_md_files_below_memory(workspace: Path) -> None:
    assert listed(workspace) == OWN


def test_links_and_hidden_folders_are_left_out(workspace: Path, tmp_path: Path) -> None:
    (workspace / "memory" / "link.md").symlink_to(tmp_path / "secret.md")
    (workspace / "memory" / "dir").symlink_to(tmp_path)
    (workspace / "memory" / ".git").mkdir()
    (workspace / "memory" / ".git" / "a.md").write_text("g")
    assert listed(workspace) == OWN
    (workspace / "MEMORY.md").unlink()
    (workspace / "MEMORY.md").symlink_to(tmp_path / "secret.md")
    assert listed(workspace) == OWN[1:]
    odd = {"MEMORY.md", "memory/link.md", "memory/dir/secret.md", "memory/.git/a.md", "\0.md"}
    assert Sources(workspace).stamps_of(odd) == {}


def test_a_linked_memory_folder_is_no_memory(tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "a.md").write_text("x")
    (tmp_path / "memory").symlink_to(tmp_path / "else")
    assert listed(tmp_path) == []
    with pytest.raises(PathRefused):
        Sources(tmp_path).text("memory/a.md")


def test_a_missing_workspace_is_empty(tmp_path: Path) -> None:
    assert listed(tmp_path / "none") == []


def test_a_change_shows_in_the_stamp(workspace: Path) -> None:
    before = Sources(workspace).stamps()
    (workspace / "MEMORY.md").write_text("more words")
    assert Sources(workspace).stamps() != before


# ------------------------------------------------------------------ extra paths


def test_extra_paths_are_shown_as_a_person_knows_them(workspace: Path, tmp_path: Path) -> None:
    found = listed(workspace, workspace / "docs", tmp_path / "notes", workspace / "other.md")
    outside = (tmp_path / "notes" / "own.md").as_posix()
    assert found == sorted([*OWN, "docs/deep/b.md", "docs/plan.md", "other.md", outside])


def test_every_file_is_there_once(workspace: Path, tmp_path: Path) -> None:
    everything = [*OWN, "docs/deep/b.md", "docs/plan.md", "other.md"]
    docs, plan = workspace / "docs", workspace / "docs" / "plan.md"
    assert listed(workspace, workspace) == sorted(everything)
    for extra in ((docs, workspace, plan), (plan, docs / "deep", docs), (workspace / "memory",)):
        found = listed(workspace, *extra)
        assert len(found) == len(set(found))
        assert set(found) <= set(everything)
        assert [name for name in found if name in OWN] == OWN
    above = listed(workspace, tmp_path)
    assert [name for name in above if name.endswith(("MEMORY.md", "x.MD"))] == [OWN[0], OWN[2]]


def test_an_extra_path_that_gives_nothing_is_told(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    (tmp_path / "a.txt").write_text("t")
    extra = (tmp_path / "gone", tmp_path / "link", tmp_path / "a.txt", tmp_path / "notes")
    sources = Sources(workspace, MemoryPlan(extra_paths=extra))
    told = list(sources.problems(Language.ENGLISH))
    assert [str(path) in one for path, one in zip(extra, told, strict=False)] == [True] * 3
    assert len(listed(workspace, *extra)) == len(OWN) + 1
    with pytest.raises(PathRefused):
        sources.text((tmp_path / "link" / "own.md").as_posix())


def test_an_extra_path_that_cannot_even_be_looked_at_stops_nothing(
    workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "round").symlink_to(tmp_path / "round")
    extra = (tmp_path / ("x" * 300), tmp_path / "round" / "a", workspace / "MEMORY.md" / "b.md")
    assert listed(workspace, *extra) == OWN
    sources = Sources(workspace, MemoryPlan(extra_paths=extra))
    assert len(list(sources.problems(Language.ENGLISH))) == len(extra)
    assert sources.stamps_of({(path / "c.md").as_posix() for path in extra}) == {}
    for path in extra:
        with pytest.raises((PathRefused, StorageError)):
            sources.text((path / "c.md").as_posix())


def test_an_extra_note_is_read_by_either_of_its_names(workspace: Path, tmp_path: Path) -> None:
    sources = Sources(workspace, MemoryPlan(extra_paths=(workspace / "docs", tmp_path / "notes")))
    for path in ("docs/plan.md", str(workspace / "docs/plan.md"), " docs\\plan.md "):
        assert sources.find(path) == "docs/plan.md"
    outside = str(tmp_path / "notes" / "own.md")
    assert sources.text(sources.find(outside)).text == "own"


@pytest.mark.parametrize(
    "path",
    ["", "other.md", "docs", "docs/../other.md", "docs/.obsidian/c.md", "/etc/passwd", "docsx/a.md",
     "sessions/a.jsonl", "secret.md", "../secret.md", "memory/../other.md"],
)  # fmt: skip
def test_nothing_else_may_be_named(workspace: Path, path: str) -> None:
    sources = Sources(workspace, MemoryPlan(extra_paths=(workspace / "docs",)))
    with pytest.raises(PathRefused):
        sources.text(sources.find(path))


def test_extra_notes_and_conversations_are_never_written(workspace: Path) -> None:
    plan = MemoryPlan(extra_paths=(workspace / "docs",), conversations=True)
    sources = Sources(workspace, plan, Talks())
    assert sources.writable_path("MEMORY.md", 1) == workspace / "MEMORY.md"
    for name in ("docs/plan.md", "sessions/a.jsonl"):
        with pytest.raises(UserInputInvalid) as refused:
            sources.writable_path(name, 7)
        assert name in refused.value.message
        assert refused.value.hint


def test_notes_may_be_no_source(workspace: Path) -> None:
    assert listed(workspace, notes=False) == []


def test_a_huge_file_and_a_binary_one_are_no_notes(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "memory" / "a.md").write_bytes(b"\x89PNG\r\n\0\0\0\rIHDR\0\0" + bytes(range(256)))
    with pytest.raises(StorageError, match="no text"):
        Sources(workspace).text("memory/a.md")
    monkeypatch.setattr(files, "LARGEST_FILE", 3)
    with pytest.raises(StorageError, match="larger"):
        Sources(workspace).text("MEMORY.md")


def test_a_name_that_is_no_text_harms_nothing(workspace: Path) -> None:
    (workspace / "memory" / os.fsdecode(b"\xff.md")).write_bytes(b"x")
    assert len(Sources(workspace).stamps()) == len(OWN) + 1  # the indexer leaves it out


# ------------------------------------------------------------------ conversations


class Talks(Conversations):
    """One conversation of one line."""

    def __init__(self, messages: int = 0) -> None:
        self.messages = messages

    def stamps(self) -> Mapping[str, tuple[int, int, int]]:
        return {"a.jsonl": (1, 2, 3)}

    def lines(self, name: str) -> tuple[SpokenLine, ...]:
        return (SpokenLine(f"User: {name}"),)

    def messages_since(self, name: str, offset: int) -> int:
        if self.messages < 0:
            raise StorageError("It is gone.")
        return self.messages


def test_conversations_are_a_source_where_the_plan_says_so(workspace: Path) -> None:
    sources = Sources(workspace, MemoryPlan(conversations=True, notes=False), Talks())
    assert sources.stamps() == {"sessions/a.jsonl": (1, 2, 3)}
    assert sources.stamps_of({"sessions/a.jsonl", "MEMORY.md"}) == sources.stamps()
    assert sources.spoken(sources.find("sessions/a.jsonl")) == (SpokenLine("User: a.jsonl"),)
    without = Sources(workspace, MemoryPlan(), Talks())
    assert "sessions/a.jsonl" not in without.stamps()
    with pytest.raises(PathRefused):
        without.spoken("sessions/a.jsonl")
    assert (source_of("sessions/a.jsonl"), source_of("sessions/a.md")) == ("sessions", "memory")


@pytest.mark.parametrize(
    ("grown", "messages", "due"),
    [(99, 4, False), (99, -1, False), (100, 0, True), (10, 5, True), (0, 9, True), (-1, 0, True)],
)
def test_a_conversation_is_read_anew_after_it_grew_by_enough(
    workspace: Path, grown: int, messages: int, due: bool
) -> None:
    plan = MemoryPlan(conversations=True, conversation_bytes=100, conversation_messages=5)
    sources = Sources(workspace, plan, Talks(messages))
    assert sources.has_grown("sessions/a.jsonl", (500, 1, 7), (500 + grown, 2, 7)) is due
    assert sources.has_grown("sessions/a.jsonl", (500, 1, 7), (501, 2, 8)), "written anew"


def test_thresholds_of_zero_mean_any_growth(workspace: Path) -> None:
    for numbers in ((0, 50), (10**6, 0)):
        plan = MemoryPlan(
            conversations=True, conversation_bytes=numbers[0], conversation_messages=numbers[1]
        )
        assert Sources(workspace, plan, Talks(1)).has_grown("sessions/a", (5, 1, 7), (6, 2, 7))
