"""Devices on a real MQTT broker, for the suite of channels: each an aiomqtt client.

platform = MqttPlatform(server)
await platform.start()
await platform.say("1", "hello", sender=platform.owner)
platform.posts(platform.owner)
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import aiomqtt

from moltbot_desktop.extensions.mqtt.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import Post
from tests.fakes.chat_servers import HOST, ChatServer

USERS = {"molty": "canary-pw0", "kitchen": "pw1", "garage": "pw2"}
ASSISTANT = "molty"
ACCESS = (
    f"user {ASSISTANT}\ntopic read moltbot/in/+\ntopic write moltbot/out/+\n"
    "pattern write moltbot/in/%u\npattern read moltbot/out/%u\n"
)


@dataclass
class MqttPlatform:
    """Implements `channel_contract.Platform` on a real broker, with messages as JSON.

    Attributes:
        raw: topics and payloads of what came in no JSON.
    """

    server: ChatServer
    channel: str = "mqtt"
    capabilities: Capabilities = CAPABILITIES
    owner: str = "kitchen"
    stranger: str = "garage"
    group: str = ""
    people: dict[str, aiomqtt.Client] = field(default_factory=dict)
    heard: list[Post] = field(default_factory=list)
    raw: list[tuple[str, bytes]] = field(default_factory=list)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"mqtt": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return {
            "host": HOST,
            "port": self.server.port,
            "tls": False,
            "username": ASSISTANT,
            "password": USERS[ASSISTANT] if token_is_right else "wrong",
            "format": "json",
        }

    async def start(self) -> None:
        if self.server.process is None:
            await asyncio.to_thread(self.server.start)
        for name in (self.owner, self.stranger):
            self.people[name] = await self._stack.enter_async_context(self._person(name))

    @contextlib.asynccontextmanager
    async def _person(self, name: str) -> AsyncIterator[aiomqtt.Client]:
        line = aiomqtt.Client(
            HOST,
            self.server.port,
            username=name,
            password=USERS[name],
            identifier=f"person-{name}",
            clean_session=False,
        )
        async with line:
            await line.subscribe(f"moltbot/out/{name}", qos=1)
            listening = asyncio.get_running_loop().create_task(self._listen(name, line))
            try:
                yield line
            finally:
                listening.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await listening

    async def _listen(self, name: str, line: aiomqtt.Client) -> None:
        async for message in line.messages:
            assert isinstance(message.payload, bytes)
            if not message.payload.startswith(b"{"):
                self.raw.append((str(message.topic), message.payload))
                continue
            said = json.loads(message.payload)
            self.heard.append(Post(said["id"], name, said["text"], said.get("replyTo", "")))

    async def stop(self) -> None:
        self.server.go_on()
        await self._stack.aclose()
        self.people = {}
        await asyncio.to_thread(self.server.stop)

    async def hold(self) -> None:
        self.server.hold()

    async def say(
        self,
        message_id: str,
        text: str,
        *,
        sender: str,
        group: str = "",
        mentioned: bool = False,
        file: tuple[str, str, bytes] | None = None,
        times: int = 1,
    ) -> None:
        payload = json.dumps({"text": text, "id": message_id}, ensure_ascii=False)
        for _ in range(times):
            await self.people[sender].publish(f"moltbot/in/{sender}", payload, qos=1)

    def posts(self, to: str) -> Sequence[Post]:
        return [one for one in self.heard if one.to == to]

    def versions(self, post_id: str) -> Sequence[str]:
        return ()

    def reactions(self, message_id: str) -> Sequence[str]:
        return ()
