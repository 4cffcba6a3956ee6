"""`status` and `health`: how the running assistant is, for a person and for a supervisor.

`health` is true as long as this answers at all, unless something keeps the assistant from its
work (`problem`): it is asked every few seconds by things that restart what is ill, so it names
only what a restart or a person must see to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.client import AssistantStatus
from moltbot_desktop.gateway.rpc.channel_methods import ChannelState, account_json
from moltbot_desktop.gateway.rpc.methods import Given, Method
from moltbot_desktop.sdk.memory import MemoryStatus

HEALTH = "health"


@dataclass(frozen=True)
class StatusMethods:
    """Attributes:
    age: seconds since the assistant began.
    runs: how many go on, and how many messages wait, in all conversations together.
    channels: those of the settings.
    problem: what keeps it from its work, one sentence; "" for nothing.
    web: address of the local web server, "" where there is none.
    openai: whether it answers programs that speak OpenAI's API.
    token_file: what holds the token for it, "" where the settings have one.
    """

    version: str
    process: int
    home: str
    age: Callable[[], float]
    assistant: Callable[[], AssistantStatus]
    memory: Callable[[], MemoryStatus]
    runs: Callable[[], tuple[int, int]]
    channels: Callable[[], Sequence[ChannelState]]
    problem: Callable[[], str]
    web: str = ""
    openai: bool = False
    token_file: str = ""

    def methods(self) -> tuple[Method, ...]:
        return (Method("status", self._status), Method("health", self._health))

    async def _status(self, _: Given) -> JsonValue:
        status, memory = self.assistant(), self.memory()
        running, waiting = self.runs()
        server: JsonObject = {"web": self._web()} if self.web else {}
        return {
            "version": self.version,
            "pid": self.process,
            "home": self.home,
            "uptimeSeconds": int(self.age()),
            "model": {
                "name": status.model,
                "bytes": status.model_bytes,
                "contextTokens": status.context_tokens,
            },
            "session": status.session,
            "runs": {"running": running, "waiting": waiting},
            "memory": {"files": memory.files, "note": memory.note},
            "reminders": status.reminders_due,
            "channels": [{"channel": one.channel, **account_json(one)} for one in self.channels()],
            **server,
        }

    def _web(self) -> JsonObject:
        told = {"address": self.web}
        if self.openai:
            told["openai"] = f"{self.web}/v1"
        if self.token_file:
            told["tokenFile"] = self.token_file
        return told

    async def _health(self, _: Given) -> JsonValue:
        return health_json(self.problem())


def health_json(problem: str) -> JsonObject:
    """The answer, also as the event of that name, which comes when it has changed."""
    return {"ok": not problem, "problem": problem}
