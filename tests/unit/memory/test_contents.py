"""What the index keeps of a source stands at the lines it names, however the file was written."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.contents import content_of
from moltbot_desktop.memory.excerpts import excerpt
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.memory.sources import Sources
from moltbot_desktop.memory.units import LONGEST_UNIT
from moltbot_desktop.sdk.conversations import Conversations, SpokenLine

NAME = "memory/a.md"
LINES = st.lists(
    st.sampled_from(
        ["---", "title: 旅行 trip", "tags: [a b, c]", "# Head", "- a fact", "- 14:05 · stored",
         "  more", "", "```", "code = 1", "**Anna:** hi", "long " * 300, "长句子。" * 200,
         "A wrapped line that is long enough to go on in the next one", "x" * 1500]
    )
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=20),
    max_size=12,
)  # fmt: skip


class Talk(Conversations):
    """One conversation, of two days."""

    LINES = (
        SpokenLine("User: my dentist is Dr. Okafor", date(2026, 1, 5)),
        SpokenLine("Assistant: " + "A long answer. " * 100, date(2026, 1, 6), "untrusted"),
        SpokenLine("User: thanks"),
    )

    def stamps(self) -> Mapping[str, tuple[int, int, int]]:
        return {"a.jsonl": (1, 2, 3)}

    def lines(self, name: str) -> tuple[SpokenLine, ...]:
        return self.LINES

    def messages_since(self, name: str, offset: int) -> int:
        return 0


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ws")
    (folder / "memory").mkdir()
    return folder


def words(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@given(lines=LINES)
def test_each_unit_stands_at_its_lines(workspace: Path, newline: str, lines: list[str]) -> None:
    (workspace / NAME).write_bytes(newline.join(lines).encode())
    sources = Sources(workspace)
    content = content_of(sources, NAME)
    assert content.problem == ""
    for unit in content.units:
        count = unit.end_line - unit.start_line + 1
        shown = excerpt(sources, NAME, unit.start_line, count)
        assert shown.start_line == unit.start_line
        for line in unit.text.split("\n"):
            assert words(line) in words(shown.text)


def test_a_conversation_has_a_unit_a_message_with_its_day_and_mark(workspace: Path) -> None:
    sources = Sources(workspace, MemoryPlan(conversations=True), Talk())
    content = content_of(sources, "sessions/a.jsonl")
    first, *long, last = content.units
    assert (first.text, first.mark, content.days[0]) == (
        "User: my dentist is Dr. Okafor", "", date(2026, 1, 5)
    )  # fmt: skip
    assert len(long) > 1
    assert {(unit.start_line, unit.mark) for unit in long} == {(2, "untrusted")}
    assert all(len(unit.text) <= LONGEST_UNIT for unit in content.units)
    assert (last.start_line, content.days[-1], content.headers[-1]) == (3, None, "")
    assert "january" in content.headers[0]
    assert content.windows


def test_an_unreadable_source_is_kept_as_a_problem(workspace: Path) -> None:
    sources = Sources(workspace)
    (workspace / "memory" / "b.md").write_bytes(b"\x7fELF\0\0\0" + bytes(range(255)))
    assert "memory/b.md" in content_of(sources, "memory/b.md").problem
    assert content_of(sources, "memory/none.md").problem
    assert content_of(sources, "memory/none.md").units == ()
