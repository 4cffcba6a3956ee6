"""MEMORY.md gains and loses single lines, and the person's own text stays as it is."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.memory.edits import read_page
from moltbot_desktop.memory.long_term import Kept, LongTerm
from moltbot_desktop.memory.notes import (
    Origin,
    read_fact,
    render_fact,
    split_mark,
    strike,
    struck_until,
    unstrike,
)
from moltbot_desktop.sdk.memory import SearchHit

NOW = datetime.fromisoformat("2026-11-21T14:05:00+00:00")
PEANUTS = (
    '- Allergic to peanuts <!-- from: 2026-11-21 14:05; quote: "I\'m allergic to peanuts." -->\n'
)


def unheard(path: Path) -> None:
    """For tests in which nobody searches."""


def keep(
    workspace: Path, text: str, quote: str = "", now: datetime = NOW, budget: int = 24_000
) -> Kept:
    return LongTerm(workspace, budget, unheard).keep(text, quote or text, now, now, ())


def memory(workspace: Path) -> str:
    return (workspace / "MEMORY.md").read_text()


def test_a_fact_stands_under_its_own_heading_with_its_quote(tmp_path: Path) -> None:
    keep(tmp_path, "Allergic to peanuts", "I'm allergic to peanuts.")
    assert memory(tmp_path) == "## Remembered\n\n" + PEANUTS


def test_the_first_fact_of_a_chinese_owner_makes_a_chinese_heading_the_next_finds_it(
    tmp_path: Path,
) -> None:
    keep(tmp_path, "我对花生过敏")
    keep(tmp_path, "I love tea")
    lines = memory(tmp_path).splitlines()
    assert lines[0] == "## 记住的事"
    assert [split_mark(line)[0] for line in lines[2:]] == ["- 我对花生过敏", "- I love tea"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Me\n\nI am Sam.\n", "# Me\n\nI am Sam.\n\n## Remembered\n\n{fact}"),
        ("# Me\n\nI am Sam.", "# Me\n\nI am Sam.\n\n## Remembered\n\n{fact}"),
        ("## Remembered\n", "## Remembered\n\n{fact}"),
        ("## Remembered", "## Remembered\n\n{fact}"),
        ("## Remembered\n\n- x\n\n## Work\n- y\n", "## Remembered\n\n- x\n{fact}\n## Work\n- y\n"),
        ("## 记住的事\n- x", "## 记住的事\n- x\n{fact}"),
        ("```\n## Remembered\n```\n", "```\n## Remembered\n```\n\n## Remembered\n\n{fact}"),
        ("", "## Remembered\n\n{fact}"),
    ],
)
def test_nothing_else_changes_and_undo_gives_the_bytes_back(
    tmp_path: Path, before: str, after: str
) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text(before)
    kept = keep(tmp_path, "Allergic to peanuts", "I'm allergic to peanuts.")
    assert path.read_text() == after.replace("{fact}", PEANUTS)
    LongTerm(tmp_path, 24_000, unheard).take_back(kept)
    assert path.read_text() == before


def test_undo_of_the_first_fact_leaves_no_file(tmp_path: Path) -> None:
    LongTerm(tmp_path, 24_000, unheard).take_back(keep(tmp_path, "I love tea"))
    assert not (tmp_path / "MEMORY.md").exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_files_own_encoding_and_line_ends_are_kept(
    tmp_path: Path, encoding: str, newline: str
) -> None:
    path = tmp_path / "MEMORY.md"
    before = "# 我\n\n- 喜欢喝茶，也喜欢散步\n".replace("\n", newline).encode(encoding)
    path.write_bytes(before)
    kept = keep(tmp_path, "我住在杭州")
    added = f'- 我住在杭州 <!-- from: 2026-11-21 14:05; quote: "我住在杭州" -->{newline}'
    assert path.read_bytes().decode(encoding).endswith(added)
    assert path.read_bytes().startswith(before)
    LongTerm(tmp_path, 24_000, unheard).take_back(kept)
    assert path.read_bytes() == before


def test_a_new_value_strikes_the_old_line_and_undo_restores_it(tmp_path: Path) -> None:
    keep(tmp_path, "My dentist is Dr. Okafor")
    before = memory(tmp_path)
    kept = keep(tmp_path, "My dentist is Dr. Lee", now=NOW + timedelta(days=3))
    old, new = [read_fact(line)[0] for line in memory(tmp_path).splitlines()[2:]]
    assert old == "~~My dentist is Dr. Okafor~~ (until 2026-11-24)"
    assert new == "My dentist is Dr. Lee"
    assert LongTerm(tmp_path, 24_000, unheard).facts() == ("My dentist is Dr. Lee",)
    LongTerm(tmp_path, 24_000, unheard).take_back(kept)
    assert memory(tmp_path) == before


def test_the_persons_own_line_is_never_struck(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- My dentist is Dr. Okafor\n")
    keep(tmp_path, "My dentist is Dr. Lee")
    assert memory(tmp_path).startswith("- My dentist is Dr. Okafor\n")


def test_a_note_of_the_day_about_the_same_thing_is_struck_too(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    day = tmp_path / "memory" / "2026-01-02.md"
    day.write_text("# 2026-01-02\n\n- 09:00 · I live in Leeds\n- I live in Leeds\n")
    hits = [SearchHit(f"memory/{day.name}", n, n, "I live in Leeds", 1.0, "memory") for n in (3, 4)]
    kept = LongTerm(tmp_path, 24_000, unheard).keep(
        "I live in York", "I live in York", NOW, NOW, hits
    )
    assert day.read_text() == (
        "# 2026-01-02\n\n- 09:00 · ~~I live in Leeds~~ (until 2026-11-21)\n- I live in Leeds\n"
    )
    LongTerm(tmp_path, 24_000, unheard).take_back(kept)
    assert "~~" not in day.read_text()


def test_after_an_edit_undo_removes_the_one_line_and_keeps_the_edit(tmp_path: Path) -> None:
    kept = keep(tmp_path, "I love tea")
    path = tmp_path / "MEMORY.md"
    path.write_text("My own words\n" + path.read_text())
    LongTerm(tmp_path, 24_000, unheard).take_back(kept)
    assert path.read_text() == "My own words\n## Remembered\n\n"


def test_a_line_the_person_rewrote_is_left_alone(tmp_path: Path) -> None:
    kept = keep(tmp_path, "I love tea")
    path = tmp_path / "MEMORY.md"
    path.write_text("I love green tea\n")
    with pytest.raises(UserInputInvalid, match="not there any more"):
        LongTerm(tmp_path, 24_000, unheard).take_back(kept)
    assert path.read_text() == "I love green tea\n"


def test_over_the_budget_history_moves_to_the_archive_first(tmp_path: Path) -> None:
    keep(tmp_path, "I live in Leeds", now=NOW - timedelta(days=400))
    keep(tmp_path, "I live in York", now=NOW - timedelta(days=2))
    size = (tmp_path / "MEMORY.md").stat().st_size
    kept = keep(tmp_path, "I love tea", budget=size)
    assert not kept.over_budget
    assert "Leeds" not in memory(tmp_path)
    archive = (tmp_path / "memory" / "archive-2026.md").read_text()
    assert archive.startswith("# 2026\n\n- ~~I live in Leeds~~ (until 2026-11-19) <!-- from: 2025-")


def test_with_no_history_left_a_fact_goes_to_the_days_notes(tmp_path: Path) -> None:
    own = "My own words. " * 100
    (tmp_path / "MEMORY.md").write_text(own)
    kept = keep(tmp_path, "I love tea", "Oh, I love tea!", budget=1_000)
    assert kept.over_budget
    assert memory(tmp_path) == own
    day = tmp_path / "memory" / "2026-11-21.md"
    assert day.read_text() == (
        "# 2026-11-21\n\n"
        '- 14:05 · I love tea <!-- from: 2026-11-21 14:05; quote: "Oh, I love tea!" -->\n'
    )
    LongTerm(tmp_path, 1_000, unheard).take_back(kept)
    assert not day.exists()


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    other = tmp_path / "elsewhere.md"
    other.write_text("mine")
    (tmp_path / "MEMORY.md").symlink_to(other)
    with pytest.raises(StorageError):
        keep(tmp_path, "I love tea")
    assert other.read_text() == "mine"


@given(quote=st.text(max_size=60), text=st.text(min_size=1, max_size=60))
@settings(max_examples=80, deadline=None)
def test_no_quote_ends_its_comment_and_all_comes_back(quote: str, text: str) -> None:
    told = " ".join(quote.replace("\ud800", "").split())
    line = render_fact("tea " + " ".join(text.split()), Origin("2026-11-21 14:05", told))
    assert line.count("-->") == text.count("-->") + 1
    fact, origin = read_fact(line)
    assert origin == Origin("2026-11-21 14:05", told)
    assert fact == ("tea " + " ".join(text.split()))
    struck = strike(line, NOW.date())
    assert struck_until(read_fact(struck)[0]) == "2026-11-21"
    assert unstrike(struck) == line


@pytest.mark.parametrize(
    "line",
    [
        'x <!-- mark: web --> <!-- from: 2026-11-21 14:05; quote: "y" -->',
        'x <!-- from: 2026-11-21 14:05; quote: "y" --> <!-- mark: web -->',
    ],
)
def test_an_origin_hides_no_mark_of_a_strangers_words(line: str) -> None:
    assert split_mark(line) == ("x", "web")


@given(st.lists(st.sampled_from(["## Remembered", "- x", "", "# A", "```", "text", "  y"])))
@settings(max_examples=80, deadline=None)
def test_wherever_it_goes_all_other_lines_stay_in_order(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    workspace = tmp_path_factory.mktemp("workspace")
    before = "\n".join(lines)
    (workspace / "MEMORY.md").write_text(before)
    kept = keep(workspace, "I love tea")
    rest = read_page(workspace, "MEMORY.md").data or b""
    assert rest.decode().replace(kept.lead + kept.line + "\n", "", 1) == before
    LongTerm(workspace, 24_000, unheard).take_back(kept)
    assert memory(workspace) == before


def test_every_file_that_changes_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    long_term = LongTerm(tmp_path, 24_000, lambda path: told.append(path.name))
    kept = long_term.keep("I love tea", "I love tea", NOW, NOW, ())
    assert told == ["MEMORY.md"]
    long_term.take_back(kept)
    assert told == ["MEMORY.md"] * 2
    (tmp_path / "MEMORY.md").write_text("x" * 2_000)
    LongTerm(tmp_path, 1_000, lambda path: told.append(path.name)).keep("I", "I", NOW, NOW, ())
    assert told[2:] == ["2026-11-21.md"]


def test_no_two_dashes_stand_in_a_comment_for_renderers_that_end_it_there() -> None:
    line = render_fact("Tea", Origin("2026-11-21 14:05", "a -- b ---c --!> d"))
    assert "--" not in line.removeprefix("- Tea <!--").removesuffix("-->")
    assert read_fact(line)[1] == Origin("2026-11-21 14:05", "a -- b ---c --!> d")


def test_a_struck_chinese_line_reads_as_chinese() -> None:
    line = "- 09:00 · 我住在杭州 <!-- mark: x -->"
    struck = strike(line, NOW.date())
    assert struck == "- 09:00 · ~~我住在杭州~~（至 2026-11-21） <!-- mark: x -->"
    assert struck_until(read_fact(struck)[0]) == "2026-11-21"
    assert unstrike(struck) == line
