"""The real assistant with a model that does what it is told, and shows what it was shown.

    with obedient() as models:
        async with socket_of(home, settings) as ask:
            await ask("agent:work:main", 'memory_search {"query": "tea"}')   # the result as it is
    models["obedient"].requests[-1].messages[0]      # the system message of the last prompt

``<tool> {json}`` calls that tool, and the answer is the tool's result; every other message is
answered with itself.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from moltbot_desktop.app import brain
from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.chat_setup import OpenChat
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.gateway.client import ClientEvent
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.door import socket_path
from moltbot_desktop.sdk.models import (
    ChatModel,
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    TextDelta,
    ToolCallWritten,
)
from moltbot_desktop.sdk.tools import CancelToken

_CALL = re.compile(r"(?m)^([a-z_]+) (\{.*\})$")
_CHECKOUT = Path(__file__).resolve().parents[2]
Ask = Callable[[str, str], Awaitable[str]]
"""Session key and message; the answer."""


@dataclass
class ObedientModel:
    """Implements `sdk.models.ChatModel`."""

    name: str = "obedient"
    window: int = 65_536
    requests: list[GenerationRequest] = field(default_factory=list)

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(name=self.name, context_tokens=self.window, size_bytes=0)

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        del cancel
        self.requests.append(request)
        last = request.messages[-1]
        called = _CALL.search(last.content) if last.role is not Role.TOOL else None
        if called is not None:
            yield ToolCallWritten(ToolCall("call-1", called[1], json.loads(called[2])))
            yield GenerationDone(FinishReason.TOOL_CALLS, Usage())
            return
        yield TextDelta(_own_words(last))
        yield GenerationDone(FinishReason.STOP, Usage())

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None:
        """Nothing to read ahead."""

    async def count_tokens(self, text: str) -> int:
        return -(-len(text) // 4)

    @property
    def system(self) -> str:
        """What the last prompt began with."""
        return self.requests[-1].messages[0].content

    @property
    def tools(self) -> set[str]:
        """The tools in the last prompt."""
        return {tool.name for tool in self.requests[-1].tools}


def _own_words(message: ChatMessage) -> str:
    return message.content.partition("\n\n[now")[0] or "well"


@contextlib.contextmanager
def obedient(window: int = 65_536) -> Iterator[dict[str, ObedientModel]]:
    """Inside, every model is one, by the name of its file; the usual one is ``obedient``."""
    models: dict[str, ObedientModel] = {}

    def model(name: str) -> ObedientModel:
        return models.setdefault(name, ObedientModel(name, window))

    async def usual(*_: object, **__: object) -> OpenChat:
        return OpenChat(model("obedient"))

    async def named(_setup: object, _thread: object, path: Path) -> ChatModel:
        return model(path.stem)

    with patch.object(brain, "open_chat", usual), patch.object(brain, "open_local_chat", named):
        yield models


@contextlib.asynccontextmanager
async def socket_of(
    home: Path, settings: Mapping[str, object], told: list[ClientEvent] | None = None
) -> AsyncIterator[Ask]:
    """An assistant in `home`, spoken to over its local socket; inside `obedient`."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")
    paths = Paths(home, home.parent, _CHECKOUT)
    options = AssistantOptions(Language.ENGLISH, stays=True)
    numbers = itertools.count()
    async with open_assistant(paths, load_config(home), SystemClock(), options) as client:
        if told is not None:
            client.subscribe(told.append)
        async with connected(socket_path(home)) as assistant:

            async def ask(session: str, message: str) -> str:
                run = {"idempotencyKey": f"run-{next(numbers)}", "sessionKey": session}
                await assistant.call("agent", {**run, "message": message})
                wait = {"runId": run["idempotencyKey"], "timeoutMs": 20_000}
                answer = await assistant.call("agent.wait", wait)
                assert isinstance(answer, Mapping)
                return json.dumps(answer, ensure_ascii=False)

            yield ask
