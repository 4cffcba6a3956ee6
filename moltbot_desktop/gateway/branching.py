"""/regenerate, /edit and /branch: another answer, another question, another way back.

    branching = Branching(BranchPorts(transcript, settle, show))
    reply = await branching.answer(call)          # reply.turn: the words that are to run now

Nothing is lost by any of them: what was said before stays as a branch, and /branch lists them all
and turns to one. What goes on in the conversation is stopped first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply
from moltbot_desktop.sdk.attachments import parted
from moltbot_desktop.sessions.entries import UserEntry
from moltbot_desktop.sessions.transcript import Transcript
from moltbot_desktop.sessions.tree import Branch

COMMANDS = ("regenerate", "edit", "branch")
_SHOWN_CHARACTERS = 60
PHRASES = Phrases(
    english={
        "again": "Once more. The answer before stays: /branch turns back to it.",
        "edited": "Said differently. The old way stays: /branch turns back to it.",
        "nothing_said": "You have said nothing here yet.",
        "how_to_edit": "Write the new words behind it: /edit What I meant was …",
        "one_way": "This conversation went one way only. /edit and /regenerate begin another.",
        "ways": "This conversation went {count} ways:",
        "way": "{number}. {words} ({asked})",
        "here": "{number}. {words} ({asked}) ← here",
        "asked": "{count:message|messages}",
        "empty": "not a word yet",
        "how_to_turn": "/branch {number} turns to that one.",
        "no_such": "There is no branch {number} here. /branch lists them.",
        "turned": "We are back at: {words}",
        "already": "That is where we are.",
    },
    chinese={
        "again": "再回答一次。之前的回答还在，用 /branch 可以回去。",
        "edited": "换了个说法。之前的还在，用 /branch 可以回去。",
        "nothing_said": "你在这里还没有说过话。",
        "how_to_edit": "把新的话写在后面：/edit 我的意思是……",
        "one_way": "这个对话只有一条线。用 /edit 或 /regenerate 可以开出另一条。",
        "ways": "这个对话有 {count} 条分支：",
        "way": "{number}. {words}（{asked}）",
        "here": "{number}. {words}（{asked}）← 当前",
        "asked": "{count} 条消息",
        "empty": "还没有内容",
        "how_to_turn": "用 /branch {number} 转到那一条。",
        "no_such": "这里没有第 {number} 条分支。用 /branch 查看。",
        "turned": "回到了：{words}",
        "already": "现在就在这一条上。",
    },
)


@dataclass(frozen=True)
class BranchPorts:
    """Attributes:
    transcript: of an open conversation, as it stands now.
    settle: stops what goes on in a conversation; returns when its outcome is written.
    show: shows the conversation again, because it looks different now.
    """

    transcript: Callable[[SessionKey], Transcript]
    settle: Callable[[SessionKey], Awaitable[object]]
    show: Callable[[SessionKey], object]


class Branching:
    """Carries the three commands out."""

    def __init__(self, ports: BranchPorts) -> None:
        self._ports = ports

    async def answer(self, call: CommandCall) -> CommandReply:
        """Carry out one of `COMMANDS`.

        Raises:
            StorageError: the conversation stands where it stood.
        """
        match call.name:
            case "regenerate":
                return await self.say_again(call.session, call.language)
            case "edit":
                return await self.say_instead(call.session, call.rest, call.language)
            case _:
                return await self._turn(call)

    async def say_again(self, key: SessionKey, language: Language) -> CommandReply:
        """Let the last message be answered once more.

        Raises:
            StorageError: the conversation stands where it stood.
        """
        said = await self._before(key, "")
        if said is None:
            return _refused("nothing_said", language)
        return CommandReply(PHRASES.say("again", language), said.text)

    async def say_instead(
        self, key: SessionKey, words: str, language: Language, entry_id: str = ""
    ) -> CommandReply:
        """Say `words` in the place of an earlier message of the person, the last by default; its
        files stay with it.

        Raises:
            StorageError: the conversation stands where it stood.
        """
        if not words.strip():
            return _refused("how_to_edit", language)
        said = await self._before(key, entry_id)
        if said is None:
            return _refused("nothing_said", language)
        files = (file.line for file in parted(said.text)[1])
        return CommandReply(PHRASES.say("edited", language), "\n".join((words.strip(), *files)))

    async def _before(self, key: SessionKey, entry_id: str) -> UserEntry | None:
        await self._ports.settle(key)
        transcript = self._ports.transcript(key)
        said = [entry.id for entry in transcript.entries() if isinstance(entry, UserEntry)]
        if not said or (entry_id and entry_id not in said):
            return None
        entry = transcript.rewind(entry_id)
        self._ports.show(key)
        return entry

    async def _turn(self, call: CommandCall) -> CommandReply:
        transcript, language = self._ports.transcript(call.session), call.language
        branches = transcript.branches()
        if not call.rest.strip():
            return CommandReply(_listed(branches, language))
        typed = call.rest.strip()
        number = int(typed) if typed.isdecimal() and len(typed) < 7 else 0
        if not 0 < number <= len(branches):
            return _refused("no_such", language, number=call.rest.strip()[:_SHOWN_CHARACTERS])
        chosen = branches[number - 1]
        if chosen.current:
            return CommandReply(PHRASES.say("already", language))
        await self._ports.settle(call.session)
        transcript.branch(chosen.tip)
        self._ports.show(call.session)
        return CommandReply(PHRASES.say("turned", language, words=_words(chosen.last, language)))


def _refused(key: str, language: Language, **values: object) -> CommandReply:
    return CommandReply(PHRASES.say(key, language, **values), ok=False)


def _listed(branches: tuple[Branch, ...], language: Language) -> str:
    if len(branches) < 2:
        return PHRASES.say("one_way", language)
    lines = [PHRASES.say("ways", language, count=len(branches))]
    for number, branch in enumerate(branches, start=1):
        lines.append(
            PHRASES.say(
                "here" if branch.current else "way",
                language,
                number=number,
                words=_words(branch.last, language),
                asked=PHRASES.say("asked", language, count=branch.asked),
            )
        )
    other = next(n for n, branch in enumerate(branches, start=1) if not branch.current)
    return "\n".join([*lines, PHRASES.say("how_to_turn", language, number=other)])


def _words(text: str, language: Language) -> str:
    line = " ".join(text.split())
    if not line:
        return PHRASES.say("empty", language)
    return line if len(line) <= _SHOWN_CHARACTERS else line[: _SHOWN_CHARACTERS - 1] + "…"
