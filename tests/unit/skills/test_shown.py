"""People read of bundled skills in their own language; no model reads those words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.discovery import BUNDLED, MANAGED, Skill, SkillRoot, discover_skills
from moltbot_desktop.skills.shown import SHOWN_FILE, Shown, shown_words

FOLDER = Path(__file__).parents[3] / "skills"
SKILLS = discover_skills([SkillRoot(BUNDLED, FOLDER)]).skills
HAN = re.compile(r"[\u4e00-\u9fff]")
FOREIGN = re.compile(r"[A-Za-z]+")
NAMES = {"CSV", "Excel", "PDF", "Word", "Git", "html"}


@pytest.mark.parametrize("skill", SKILLS, ids=lambda one: one.name)
def test_a_bundled_skill_speaks_the_language_of_the_window(skill: Skill) -> None:
    english, chinese = (shown_words(skill, one) for one in Language)
    assert not HAN.search(f"{english.title} {english.description}")
    assert HAN.search(chinese.title)
    assert set(FOREIGN.findall(f"{chinese.title} {chinese.description}")) <= NAMES
    assert english.description.endswith(".")
    assert chinese.description.endswith("。")
    assert "您" not in chinese.description
    assert len(english.title) <= 24, "a row has a badge beside it"


def test_titles_are_not_mistaken_for_one_another() -> None:
    for language in Language:
        assert len({shown_words(one, language).title for one in SKILLS}) == len(SKILLS)


def test_no_words_are_kept_of_skills_that_are_gone() -> None:
    written = json.loads((FOLDER / SHOWN_FILE).read_text("utf-8"))
    assert written.keys() == {one.name for one in SKILLS}


def skill(folder: Path, source: str) -> Skill:
    return Skill("notes", "What it says.", folder / "notes" / "SKILL.md", source)


def test_skills_of_others_are_shown_as_they_call_themselves(tmp_path: Path) -> None:
    words = {"notes": {"en": ["Something harmless", "It does nothing."]}}
    (tmp_path / SHOWN_FILE).write_text(json.dumps(words), "utf-8")
    own = Shown("notes", "What it says.")
    assert shown_words(skill(tmp_path, MANAGED), Language.ENGLISH) == own
    assert shown_words(skill(tmp_path, BUNDLED), Language.CHINESE) == own
    assert shown_words(skill(tmp_path, BUNDLED), Language.ENGLISH).title == "Something harmless"


@pytest.mark.parametrize("written", ["", "[]", '{"notes": 3}', '{"notes": {"en": ["one"]}}', "{"])
def test_a_file_that_cannot_be_read_takes_no_skill_away(tmp_path: Path, written: str) -> None:
    (tmp_path / SHOWN_FILE).write_text(written, "utf-8")
    assert shown_words(skill(tmp_path, BUNDLED), Language.ENGLISH).title == "notes"
