"""How models mark what they think, and which of these marks a template knows.

pairs = thinking_marks(source)           # (("<think>", "</think>"),)
end = open_thinking(prompt, pairs)       # "</think>" when the prompt ends inside a block
template.render(messages, extra=thinking_variables("off"))
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from moltbot_desktop.core.json import JsonObject

THINK = ("<think>", "</think>")
_KNOWN = (
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("<think:opensource>", "</think:opensource>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<|think|>", "<|end|>"),
    ("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"),
)
_AS_IT_DOES: JsonObject = MappingProxyType({})


def effort_of(level: str) -> str:
    """A level as the three that models with an effort know; those cannot be told not to think."""
    return {"medium": "medium", "high": "high", "xhigh": "high"}.get(level, "low")


def thinking_variables(level: str) -> JsonObject:
    """What templates are told of a level (`GenerationRequest.thinking`), under the names they use:
    Qwen and SmolLM look at the first, DeepSeek and Granite at the second, gpt-oss at the last."""
    if not level:
        return _AS_IT_DOES
    on = level != "off"
    return {"enable_thinking": on, "thinking": on, "reasoning_effort": effort_of(level)}


def thinking_marks(source: str) -> tuple[tuple[str, str], ...]:
    """Beginnings and ends of thinking blocks for a template; `<think>` always, since models
    write it whether their template says so or not."""
    found = [pair for pair in _KNOWN if all(mark.strip() in source for mark in pair)]
    return (THINK, *found)


def open_thinking(prompt: str, pairs: Sequence[tuple[str, str]]) -> str:
    """The mark that ends the block in which `prompt` ends; "" when it ends in none."""
    said = prompt.rstrip()
    return next((end for begin, end in pairs if said.endswith(begin.rstrip())), "")
