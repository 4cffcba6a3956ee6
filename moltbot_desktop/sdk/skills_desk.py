"""What the window shows and changes of skills: how each stands, trust, adding, taking out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class SkillState(StrEnum):
    """What of a skill a person sees first; of several that are true, the first here."""

    BROKEN = "broken"
    """It cannot be read."""
    OFF = "off"
    """Switched off in the settings."""
    NEW = "new"
    """Not used before its owner has said that they trust it."""
    CHANGED = "changed"
    """Not the one any more that its owner trusted."""
    NEEDS = "needs"
    """Something is missing; `SkillLine.lacks` says what."""
    READY = "ready"


class SkillOrigin(StrEnum):
    """Where a skill comes from."""

    BUNDLED = "bundled"
    """It came with the program."""
    MANAGED = "managed"
    """It was added, and lies in the program's folder."""
    WORKSPACE = "workspace"
    """It lies in the assistant's own folder, where the owner writes as well."""
    EXTRA = "extra"
    """It lies in a folder that the settings name."""
    PLUGIN = "plugin"


@dataclass(frozen=True)
class Lack:
    """Something that keeps a skill from being used, apart from trust and the switch.

    Attributes:
        words: a clause without a full stop, in the window's language.
        advice: what to do about it, in whole sentences.
        names: what is missing, such as programs; () where it is nothing with a name.
    """

    words: str
    advice: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkillLine:
    """A skill in the list.

    Attributes:
        id: the path of its SKILL.md.
        description: one line about it; "" for one that cannot be read.
        folder: where it lies.
        key: its name in the settings of skills; "" for one that cannot be read.
        content_hash: of all files in its folder; what is trusted is this.
        trusted: its owner said yes to it as it is now, or it came with the program.
        by_word: a yes of the owner's that can be taken back.
        command: what starts it in the chat, without the slash; "" for nothing.
        by_model: the model may choose it by itself.
        title: what it is called in the window's language; "" for its name.
    """

    id: str
    name: str
    description: str
    state: SkillState
    origin: SkillOrigin
    folder: Path
    lacks: tuple[Lack, ...] = ()
    key: str = ""
    content_hash: str = ""
    trusted: bool = False
    by_word: bool = False
    command: str = ""
    by_model: bool = True
    title: str = ""

    @property
    def shown_name(self) -> str:
        return self.title or self.name

    @property
    def removable(self) -> bool:
        """It was added, or is the owner's own: taken out, it is kept and can come back."""
        mine = self.origin in (SkillOrigin.MANAGED, SkillOrigin.WORKSPACE)
        return mine and self.state is not SkillState.BROKEN

    @property
    def waits(self) -> bool:
        """For its owner to look at it and say that they trust it."""
        return self.state in (SkillState.NEW, SkillState.CHANGED)


class NeedKind(StrEnum):
    """What a skill needs."""

    PROGRAM = "program"
    ONE_PROGRAM = "one_program"
    """One of several programs: the name holds all of them."""
    VARIABLE = "variable"
    SETTING = "setting"
    SYSTEM = "system"


@dataclass(frozen=True)
class Need:
    """Something a skill needs, and whether it is there."""

    kind: NeedKind
    name: str
    there: bool


@dataclass(frozen=True)
class Doubt:
    """What the scanner found.

    Attributes:
        place: the file in the skill's folder, with the line, as in ``SKILL.md:12``.
        word: how bad it is, in one word of the window's language.
        words: a whole sentence.
        danger: nobody honest needs that.
    """

    place: str
    word: str
    words: str
    danger: bool


@dataclass(frozen=True)
class SkillSheet:
    """A skill looked into.

    Attributes:
        text: its SKILL.md as it is written, at most `MOST_TEXT` characters of it.
        files: all files in its folder, by path inside it.
        needs: what it says that it needs.
        ways: commands of a shell by which a person gets the programs it needs; never run by us.
        tools: tools that its text tells the model to call.
        tool: where its command goes straight to; "" for the model.
        doubts: the worst first.
        changes: what is other than when it was trusted, as a diff; "" for nothing.
    """

    text: str
    files: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()
    ways: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    tool: str = ""
    doubts: tuple[Doubt, ...] = ()
    changes: str = ""

    @property
    def danger(self) -> bool:
        return any(one.danger for one in self.doubts)


MOST_TEXT = 100_000
"""Characters of a SKILL.md that are shown."""


@dataclass(frozen=True)
class SkillShelf:
    """All skills of the assistant.

    Attributes:
        lines: by the names that are shown, as people count.
        workspace: the folder for the owner's own.
    """

    lines: tuple[SkillLine, ...]
    workspace: Path


@dataclass(frozen=True)
class SkillOffer:
    """A skill that could be added; nothing of it was written or run.

    Attributes:
        id: for `SkillsDesk.put_in`.
        files: how many it has.
        doubts: as of `SkillSheet`.
        replaces: one of that name was added before; it is kept and can come back.
        same: exactly this one is there already.
    """

    id: str
    name: str
    description: str
    files: int
    doubts: tuple[Doubt, ...] = ()
    replaces: bool = False
    same: bool = False

    @property
    def danger(self) -> bool:
        return any(one.danger for one in self.doubts)


@dataclass(frozen=True)
class TakenOut:
    """A skill, or the version before of one, that is kept and can come back."""

    name: str
    origin: SkillOrigin


@dataclass(frozen=True)
class Added:
    """A skill that was added.

    Attributes:
        id: of its line now.
        before: what it took the place of, None for nothing.
        hidden: another of that name counts more, and stands in the list instead.
    """

    id: str
    name: str
    before: TakenOut | None = None
    hidden: bool = False


class SkillsDesk(Protocol):
    """Reads and writes files; not for the main thread. Every method may raise StorageError."""

    def look(self) -> SkillShelf:
        """How all of them stand now: a skill that was laid into a folder is there by itself."""
        ...

    def sheet(self, skill: str) -> SkillSheet:
        """Look into the skill with that id.

        Raises:
            UserInputInvalid: it is gone.
        """
        ...

    def switch(self, skill: str, *, on: bool) -> None:
        """Write into the settings whether it may be used.

        Raises:
            UserInputInvalid: it is gone.
            ConfigInvalid: the settings cannot be written.
        """
        ...

    def trust(self, skill: str, content_hash: str) -> None:
        """The owner looked at it as it was with that hash and says yes.

        Raises:
            UserInputInvalid: it is gone.
            SkillInvalid: it is another one by now.
        """
        ...

    def untrust(self, skill: str) -> None:
        """Take the yes back.

        Raises:
            UserInputInvalid: it is gone.
        """
        ...

    def offers(self, source: Path) -> tuple[SkillOffer, ...]:
        """The skills in a folder or a zip, looked through; at least one. The offers of the look
        before are gone.

        Raises:
            SkillInvalid: there is none in it, or what must not be unpacked.
        """
        ...

    def put_in(self, offer: str) -> Added:
        """Add what was offered. That says nothing about trust.

        Raises:
            UserInputInvalid: there is no such offer any more.
            SkillInvalid: another skill has its folder.
        """
        ...

    def take_back(self, added: Added) -> None:
        """Undo `put_in`: what it took the place of is there again.

        Raises:
            SkillInvalid: it is gone already.
        """
        ...

    def remove(self, skill: str) -> TakenOut:
        """Take a skill out that is `removable`.

        Raises:
            UserInputInvalid: it is gone.
            SkillInvalid: it came with the program or somebody else.
        """
        ...

    def bring_back(self, taken: TakenOut) -> str:
        """Undo `remove`; the id of its line.

        Raises:
            SkillInvalid: nothing is kept of it.
        """
        ...
