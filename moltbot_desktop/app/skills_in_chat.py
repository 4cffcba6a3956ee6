"""`/skill` in the chat: which skills there are, and trust given and taken back by hand.

What looks dangerous, or is not as it was trusted, is shown first; "anyway" is a yes to what was
shown, by its hash, and to nothing that took its place since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.app.room_skills import skills_named
from moltbot_desktop.core.errors import PolicyDenied
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.commands.ports import SkillName, Trusted
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.skills.book import SkillBook
from moltbot_desktop.skills.eligibility import Gate
from moltbot_desktop.skills.scan_rules import Severity
from moltbot_desktop.skills.scanner import finding_words, read_files, scan
from moltbot_desktop.skills.shown import shown_words

_PHRASES = Phrases(
    english={
        "skill_kept_out": "the settings of this conversation leave it out",
        "no_hand": "What is piped in cannot say that a skill is trusted.",
        "no_hand_do": "In a shell: moltbot-desktop skills trust NAME",
        "no_hand_back": "In a shell: moltbot-desktop skills untrust NAME",
    },
    chinese={
        "skill_kept_out": "这个对话的设置没有包括它",
        "no_hand": "从管道读入的内容不能表示信任某个技能。",
        "no_hand_do": "请在命令行输入：moltbot-desktop skills trust 名称",
        "no_hand_back": "请在命令行输入：moltbot-desktop skills untrust 名称",
    },
)
_MOST_DOUBTS = 12


@dataclass(frozen=True)
class SkillsInChat:
    """`gateway.commands.ports.Skills` over the skills there are.

    Attributes:
        by_hand: a person types the commands; not what is piped in.
        raw: the settings as they are written, for what a conversation may use.
    """

    book: SkillBook
    in_thread: InThread
    raw: Callable[[], JsonObject]
    by_hand: bool
    _shown: dict[Path, str] = field(default_factory=dict)
    """Hash of each folder whose dangers or changes the owner was shown."""

    async def skills(self, session: SessionKey, language: Language) -> Sequence[SkillName]:
        named = skills_named(self.raw(), session)
        kept_out = _PHRASES.say("skill_kept_out", language)
        view = await self.in_thread(self.book.view)
        return tuple(
            SkillName(
                one.skill.name,
                shown_words(one.skill, language).description,
                one.report.words(language)
                or ("" if named is None or one.skill.name in named else kept_out),
                advice=one.report.advice(language),
                waits=one.waits,
                location=str(one.skill.location),
                tool=one.skill.invocation.tool,
                by_person=one.skill.invocation.by_person,
            )
            for one in view.standings
        )

    async def trust(self, name: str, language: Language, *, anyway: bool) -> Trusted | None:
        book = self.book
        if not self.by_hand:
            say = _PHRASES.say
            raise PolicyDenied(say("no_hand", language), hint=say("no_hand_do", language))

        def trusted() -> Trusted | None:
            standing = book.view().standing(name)
            if standing is None or not standing.waits:
                return None
            skill = standing.skill
            changes = book.trust.changes(skill, language)
            found = scan(read_files(skill.folder))
            danger = found.worst is Severity.HIGH
            seen = self._shown.pop(skill.folder, "") == skill.content_hash
            if (danger or standing.report.has(Gate.CHANGED)) and not (anyway and seen):
                self._shown[skill.folder] = skill.content_hash
                doubts = (f"{one.place}: {finding_words(one, language)}" for one in found.findings)
                told = tuple(doubts)[:_MOST_DOUBTS] if danger else ()
                return Trusted(skill.name, changes, told, waits=True)
            book.trust.trust(skill, language)
            return Trusted(skill.name, changes)

        return await self.in_thread(trusted)

    async def untrust(self, name: str, language: Language) -> str | None:
        book = self.book
        if not self.by_hand:
            say = _PHRASES.say
            raise PolicyDenied(say("no_hand", language), hint=say("no_hand_back", language))

        def withdrawn() -> str | None:
            standing = book.view().standing(name)
            if standing is None or not book.trust.withdraw(standing.skill):
                return None
            return standing.skill.name

        return await self.in_thread(withdrawn)
