"""The real program in its window, with a model that works in other programs as it was scripted.

    python -m tests.fakes.screen_program       # then say "sum" or "letter" in the window

The script names buttons; the numbers are looked up in what the last call gave, as a model would.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from unittest.mock import patch

from moltbot_desktop.app import brain
from moltbot_desktop.app.chat_setup import OpenChat
from moltbot_desktop.app.main import main
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    TextDelta,
    ToolCallWritten,
)
from moltbot_desktop.sdk.tools import CancelToken
from tests.fakes.obedient import ObedientModel

LETTER = "亲爱的安娜：\n明天下午三点见。"
SCRIPTS: dict[str, tuple[JsonObject, ...]] = {
    "sum": (
        {"action": "observe", "window": "galculator"},
        {"action": "press", "marks": "1 2 * 3 4 ="},
    ),
    "letter": (
        {"action": "observe", "window": "mousepad"},
        {"action": "type", "text": LETTER},
        {"action": "keys", "keys": "ctrl+s"},
    ),
    "busy": ({"action": "observe", "window": "galculator"}, *({"action": "windows"},) * 30),
}


class Scripted(ObedientModel):
    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        del cancel
        turn = _last_turn(request.messages)
        script = SCRIPTS.get(turn[0].content.partition("\n")[0].strip(), ())
        if len(turn) - 1 < len(script):
            step = script[len(turn) - 1]
            seen = turn[-1].content
            if step["action"] == "press":
                marks = " ".join(_mark(name, seen) for name in str(step["marks"]).split())
                step = {**step, "marks": marks}
            yield ToolCallWritten(ToolCall(f"call-{len(turn)}", "desktop", step))
            yield GenerationDone(FinishReason.TOOL_CALLS, Usage())
            return
        yield TextDelta(f"done: {turn[-1].content[:2000]}")
        yield GenerationDone(FinishReason.STOP, Usage())


def _last_turn(messages: tuple[ChatMessage, ...]) -> list[ChatMessage]:
    """The person's last message and the results after it."""
    start = max(at for at, one in enumerate(messages) if one.role is Role.USER)
    return [messages[start], *(one for one in messages[start:] if one.role is Role.TOOL)]


def _mark(name: str, seen: str) -> str:
    found = re.search(rf"(\d+) button “{re.escape(name)}”", seen)
    assert found is not None, (name, seen)
    return found[1]


async def _opened(*_: object, **__: object) -> OpenChat:
    return OpenChat(Scripted())


if __name__ == "__main__":
    with patch.object(brain, "open_chat", _opened):
        raise SystemExit(main([]))
