"""Persons on a real IRC server, for the suite of channels: each a client of a few lines.

platform = IrcPlatform(lambda: inspircd(folder))
await platform.start()
await platform.say("1", "hello", sender="alice")
platform.posts("alice")                 # a post for each line that the assistant wrote to her
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.extensions.irc.lines import LineBuffer, read_line, write_line
from moltbot_desktop.extensions.irc.plugin import CAPABILITIES
from moltbot_desktop.extensions.irc.text import unformatted
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import PATIENCE_SECONDS, Post
from tests.fakes.chat_servers import HOST, ChatServer

ASSISTANT = "molty"
GROUP = "#lab"
PASSWORD = "let-me-in-canary"
_GOING_SECONDS = 10.0


@dataclass
class Person:
    """A client. `lines`: (from, to, text) of all that was said to it or in its channel."""

    nick: str
    writer: asyncio.StreamWriter
    lines: list[tuple[str, str, str]] = field(default_factory=list)
    joined: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @classmethod
    async def come(cls, nick: str, port: int, password: str = "", user: str = "") -> Person:
        reader, writer = await asyncio.open_connection(HOST, port)
        person = cls(nick, writer)
        if password:
            person.write("PASS", password)
        person.write("NICK", nick)
        person.write("USER", user or nick, "0", "*", nick)
        person.task = asyncio.get_running_loop().create_task(person._listen(reader))
        async with asyncio.timeout(PATIENCE_SECONDS):
            await person.joined.wait()
        return person

    def write(self, command: str, *params: str) -> None:
        self.writer.write(write_line(command, *params))

    async def go(self) -> None:
        """Whoever goes has read what the server calls delivered: nobody can send that again."""
        self.write("QUIT")
        if self.task is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GOING_SECONDS):
                    await asyncio.shield(self.task)
        self.writer.transport.abort()
        if self.task is not None:
            await self.task

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        buffer = LineBuffer()
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                for raw in buffer.feed(data):
                    line = read_line(raw)
                    if line is None:
                        continue
                    if line.command == "PING":
                        self.write("PONG", line.param(-1))
                    elif line.command in ("376", "422"):
                        self.write("JOIN", GROUP)
                    elif line.command == "366":
                        self.joined.set()
                    elif line.command == "PRIVMSG":
                        self.lines.append((line.nick, line.param(0), line.param(1)))
        self.writer.transport.abort()


@dataclass
class IrcPlatform:
    """Implements `channel_contract.Platform` on a real server. What a real server does not do twice
    is not done twice: `times` is taken for one."""

    server: ChatServer
    password: str = ""
    channel: str = "irc"
    capabilities: Capabilities = CAPABILITIES
    owner: str = "alice"
    stranger: str = "eve"
    group: str = GROUP
    people: dict[str, Person] = field(default_factory=dict)
    wrote: list[Post] = field(default_factory=list)
    more: Callable[[], Mapping[str, object]] = dict

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"irc": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return {
            "host": HOST,
            "port": self.server.port,
            "tls": False,
            "nick": ASSISTANT if token_is_right else "impostor",
            "password": self.password if token_is_right else "wrong",
            "identify": "nick",
            "channels": [GROUP],
            "lineDelaySeconds": 0,
            "maxLines": 200,
            **self.more(),
        }

    async def start(self) -> None:
        if self.server.process is None:
            await asyncio.to_thread(self.server.start)
        for nick in (self.owner, self.stranger):
            self.people[nick] = await Person.come(nick, self.server.port, self.password)

    async def stop(self) -> None:
        self.server.go_on()
        for person in self.people.values():
            await person.go()
            self.wrote += _posts(person)
        self.people = {}
        await asyncio.to_thread(self.server.kill)

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
        called = f"{ASSISTANT}: {text}" if mentioned else text
        self.people[sender].write("PRIVMSG", group or ASSISTANT, called)
        await self.people[sender].writer.drain()

    def posts(self, to: str) -> Sequence[Post]:
        here = [post for one in self.people.values() for post in _posts(one)]
        if to == self.group:  # everybody in it hears the same
            here = _posts(self.people[self.owner])
        return [one for one in (*self.wrote, *here) if one.to == to]

    def versions(self, post_id: str) -> Sequence[str]:
        return ()

    def reactions(self, message_id: str) -> Sequence[str]:
        return ()


def _posts(person: Person) -> list[Post]:
    return [
        Post(f"{person.nick}-{number}", to, unformatted(text))
        for number, (nick, to, text) in enumerate(person.lines)
        if nick == ASSISTANT
    ]
