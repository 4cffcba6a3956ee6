"""Whether an answer may leave by the channel it came from: the verdict of every outgoing reply.

    gate = ReplyGate(approvals, presence, shown, tell)
    words = Words(text, labels, said, "Ada (7)", "telegram", language)
    if gate.asks(words):
        text = await gate.asked(words)      # after the owner's yes; else a short honest reply
    else:
        text = gate.unasked(words)          # at once

A channel is a way out of this computer. In a conversation of others an answer is text and nothing
else (`outgoing_words`); when words of the owner's are in it too, memories, files, plans, the owner
sees on a card what would go out and to whom. Where nobody can be asked it does not go out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from moltbot_desktop.agent.provenance import taint_in_words
from moltbot_desktop.core.events import ApprovalRequested, ApprovalResolved, RunEvent
from moltbot_desktop.core.i18n import Language, Phrases, in_one_line
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.outgoing_words import without_new_links
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.approvals import Answer, Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Decision, Place, Presence, Situation, decide
from moltbot_desktop.sessions.entries import ToolResultEntry, TranscriptEntry, UserEntry

MOST_SHOWN = 16_000
"""Characters that a card shows whole. What the owner cannot read nobody sends."""
_TITLE = 160

PHRASES = Phrases(
    english={
        "title": "send this answer to {to} by {channel}: “{text}”",
        "reason": "What you told me, or what is on this computer, may be in this answer.",
        "files_title": "send {to} by {channel}: {files}",
        "files_reason": "It is a file of this computer, and an answer on a channel names it.",
        "files_kept_back": "(I sent no file: my owner has not said yes to it.)",
        "kept_back": "I may not pass that on: it may hold private things, and my owner has not"
        " said yes to it.",
    },
    chinese={
        "title": "通过 {channel} 把这个回答发给 {to}：“{text}”",
        "reason": "这个回答里可能有你告诉我的事或这台电脑上的内容。",
        "files_title": "通过 {channel} 发给 {to}：{files}",
        "files_reason": "这是这台电脑上的文件，渠道上的一个回答里提到了它。",
        "files_kept_back": "（没有发送文件：主人还没有同意。）",
        "kept_back": "这个我不能转告：里面可能有私人内容，主人还没有同意。",
    },
)


@dataclass(frozen=True)
class Words:
    """An answer on its way out.

    Attributes:
        labels: of the conversation that it was made in.
        said: what people wrote there and what tools found; asked for when it matters.
        to: who gets it, as a person knows them.
        language: of whoever gets it.
        session: the conversation; None where no file may go along.
    """

    text: str
    labels: Labels
    said: Callable[[], Iterable[str]]
    to: str
    channel: str
    language: Language
    session: SessionKey | None = None


def verdict(labels: Labels, presence: Presence) -> Decision:
    """Of a reply out of a conversation with those labels.

    Args:
        presence: of the owner; `NOBODY` for a job, which says itself where its answer goes.
    """
    return decide(Situation(Effect.REPLY, Place.NONE, labels, presence)).decision


def plain(words: Words) -> str:
    """What may go out of `words` without a yes: all of it, or its text alone."""
    if not words.labels.untrusted:
        return words.text
    return without_new_links(words.text, words.said(), words.language)


def heard_in(entries: Iterable[TranscriptEntry]) -> Iterator[str]:
    """What people said in a conversation, and what tools found."""
    for entry in entries:
        if isinstance(entry, UserEntry):
            yield entry.text
        elif isinstance(entry, ToolResultEntry):
            yield entry.message.content


@dataclass(frozen=True)
class ReplyGate:
    """Lives on the agent's event loop.

    Attributes:
        presence: whether the owner sits at a window of this process.
        shown: in whose view a card is shown.
        tell: the windows.
        language: of the owner.
    """

    approvals: Approvals
    presence: Presence
    shown: Callable[[], SessionKey]
    tell: Callable[[RunEvent], None]
    language: Language

    def asks(self, words: Words) -> bool:
        """Whether the owner has to be asked."""
        return bool(words.text) and self._decision(words) is Decision.ASK

    def free(self, words: Words) -> bool:
        """Whether it may go out as it is, but for its links."""
        return self._decision(words) is Decision.AUTO

    def unasked(self, words: Words) -> str:
        """What goes out when nobody is asked."""
        if self._decision(words) is Decision.AUTO or not words.text:
            return plain(words)
        return PHRASES.say("kept_back", words.language)

    async def asked(self, words: Words) -> str:
        """What goes out after the owner was asked, or did not answer in time."""
        text = plain(words)
        if await self._yes(words, text):
            return text
        return PHRASES.say("kept_back", words.language)

    def _decision(self, words: Words) -> Decision:
        decision = verdict(words.labels, self.presence)
        too_long = decision is Decision.ASK and len(words.text) > MOST_SHOWN
        return Decision.DENY if too_long else decision

    async def files_may_go(self, words: Words, names: Sequence[str]) -> bool:
        """Whether files may go along with an answer; the owner is asked where the policy says so.

        Args:
            names: as a person reads them, with their sizes.
        """
        situation = Situation(Effect.SEND_FILE, Place.WORKSPACE, words.labels, self.presence)
        decision = decide(situation).decision
        if decision is not Decision.ASK:
            return decision is Decision.AUTO
        slots = {"to": words.to, "channel": words.channel, "files": ", ".join(names)}
        title = PHRASES.say("files_title", self.language, **slots)
        return await self._card(words, Effect.SEND_FILE, title, "files_reason", slots)

    async def _yes(self, words: Words, text: str) -> bool:
        line = " ".join(text.split())
        line = line if len(line) <= _TITLE else f"{line[:_TITLE]}…"
        slots = {"to": words.to, "channel": words.channel, "text": line}
        title = PHRASES.say("title", self.language, **slots)
        return await self._card(words, Effect.REPLY, title, "reason", {**slots, "text": text})

    async def _card(
        self, words: Words, effect: Effect, title: str, why: str, arguments: JsonObject
    ) -> bool:
        card, session = self.approvals.open(title), self.shown()
        run_id = RunId(f"reply-{card}")
        taint = taint_in_words(words.labels, self.language)
        reason = in_one_line(taint, PHRASES.say(why, self.language))
        self.tell(ApprovalRequested(run_id, session, 1, card, effect, arguments, title, reason))
        answer = Answer(False, "cancel")
        try:
            answer = await self.approvals.wait(card)
        finally:
            self.tell(ApprovalResolved(run_id, session, 2, card, answer.allowed, answer.by))
        return answer.allowed
