"""What is written down of a run beside its words: who answered, what the prompt was made of, and
what became of each call.

Kept in the transcript in entries of their own, so that a past run can be looked at, and told anew
with another model (`sdk.activity`). Sizes and digests alone: the words of a prompt stay where they
are, in the conversation, in memory, in a skill's file.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

_DIGEST_BYTES = 8


@dataclass(frozen=True)
class PromptPiece:
    """A part of a prompt.

    Attributes:
        name: of the segment: persona, skills, tools, history ...
        characters: how long it was.
        digest: `text_digest` of it; "" for what is another one in each prompt.
    """

    name: str
    characters: int
    digest: str = ""


@dataclass(frozen=True)
class RunFacts:
    """How a run began. All of it is "" or 0 where nobody wrote it down.

    Attributes:
        model: as `ModelInfo.name` has it.
        window: tokens of its context.
        style: how much of a prompt it reads: ``full`` or ``command``.
        thinking: as in `GenerationRequest`.
        temperature: as in `GenerationRequest`.
        channel: where the request came from; ``desktop`` for the window and the terminal.
        presence: whether somebody could answer a card.
        pieces: of its first prompt, in their order.
    """

    model: str = ""
    window: int = 0
    style: str = ""
    thinking: str = ""
    temperature: float = 0.0
    channel: str = ""
    presence: str = ""
    pieces: tuple[PromptPiece, ...] = ()


NOT_NOTED = RunFacts()


@dataclass(frozen=True)
class Ruling:
    """Whether a call was allowed.

    Attributes:
        decision: the policy's: auto, ask or deny; "" where it was not asked, because the call was
            wrong or an extension or the settings forbid it.
        rule: the policy's.
        by: who said yes or no, as in the book of permissions: policy, owner, grant ID, expiry ...
    """

    decision: str = ""
    rule: str = ""
    by: str = ""


NO_RULING = Ruling()


@dataclass(frozen=True)
class CallFacts:
    """What became of one call.

    Attributes:
        outcome: ok, failed, denied, unavailable or not_run; "" where nobody wrote it down.
        seconds: how long it took, waiting for the owner included.
        question: what the tool asked the person in place of an answer.
        skill: whose SKILL.md the call read, "" for none.
        version: the beginning of that skill's content hash.
    """

    outcome: str = ""
    ruling: Ruling = NO_RULING
    seconds: float = 0.0
    question: str = ""
    skill: str = ""
    version: str = ""


NO_FACTS = CallFacts()


def text_digest(text: str) -> str:
    """16 hex digits by which it is seen whether a part of a prompt is what it was."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST_BYTES).hexdigest()
