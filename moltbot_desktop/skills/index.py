"""The prompt's section on skills: rules and a list, within a number of characters.

A skill costs one line of the prompt until the model reads its file. When the list is too long,
descriptions are shortened first, so that every skill can still be found, then skills are left out
from the end of the alphabet, which is said. A folder is named once for all its skills, in place of
the reference's elements for each skill: on a path of usual length that halves the list.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from moltbot_desktop.skills.discovery import Skill

_RULES = """\
## Skills (mandatory)
If a skill clearly fits the request (of several, the most specific), first `read` its file,
PATH/NAME/SKILL.md, then do what it says."""
_DESCRIPTION_LENGTHS = (1_024, 240, 160, 110, 80, 60, 45, 34)
_CLAUSE_END = re.compile(r"[)）。；：](?! )|[).;:](?= )")
_SHORTEST = _DESCRIPTION_LENGTHS[-1]
_SHORTEST_LINE = len("a: b\n")
_TIERS = ((4_096, 700), (8_192, 1_100), (16_384, 2_600), (32_768, 5_200), (1 << 62, 9_000))
"""Windows of up to so many tokens, and the characters the section may have there."""


def skills_characters(window: int) -> int:
    """How long the section may be in a window of so many tokens: a small model pays for each line
    in every turn, a large one may see more of them at once."""
    return next(most for tokens, most in _TIERS if window <= tokens)


def skills_mark(skills: Sequence[Skill]) -> str:
    """A text that is another one as soon as another section can come out."""
    return "\n".join(f"{one.description}\0{one.location}" for one in skills if one.offered_to_model)


@dataclass(frozen=True)
class SkillSection:
    """The section, and how many skills it has no room for."""

    text: str = ""
    left_out: int = 0


def skills_section(
    skills: Sequence[Skill], *, max_characters: int, user_home: Path
) -> SkillSection:
    """The section, at most `max_characters` long; without text when there is nothing to list.

    Locations below `user_home` begin with ``~``: a model elsewhere need not learn who this is.
    """
    skills = [skill for skill in skills if skill.offered_to_model]
    if not skills:
        return SkillSection()
    # As many as can fit at all: with a thousand, most of the work would be for nothing.
    most = min(len(skills), max_characters // _SHORTEST_LINE)
    for length in _DESCRIPTION_LENGTHS if most == len(skills) else ():
        text = _section(skills, length, user_home, left_out=0)
        if len(text) <= max_characters:
            return SkillSection(text)

    def too_long(kept: int) -> bool:
        return len(_shortened_list(skills, kept, user_home)) > max_characters

    # One skill more is never a shorter text, so the most that fit are found by halving.
    kept = bisect_left(range(1, min(most, len(skills) - 1) + 1), True, key=too_long)
    text = _shortened_list(skills, kept, user_home) if kept else ""
    return SkillSection(text, len(skills) - kept)


def told_path(path: Path, user_home: Path) -> str:
    """As a model is told of it, see `skills_section`; `read` takes it."""
    if path.is_relative_to(user_home):
        return (Path("~") / path.relative_to(user_home)).as_posix()
    return str(path)


def _shortened_list(skills: Sequence[Skill], kept: int, user_home: Path) -> str:
    return _section(skills[:kept], _SHORTEST, user_home, left_out=len(skills) - kept)


def _section(skills: Sequence[Skill], length: int, user_home: Path, left_out: int) -> str:
    lines = [_RULES, "<available_skills>"]
    for folder, inside in _by_folder(skills).items():
        lines.append(f"<folder path={quoteattr(told_path(folder, user_home))}>")
        lines += [_line(skill, length) for skill in inside]
        lines.append("</folder>")
    lines.append("</available_skills>")
    if left_out:
        lines.append(f"({left_out} more skills are not listed here; `find_tool` finds them.)")
    return "\n".join(lines)


def _by_folder(skills: Sequence[Skill]) -> Mapping[Path, Sequence[Skill]]:
    """Skills by the folder that holds their folders, which have the skills' names."""
    folders: dict[Path, list[Skill]] = {}
    for skill in skills:
        folders.setdefault(skill.location.parents[1], []).append(skill)
    return folders


def _line(skill: Skill, length: int) -> str:
    """Escaped, so that a description cannot close the list and speak as the system."""
    name = skill.location.parent.name
    description = " ".join(_shortened(_without_name(skill.description, name), length).split())
    return f"{escape(name)}: {escape(description)}"


def _without_name(description: str, name: str) -> str:
    """A description that begins with the name need not say it again beside it."""
    words = r"[\s_-]+".join(map(re.escape, re.split("[_-]+", name)))
    return re.sub(rf"\A\s*{words}\b[\s,:]*(?=\S)", "", description, count=1, flags=re.IGNORECASE)


def _shortened(text: str, length: int) -> str:
    """Cut behind a clause, else at a word, where there is one in the second half.

    A few words of the next clause ("Expenses (...): note what") would say nothing, and twenty
    skills cost a hundred tokens more of every prompt with them.
    """
    if len(text) <= length:
        return text
    cut = text[: length - 1]
    clauses = [match.end() for match in _CLAUSE_END.finditer(cut, length // 4)]
    if clauses:
        return cut[: clauses[-1]].rstrip(".;:。；：")
    if " " in cut[length // 2 :]:
        cut = cut.rsplit(" ", 1)[0]
    return cut.rstrip(" ,;:，；：、(（") + "…"
