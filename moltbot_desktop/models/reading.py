"""Bringing the model's memory to a prompt, chunk by chunk.

    head = certain_head(prompt, "what is the wea")     # type-ahead: tokens that will stand
    yield from read(context, conversations, "session-1", tokens, check)

`read` yields wherever it can be left; whatever another job did to the memory in between is
repaired, because each round asks anew what the memory holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from types import MappingProxyType

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.models.conversations import Conversations
from moltbot_desktop.models.llama import LlamaContext
from moltbot_desktop.models.states import common_prefix
from moltbot_desktop.models.stop_flag import Interrupted
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.sdk.tools import ToolSpec

Steps = Generator[None, None, None]

# Scripts whose words are not kept apart by blanks: each character may be the last one.
_EAST = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_EASTERN = re.compile(f"[{_EAST}]")
# What may follow finished words; tokens that all of these share do not depend on it.
_CONTINUATIONS = (" a", "\n\nz", "  7")
_NO_VARIABLES: JsonObject = MappingProxyType({})


def read(
    context: LlamaContext,
    conversations: Conversations,
    conversation: str,
    tokens: list[int],
    check: Callable[[], None],
    progress: Callable[[int], None] | None = None,
    milestone: int = 0,
) -> Steps:
    """Bring the memory to exactly `tokens`, with logits for the last of them.

    Args:
        check: called before each evaluation; raises to end the reading.
        progress: told how many tokens are in memory after each evaluation.
        milestone: number of tokens at which the memory is worth keeping (`Conversations.mark`).
    """
    while True:
        check()
        conversations.enter(conversation, tokens)
        kept = context.align(tokens)
        end = min(kept + context.batch_tokens, len(tokens))
        if kept < milestone < end:
            end = milestone
        chunk = tokens[kept:end]
        if not chunk:
            return
        try:
            context.advance(chunk)
        except Interrupted:
            # Cancelled: the check of the next round ends it. Else a more urgent job came.
            yield
            continue
        if end == milestone:
            conversations.mark(conversation)
        if progress is not None:
            progress(end)
        if end == len(tokens):
            return
        yield


def next_beginning(
    context: LlamaContext,
    template: ChatTemplate,
    messages: Sequence[ChatMessage],
    tools: Sequence[ToolSpec],
    variables: JsonObject = _NO_VARIABLES,
) -> int:
    """Number of tokens in front of the newest request: the next turn's prompt begins with them.

    0 where nobody asks: a memory that can be cut back needs no milestone. `variables` as in
    `ChatTemplate.render`.
    """
    requests = [at for at, message in enumerate(messages) if message.role is Role.USER]
    if context.rewinds or not requests:
        return 0
    at = requests[-1]
    request = replace(messages[at], content="")
    said = (*messages[:at], request)
    return len(certain_head(context, template, said, tools, variables))


def prompt_tokens(context: LlamaContext, text: str) -> list[int]:
    """Tokens of a rendered prompt, with the BOS that the model wants.

    Raises:
        ContextOverflow: the text is so long that it is not worth tokenising.
    """
    tokens = context.tokenize(encodable(text), special=True)
    if context.wants_bos and context.bos_token >= 0 and tokens[:1] != [context.bos_token]:
        return [context.bos_token, *tokens]
    return tokens


def encodable(text: str) -> str:
    """`text` with a question mark for each half of a surrogate pair, which no UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode()


def finished_words(typed: str) -> str:
    """`typed` without the word that is still being written, and without blanks at its end.

    A word is finished by a blank; in Chinese and Japanese, where the next character may belong to
    the same token, all but the last character count.
    """
    end = len(typed)
    # From the end: a pattern would look for the last word from each of its letters on.
    while end and not typed[end - 1].isspace() and not _EASTERN.match(typed[end - 1]):
        end -= 1
    if end and not typed[end - 1].isspace():
        end -= 1  # the last Chinese or Japanese character
    return typed[:end].rstrip()


def certain_head(
    context: LlamaContext,
    template: ChatTemplate,
    messages: Sequence[ChatMessage],
    tools: Sequence[ToolSpec],
    variables: JsonObject = _NO_VARIABLES,
) -> list[int]:
    """Tokens with which the prompt will begin, however the last message goes on.

    The last message holds what is typed so far. It is found by rendering the prompt with several
    continuations and keeping the tokens that all of them share: no template has to be understood.

    Raises:
        ContextOverflow: as `prompt_tokens`.
    """
    *earlier, last = messages
    if last.role is not Role.USER:
        return []
    typed = finished_words(last.content)
    endings = _CONTINUATIONS if typed else tuple(text.strip() for text in _CONTINUATIONS)
    prompts = [
        prompt_tokens(
            context,
            template.render(
                (*earlier, replace(last, content=typed + ending)), tools, extra=variables
            ),
        )
        for ending in endings
    ]
    head = prompts[0]
    for prompt in prompts[1:]:
        head = head[: common_prefix(head, prompt)]
    return head
