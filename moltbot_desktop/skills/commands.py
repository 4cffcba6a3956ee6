"""The slash commands of skills: their names, and which skill a person means.

    slash_names(skills, reserved)          # {"garden-log": "garden_log"}
    meant(skills, "Garden log", reserved)  # the skill, whether its name or its command was typed

The names are the reference's: small letters, figures and ``_``, at most 32 of them; the first skill
in the order of names gets the plain one, the next ``_2``. A name in another alphabet is no such
name, so the reference calls all of them ``skill``; here a person may type the name itself too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.discovery import Skill
from moltbot_desktop.skills.shown import shown_words

MOST_DESCRIPTION = 100
_LONGEST = 32
_NOT_IN_NAMES = re.compile(r"[^a-z0-9_]+")
_SAME = re.compile(r"[\s_-]+")


def slash_name(name: str) -> str:
    """What a skill called `name` would be called if it were the only one."""
    plain = re.sub(r"_+", "_", _NOT_IN_NAMES.sub("_", name.lower())).strip("_")
    return plain[:_LONGEST] or "skill"


def slash_names(skills: Sequence[Skill], reserved: Set[str] = frozenset()) -> Mapping[str, str]:
    """Name of a skill -> its command, for those that a person may start.

    Args:
        reserved: names and aliases of the program's own commands.
    """
    taken = {one.casefold() for one in reserved}
    names: dict[str, str] = {}
    for skill in skills:
        if skill.invocation.by_person:
            names[skill.name] = _free(slash_name(skill.name), taken)
            taken.add(names[skill.name])
    return names


def _free(base: str, taken: Set[str]) -> str:
    number, name = 1, base
    while name in taken:
        number += 1
        ending = f"_{number}"
        name = f"{base[: _LONGEST - len(ending)]}{ending}"
    return name


def command_description(skill: Skill, language: Language) -> str:
    """For a menu: one line of at most `MOST_DESCRIPTION` characters."""
    text = shown_words(skill, language).description
    return text if len(text) <= MOST_DESCRIPTION else f"{text[: MOST_DESCRIPTION - 1]}…"


def same_name(name: str) -> str:
    """What two names have in common that differ in case, blanks, dashes and underscores."""
    return _SAME.sub("-", name.strip().casefold())
