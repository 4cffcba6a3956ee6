"""Skills in working memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from moltbot_desktop.core.errors import MoltbotError, SkillInvalid, UserInputInvalid
from moltbot_desktop.sdk.skills_desk import (
    Added,
    Lack,
    Need,
    NeedKind,
    SkillLine,
    SkillOffer,
    SkillOrigin,
    SkillSheet,
    SkillShelf,
    SkillState,
    TakenOut,
)

TEXT = "---\nname: {name}\ndescription: What it does.\n---\n# {name}\n\nCall `read`.\n"


def line(
    name: str,
    state: SkillState = SkillState.READY,
    origin: SkillOrigin = SkillOrigin.BUNDLED,
    description: str = "What it does, and when it helps.",
) -> SkillLine:
    """A skill that stands so."""
    folder = Path("/skills") / name
    outside = origin is not SkillOrigin.BUNDLED
    waits = state in (SkillState.NEW, SkillState.CHANGED)
    return SkillLine(
        str(folder / "SKILL.md"),
        name,
        description,
        state,
        origin,
        folder,
        key=name,
        content_hash=f"hash of {name}",
        trusted=not waits and state is not SkillState.BROKEN,
        by_word=outside and not waits,
        command=name.replace("-", "_"),
    )


def lacking(name: str, *programs: str) -> SkillLine:
    """A skill that needs programs which are not there."""
    lack = Lack(f"these programs are not installed: {', '.join(programs)}", "Install.", programs)
    return replace(line(name, SkillState.NEEDS), lacks=(lack,))


class FakeSkillsDesk:
    """Promises what `sdk.skills_desk.SkillsDesk` does.

    Attributes:
        lines: how they stand.
        sheets: what is found in one, by id; a plain one where nothing is said.
        offered: what the next look into a folder or a zip finds; () refuses it.
        taken: what was taken out and is kept, by name.
        refusal: raised instead of anything, None for nothing.
    """

    def __init__(self, *lines: SkillLine) -> None:
        self.lines = list(lines)
        self.sheets: dict[str, SkillSheet] = {}
        self.offered: tuple[SkillOffer, ...] = ()
        self.taken: dict[str, SkillLine] = {}
        self.asked: list[Path] = []
        self.refusal: MoltbotError | None = None

    def look(self) -> SkillShelf:
        self._may()
        return SkillShelf(tuple(self.lines), Path("/home/ada/.moltbot/workspace/skills"))

    def sheet(self, skill: str) -> SkillSheet:
        found = self._line(skill)
        need = tuple(
            Need(NeedKind.PROGRAM, name, there=False) for one in found.lacks for name in one.names
        )
        plain = SkillSheet(TEXT.format(name=found.name), ("SKILL.md",), need, tools=("read",))
        return self.sheets.get(skill, plain)

    def switch(self, skill: str, *, on: bool) -> None:
        found = self._line(skill)
        self._put(replace(found, state=SkillState.READY if on else SkillState.OFF))

    def trust(self, skill: str, content_hash: str) -> None:
        found = self._line(skill)
        if found.content_hash != content_hash:
            raise SkillInvalid("It is being changed right now.", hint="Look at it again.")
        self._put(replace(found, state=SkillState.READY, trusted=True, by_word=True))

    def untrust(self, skill: str) -> None:
        found = self._line(skill)
        self._put(replace(found, state=SkillState.NEW, trusted=False, by_word=False))

    def offers(self, source: Path) -> tuple[SkillOffer, ...]:
        self._may()
        self.asked.append(source)
        if not self.offered:
            raise SkillInvalid(f"There is no SKILL.md in {source}.", hint="Give another folder.")
        return self.offered

    def put_in(self, offer: str) -> Added:
        self._may()
        [found] = [one for one in self.offered if one.id == offer]
        made = line(found.name, SkillState.NEW, SkillOrigin.MANAGED, found.description)
        before = next((one for one in self.lines if one.id == made.id), None)
        if before is None:
            self.lines.append(made)
            return Added(made.id, made.name)
        self.taken[made.name] = before
        self._put(made)
        return Added(made.id, made.name, TakenOut(made.name, SkillOrigin.MANAGED))

    def take_back(self, added: Added) -> None:
        self.lines.remove(self._line(added.id))
        if added.before is not None:
            self.bring_back(added.before)

    def remove(self, skill: str) -> TakenOut:
        found = self._line(skill)
        self.lines.remove(found)
        self.taken[found.name] = found
        return TakenOut(found.name, found.origin)

    def bring_back(self, taken: TakenOut) -> str:
        self._may()
        found = self.taken.pop(taken.name)
        self.lines.append(found)
        return found.id

    def _line(self, skill: str) -> SkillLine:
        self._may()
        found = next((one for one in self.lines if one.id == skill), None)
        if found is None:
            raise UserInputInvalid("This skill is not there any more.")
        return found

    def _put(self, line: SkillLine) -> None:
        self.lines = [line if one.id == line.id else one for one in self.lines]

    def _may(self) -> None:
        if self.refusal is not None:
            raise self.refusal
