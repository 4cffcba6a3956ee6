"""What a command is: its names, what may follow it, who may use it, and its line of help."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from moltbot_desktop.core.i18n import Language


class Who(IntEnum):
    """Who may use a command; each may also what those before it may."""

    CONTACT = 1
    """Anybody who is on a channel's allow list."""
    OWNER = 2
    """The person at this computer."""


class Topic(StrEnum):
    """The part of the list that a command stands in."""

    CONVERSATION = "conversation"
    ANSWERS = "answers"
    MEMORY = "memory"
    SHOWS = "shows"
    MANAGES = "manages"
    EXTENSIONS = "extensions"
    """Of plugins and skills (`further`)."""


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        name: without the slash; lower-case.
        english, chinese: one line of help.
        chinese_names: aliases for who writes Chinese, the first of them shown in the help.
        arguments: what may follow, as the help shows it; "" when nothing may, and a name with
            words behind it is then no command.
        lines: what follows may have several lines; otherwise only the first counts.
        switch: the setting below `commands` that must be true; until then nobody sees it.
        directive: it may also stand inside a message that says more.
        built: False when its feature is not in this build, which the answer says.
        heeded: False when what it sets is kept and nothing acts on it yet, which is said too.
        by_hand: it answers cards or changes what is asked about, so no program may give it.
    """

    name: str
    topic: Topic
    english: str
    chinese: str
    aliases: tuple[str, ...] = ()
    chinese_names: tuple[str, ...] = ()
    arguments: str = ""
    lines: bool = False
    who: Who = Who.CONTACT
    switch: str = ""
    directive: bool = False
    built: bool = True
    heeded: bool = True
    by_hand: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All that may stand behind the slash."""
        return (self.name, *self.aliases, *self.chinese_names)

    def help_line(self, language: Language) -> str:
        chinese = language is Language.CHINESE
        name = f"/{self.name}"
        if chinese and self.chinese_names:
            name = f"/{self.chinese_names[0]}（{name}）"
        form = f"{name} {self.arguments}".rstrip()
        return f"{form} — {self.chinese if chinese else self.english}"
