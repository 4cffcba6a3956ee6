"""Old results of tools made shorter in the prompt; the transcript keeps them whole.

    lighter = pruned(exchanges, Pruning(Softness.SOFT, before="e17", keep=128), tokens_of)

A soft cut keeps the head and the tail of a long result, a hard one leaves a line in its place. What
belongs to the last answers is never touched, and nothing before the first request is, since
an exchange begins with one. Where pruning ends is part of the conversation's state and moves only
when the window is full again: every move makes the model read what follows anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.security.tool_names import matches, normalised
from moltbot_desktop.sessions.runs import Exchange

CLEARED = "[Old tool result content cleared]"
_GAP = "\n…({cut} characters left out)…\n"


class Softness(IntEnum):
    """How much of an old result is left."""

    NONE = 0
    SOFT = 1
    HARD = 2


@dataclass(frozen=True)
class PruningRules:
    """What the settings say about old results.

    Attributes:
        kept_answers: of the assistant, whose results are not shortened.
        allow, deny: tools whose results may be shortened, expanded (`security.tool_names`); empty
            allow is all, deny wins.
        clears: whether a result may be left out altogether; `placeholder` stands for it then.
    """

    kept_answers: int = 3
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    clears: bool = True
    placeholder: str = CLEARED

    def cover(self, tool: str) -> bool:
        """Whether results of `tool` may be shortened."""
        name = normalised(tool)
        return not matches(name, self.deny) and (not self.allow or matches(name, self.allow))


@dataclass(frozen=True)
class Pruning:
    """What a conversation's prompts leave out: results in the exchanges before the one whose first
    entry is `before`. It holds its own measure, so that old results look the same in each prompt
    however the room changes: about `keep` tokens are left of one."""

    softness: Softness = Softness.NONE
    before: str = ""
    keep: int = 0
    rules: PruningRules = field(default_factory=PruningRules)


def border(exchanges: Sequence[Exchange], kept_answers: int) -> str:
    """The first entry's id of the oldest exchange that must stay whole: it, and those after it,
    hold the last `kept_answers` messages of the assistant. "" when nothing is old enough."""
    answers = 0
    for number in range(len(exchanges) - 1, -1, -1):
        answers += sum(m.role is Role.ASSISTANT for m in exchanges[number].messages)
        if answers >= max(1, kept_answers):
            return exchanges[number].first_entry_id if number else ""
    return ""


def pruned(
    exchanges: Sequence[Exchange], pruning: Pruning, tokens_of: Callable[[ChatMessage], int]
) -> tuple[Exchange, ...]:
    """`exchanges` with old results shortened."""
    ids = [one.first_entry_id for one in exchanges]
    if pruning.softness is Softness.NONE or pruning.before not in ids:
        return tuple(exchanges)
    end = ids.index(pruning.before)
    shorter = (_pruned(one, pruning, tokens_of) for one in exchanges[:end])
    return (*shorter, *exchanges[end:])


def _pruned(one: Exchange, how: Pruning, tokens_of: Callable[[ChatMessage], int]) -> Exchange:
    return replace(
        one,
        messages=tuple(
            shortened(message, how.softness, tokens_of(message), how.keep, how.rules.placeholder)
            if message.role is Role.TOOL and how.rules.cover(message.tool_name)
            else message
            for message in one.messages
        ),
    )


def shortened(
    message: ChatMessage, softness: Softness, tokens: int, keep: int, placeholder: str = CLEARED
) -> ChatMessage:
    """A tool's result with about `keep` of its `tokens` left; as it is when it has no more."""
    if softness is Softness.HARD:
        short = len(message.content) <= len(placeholder)
        return message if short else replace(message, content=placeholder)
    return replace(message, content=head_and_tail(message.content, tokens, keep))


def head_and_tail(text: str, tokens: int, keep: int) -> str:
    """The beginning and the end of a text that costs `tokens`, about `keep` tokens together."""
    if tokens <= keep:
        return text
    half = max(1, len(text) * keep // (2 * tokens))
    cut = len(text) - 2 * half
    gap = _GAP.format(cut=cut)
    return text if cut <= len(gap) else text[:half] + gap + text[-half:]
