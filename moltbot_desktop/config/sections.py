"""From what the file says to checked parts of `Config`.

Pure: no disk, and no environment but what is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.config.agent_list import shared_folders
from moltbot_desktop.config.declaration import Conflict, Section, Setting
from moltbot_desktop.config.kinds import WrongInside, WrongValue
from moltbot_desktop.config.settings import Config, parts
from moltbot_desktop.config.structures import Found, find
from moltbot_desktop.config.substitute import MissingVariable, substitute
from moltbot_desktop.core.json import JsonObject, JsonValue


@dataclass(frozen=True)
class WrongSetting:
    """A value that does not fit: what was expected (`config.texts`) and what is there."""

    path: str
    expected: str
    slots: Mapping[str, object]
    found: JsonValue


@dataclass(frozen=True)
class UnsetVariable:
    path: str
    name: str


Mistake = WrongSetting | UnsetVariable


@dataclass(frozen=True)
class CheckedPart:
    """A part of `Config` as the file has it: its value, or the mistakes that make it unusable.

    Attributes:
        written: its settings as they stand in the file (by path inside the part), for the
            record of the last good state.
    """

    value: object
    mistakes: tuple[Mistake, ...]
    written: JsonObject


def check_part(attribute: str, raw: JsonObject, environment: Mapping[str, str]) -> CheckedPart:
    """Read what is `attribute` of `Config` out of the file `raw`."""
    part = parts()[attribute]
    written: dict[str, JsonValue] = {}
    values: dict[str, object] = {}
    mistakes: list[Mistake] = []
    for declared in part.settings:
        try:
            found = _find(raw, part.place(declared))
            if found is None:
                continue
            written[declared.path] = found.value
            values[declared.attribute] = _checked(declared, found, environment)
        except _Unusable as problem:
            if problem.mistake not in mistakes:  # one wrong group is found once per setting
                mistakes.append(problem.mistake)
    made = part.made(values)
    conflict = _conflict(made)
    if conflict is not None:
        at = next(one for one in part.settings if one.attribute == conflict.attribute)
        mistakes.append(
            WrongSetting(part.place(at), conflict.phrase, conflict.slots, written.get(at.path))
        )
    return CheckedPart(made, tuple(mistakes), written)


def _conflict(made: object) -> Conflict | None:
    return made.conflict() if isinstance(made, Section) else None


def mistakes_between(config: Config) -> list[Mistake]:
    """What does not go together of parts that fit by themselves."""
    known = {one.id.lower() for one in config.agents}
    named = [(f"bindings[{n}].agentId", one.agent_id) for n, one in enumerate(config.bindings)]
    for peer, agents in config.broadcast.peers.items():
        named += [(f"broadcast.{peer}[{n}]", agent) for n, agent in enumerate(agents)]
    slots = {"agents": ", ".join(one.id for one in config.agents)}
    mistakes: list[Mistake] = [
        WrongSetting(path, "known_agent", slots, agent)
        for path, agent in named
        if known and agent.strip().lower() not in known
    ]
    for number, entry in enumerate(config.agents):
        first = entry.id == config.default_agent
        if not first and entry.workspace and entry.workspace == config.agent.workspace:
            path = f"agents.list[{number}].workspace"
            usual = {"other": config.default_agent}
            mistakes.append(WrongSetting(path, "usual_workspace", usual, str(entry.workspace)))
    for place, other, folder in shared_folders(config.agents):
        phrase = f"same_{place.rpartition('.')[2]}"
        mistakes.append(WrongSetting(f"agents.list{place}", phrase, {"other": other.id}, folder))
    return mistakes


def part_from_record(attribute: str, record: JsonObject, environment: Mapping[str, str]) -> object:
    """The part as an earlier `CheckedPart.written` has it; settings that no longer fit get
    their defaults."""
    part = parts()[attribute]
    values: dict[str, object] = {}
    for declared in part.settings:
        if declared.path in record:
            found = Found(declared.path, record[declared.path])
            try:
                values[declared.attribute] = _checked(declared, found, environment)
            except _Unusable:
                continue
    made = part.made(values)
    return made if _conflict(made) is None else part.default


class _Unusable(Exception):
    def __init__(self, mistake: Mistake) -> None:
        super().__init__(mistake)
        self.mistake = mistake


def _checked(declared: Setting, found: Found, environment: Mapping[str, str]) -> object:
    try:
        return declared.kind.check(substitute(found.value, found.path, environment))
    except WrongInside as wrong:
        place = f"{found.path}{wrong.place}"
        mistake = WrongSetting(place, wrong.phrase, wrong.slots, wrong.found)
        raise _Unusable(mistake) from wrong
    except WrongValue as wrong:
        mistake = WrongSetting(found.path, wrong.phrase, wrong.slots, found.value)
        raise _Unusable(mistake) from wrong
    except MissingVariable as missing:
        raise _Unusable(UnsetVariable(missing.path, missing.name)) from missing


def _find(raw: JsonObject, path: str) -> Found | None:
    try:
        return find(raw, path)
    except WrongInside as wrong:
        mistake = WrongSetting(wrong.place, wrong.phrase, wrong.slots, wrong.found)
        raise _Unusable(mistake) from wrong
