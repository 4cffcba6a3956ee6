"""Chat template of a model file: messages and tools to prompt text.

    template = ChatTemplate(source, bos_token=..., eos_token=..., control_tokens=frozenset(...))
    prompt = template.render_prompt(messages, tools)   # RenderedPrompt(text, ...)
    text = template.render(messages, tools)            # the text alone

`source` is the file's `tokenizer.chat_template` ("" for none: ChatML). `control_tokens` are the
texts of the vocabulary's CONTROL tokens (token type 3); for the starter model its USER_DEFINED
ones as well. The rendered text holds them for real, contents never do: tokenise the prompt with
`special=True` and without an extra BOS (the template prints it; when the text does not begin with
`bos_token` and the model wants one, add it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ChatMessage
from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.sdk.tools import ToolSpec


@dataclass(frozen=True)
class RenderedPrompt:
    """A prompt ready to be tokenised.

    Attributes:
        stops: texts that end the answer although the vocabulary does not mark them as end of
            generation (ChatML fallback: ``<|im_end|>``); give them to the scanner.
        opens_thinking: the prompt ends inside a thinking block; give it to the scanner.
        fallback_reason: "" or why the model's own template was not used.
    """

    text: str
    stops: tuple[str, ...] = ()
    opens_thinking: bool = False
    fallback_reason: str = ""


class ChatTemplate:
    """A compiled template. Immutable after construction; safe on any thread.

    Attributes:
        call_format: syntax of calls in this template's prompts (`callformat.detect_format`).
        shows_tools: the template itself prints the tools it is given.
        shows_calls: the template itself prints past calls and their results.
        problem: "" or why the file's template is never used (it does not compile or render).
    """

    call_format: CallFormat
    shows_tools: bool
    shows_calls: bool
    problem: str

    def __init__(
        self,
        source: str,
        *,
        bos_token: str = "",
        eos_token: str = "",
        control_tokens: frozenset[str] = frozenset(),
    ) -> None:
        raise NotImplementedError

    def render(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec] = (),
        *,
        add_generation_prompt: bool = True,
        extra: JsonObject | None = None,
    ) -> str:
        """`render_prompt(...).text`."""
        raise NotImplementedError

    def render_prompt(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec] = (),
        *,
        add_generation_prompt: bool = True,
        extra: JsonObject | None = None,
    ) -> RenderedPrompt:
        """Messages as the model expects them; never fails: a template error means ChatML.

        Args:
            extra: template variables, e.g. ``{"enable_thinking": False}``.
        """
        raise NotImplementedError
