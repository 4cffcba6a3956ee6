"""The variables that programs get for one run, because skills of that run ask for them.

    environment = skill_environment(view.usable, entries, keys, os.environ)
    environment.variables          # for the programs a tool starts; never put into our own process
    environment.hidden(text)       # the same text without the secret ones among the values

The reference puts the variables into its own environment and takes them out after the run, so that
two runs at once see each other's keys. Here they are a value that a run carries. What is set
already stays as it is: the variables of the process come before those of the settings, and of two
skills that want the same one the first counts.

A variable that a skill needs is in the mapping also where the process has it: a tool may start
programs with nothing but this mapping, and they still find what their skill asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.skills.discovery import Skill
from moltbot_desktop.skills.eligibility import SkillEntry

_SECRET_NAME = re.compile(
    r"token|secret|passw|passphrase|credential|(?:^|_)key(?:_|$)|apikey", re.IGNORECASE
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHORTEST_HIDDEN = 6
"""Characters; a shorter value stands in too many texts by chance."""


@dataclass(frozen=True)
class SkillEnvironment:
    """What `skill_environment` found.

    Attributes:
        variables: by name; no value is empty.
        secret: names of those whose values may not be shown.
    """

    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    secret: frozenset[str] = frozenset()

    def hidden(self, text: str) -> str:
        """`text` with the name of a secret variable in place of its value."""
        for value, name in self._values():
            text = text.replace(value, f"[{name}]")
        return text

    def hidden_in(self, value: JsonValue) -> JsonValue:
        """`value` with every text in it `hidden`."""
        if isinstance(value, str):
            return self.hidden(value)
        if isinstance(value, Mapping):
            return {name: self.hidden_in(one) for name, one in value.items()}
        return [self.hidden_in(one) for one in value] if isinstance(value, list) else value

    def _values(self) -> list[tuple[str, str]]:
        """Longest first: a value may be a part of another one."""
        known = ((self.variables[name], name) for name in self.secret)
        return sorted(
            (one for one in known if len(one[0]) >= _SHORTEST_HIDDEN),
            key=lambda one: (-len(one[0]), one[1]),
        )


def skill_environment(
    skills: Iterable[Skill],
    entries: Mapping[str, SkillEntry],
    keys: Mapping[str, str],
    process: Mapping[str, str],
) -> SkillEnvironment:
    """The variables of a run that may use `skills`.

    Args:
        skills: those it may use; others get nothing.
        entries: what the settings say, by skill key.
        keys: the value of ``apiKey`` by skill key, where there is one.
        process: the variables that are set already.
    """
    variables: dict[str, str] = {}
    secret: set[str] = set()
    for skill in skills:
        entry = entries.get(skill.key) or SkillEntry()
        primary = skill.metadata.primary_env
        wanted = dict(entry.env)
        wanted.setdefault(primary, "")
        wanted[primary] = wanted[primary] or keys.get(skill.key, "")
        wanted |= {name: wanted.get(name, "") for name in skill.metadata.requires.env}
        for name, given in wanted.items():
            value = process.get(name) or given
            if not value or not _NAME.fullmatch(name) or "\0" in value:
                continue
            variables.setdefault(name, value)
            if name == primary or _SECRET_NAME.search(name):
                secret.add(name)
    return SkillEnvironment(MappingProxyType(variables), frozenset(secret))


NO_ENVIRONMENT = SkillEnvironment()
