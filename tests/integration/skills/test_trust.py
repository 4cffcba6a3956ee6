"""A skill from outside is off until its owner says yes to exactly these files."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import SkillInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.book import SkillBook
from moltbot_desktop.skills.discovery import SkillReader, SkillRoot
from moltbot_desktop.skills.eligibility import Gate, Surroundings
from moltbot_desktop.skills.trust import TrustBook

EN = Language.ENGLISH
LATER = datetime.now(UTC) + timedelta(days=1)
"""Files that the test writes are old by then, so that their times say whether they changed."""


def put(folder: Path, name: str, more: str = "") -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: Does {name}.\n---\nFirst line.\n{more}")
    return path


@pytest.fixture
def skills(tmp_path) -> Path:
    return tmp_path / "workspace" / "skills"


@pytest.fixture
def open_book(tmp_path, skills) -> Callable[[], SkillBook]:
    def opened() -> SkillBook:
        clock = ManualClock(LATER)
        trust = TrustBook(tmp_path / "home" / "skill-trust")
        around = Surroundings("linux", lambda _: True, lambda _: True, lambda _: None, trust.state)
        roots = (SkillRoot("bundled", tmp_path / "bundled"), SkillRoot("workspace", skills))
        reader = SkillReader(clock, EN)
        return SkillBook(reader, trust, lambda: roots, lambda: around, clock)

    return opened


def names(book: SkillBook) -> list[str]:
    return [one.name for one in book.view().usable]


def waiting(book: SkillBook) -> list[tuple[str, Gate]]:
    return [(one.skill.name, one.report.reasons[0].gate) for one in book.view().waiting]


def say_yes(book: SkillBook, name: str) -> None:
    standing = book.view().standing(name)
    assert standing is not None
    book.trust.trust(standing.skill, EN)


def test_it_waits_for_a_word_and_one_from_the_program_does_not(tmp_path, skills, open_book):
    put(tmp_path / "bundled", "ours")
    put(skills, "mine")
    book = open_book()
    assert names(book) == ["ours"]
    assert waiting(book) == [("mine", Gate.UNTRUSTED)]
    say_yes(book, "Mine")
    assert names(book) == ["mine", "ours"]
    assert names(open_book()) == ["mine", "ours"]


def test_any_change_of_any_file_asks_again_and_shows_what_it_is(skills, open_book):
    put(skills, "mine").parent.joinpath("run.sh").write_text("echo hello\n")
    book = open_book()
    say_yes(book, "mine")
    (skills / "mine" / "run.sh").write_text("rm -r /\n")
    assert names(book) == []
    assert waiting(book) == [("mine", Gate.CHANGED)]
    standing = book.view().standing("mine")
    diff = book.trust.changes(standing.skill, EN)
    assert "-echo hello" in diff
    assert "+rm -r /" in diff
    assert "First line" not in diff
    (skills / "mine" / "run.sh").write_text("echo hello\n")
    assert names(book) == ["mine"]
    (skills / "mine" / "new.py").write_text("x")
    assert names(book) == []


def test_what_is_trusted_is_what_was_looked_at(skills, open_book):
    put(skills, "mine")
    book = open_book()
    seen = book.view().standing("mine").skill
    put(skills, "mine", "And one more thing.\n")
    with pytest.raises(SkillInvalid):
        book.trust.trust(seen, EN)
    assert names(book) == []


def test_a_yes_of_another_process_is_seen(skills, open_book):
    put(skills, "mine")
    book, other = open_book(), open_book()
    assert names(book) == []
    say_yes(other, "mine")
    assert names(book) == ["mine"]


def test_a_copy_elsewhere_is_another_skill(tmp_path, skills, open_book):
    put(skills, "mine")
    book = open_book()
    say_yes(book, "mine")
    (skills / "mine").rename(skills / "other")
    assert names(book) == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"x": 1}', "[" * 100_000, '{"a":{"hash":7}}'])
def test_a_damaged_book_trusts_nothing(tmp_path, skills, open_book, text):
    put(skills, "mine")
    say_yes(open_book(), "mine")
    (tmp_path / "home" / "skill-trust" / "trusted.json").write_text(text)
    book = open_book()
    assert names(book) == []
    say_yes(book, "mine")
    assert names(book) == ["mine"]


def test_a_view_is_the_same_until_something_changes_and_versions_rise(skills, open_book):
    put(skills, "a")
    book = open_book()
    first = book.view()
    assert book.view() is first
    put(skills, "b")
    second = book.view()
    assert second.version > first.version
    assert [one.skill.name for one in second.standings] == ["a", "b"]
    (skills / "b" / "SKILL.md").unlink()
    assert [one.skill.name for one in book.view().standings] == ["a"]


def test_while_a_watch_is_sound_only_what_it_noticed_is_looked_at(skills, open_book):
    put(skills, "a")
    book = open_book()
    book.watched(book.roots)
    assert book.unchanged() is None, "nobody has looked yet"
    first = book.view()
    put(skills, "b")
    assert book.view() is first
    assert book.unchanged() is first
    book.touched()
    assert book.unchanged() is None
    assert len(book.view().standings) == 2
    say_yes(book, "a")
    assert book.unchanged() is None, "a word of the owner counts at once"
    assert book.view() is book.unchanged()
    book.watched(None)
    assert book.unchanged() is None
    put(skills, "c")
    assert len(book.view().standings) == 3


def test_a_folder_that_could_lead_anywhere_is_no_skill(tmp_path, skills, open_book):
    put(skills, "mine")
    (skills / "mine" / "all").symlink_to(tmp_path)
    put(skills, "pipe")
    os.mkfifo(skills / "pipe" / "p")
    book = open_book()
    assert book.view().standings == ()
    assert len(book.view().problems) == 2


def test_trust_that_is_taken_back_is_asked_for_anew(tmp_path, skills, open_book):
    put(skills, "a")
    book = open_book()
    say_yes(book, "a")
    skill = book.view().usable[0]
    assert book.trust.withdraw(skill)
    assert names(book) == []
    assert waiting(book) == [("a", Gate.UNTRUSTED)], "as if nothing had been said"
    assert names(open_book()) == []
    assert not book.trust.withdraw(skill)
    assert [path.name for path in (tmp_path / "home" / "skill-trust").iterdir()] == ["trusted.json"]


def test_its_files_are_a_strangers_until_the_word_and_again_after_a_change(
    tmp_path, skills, open_book
):
    ours, mine = put(tmp_path / "bundled", "ours").resolve(), put(skills, "mine").resolve()
    book = open_book()
    assert not book.of_stranger(ours) and not book.of_stranger(tmp_path / "notes.txt")
    assert book.of_stranger(mine)
    assert book.of_stranger(skills.resolve() / "no skill.md")
    say_yes(book, "mine")
    assert not book.of_stranger(mine)
    assert not book.of_stranger(mine.parent / "script.sh")
    put(skills, "mine", "Another line.")
    assert book.of_stranger(mine)
