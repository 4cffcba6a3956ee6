"""What a prompt was made of, piece by piece: sizes, and digests of what does not change from prompt
to prompt. Pure; no words of it are kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from moltbot_desktop.agent.prompt import PromptParts
from moltbot_desktop.core.run_facts import PromptPiece, text_digest
from moltbot_desktop.sdk.models import PromptStyle
from moltbot_desktop.sdk.tools import ToolSpec

TOOLS = "tools"


def pieces_of(
    parts: PromptParts, tools: Sequence[ToolSpec], style: PromptStyle
) -> tuple[PromptPiece, ...]:
    """The pieces in their order, without empty ones."""
    request = PromptPiece("request", len(parts.user_text))
    if style is PromptStyle.COMMAND:  # it reads nothing else
        return (request,)
    frozen = [PromptPiece(one.name, len(one.text), text_digest(one.text)) for one in parts.frozen]
    told = "\n".join(_words(one) for one in tools)
    found = (
        *frozen,
        PromptPiece(TOOLS, len(told), text_digest(told) if told else ""),
        PromptPiece("summary", len(parts.summary)),
        PromptPiece("history", sum(len(one.content) for one in parts.history)),
        request,
        PromptPiece("memories", sum(map(len, parts.recalled))),
        PromptPiece("notices", sum(map(len, parts.notices))),
    )
    return tuple(one for one in found if one.characters)


def _words(spec: ToolSpec) -> str:
    parameters = json.dumps(spec.parameters, default=dict, ensure_ascii=False, sort_keys=True)
    return f"{spec.name} {spec.description} {parameters}"
