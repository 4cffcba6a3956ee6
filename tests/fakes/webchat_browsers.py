"""Browsers that were let in to WebChat, for the suite of channels: what `page.js` does, in Python.

    platform = WebChatBrowsers(home)
    platform.prepare(home)                       # two keys in the account's folder
    await platform.start()
    await platform.say("1", "hello", sender=platform.owner)

Each keeps a line open and makes it again when it is cut (at the address that the channel tells,
since tests let it have any port), proves its key over the server's nonce,
says again what was not acknowledged, and asks behind the last number that it knows. The page itself
is tried in a real browser (tests/e2e/test_webchat_page.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from moltbot_desktop.extensions.webchat.browsers import proof
from moltbot_desktop.extensions.webchat.plugin import CAN
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import Post

KEYS = {"ada": "a1" * 32, "eve": "e2" * 32}


def connector() -> aiohttp.TCPConnector:
    return aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())


@dataclass
class Tab:
    """One page of a browser.

    Attributes:
        entries: what stands on it, by id; `shown` in the order of the page.
        versions: each text that an entry of the assistant had.
        answers: all that the assistant ever said, also what has left the page.
        frames: all that was heard.
    """

    browser: str
    key: str
    folder: Path
    address: str = ""
    epoch: str = ""
    seq: int = 0
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    versions: dict[str, list[str]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    frames: list[dict[str, Any]] = field(default_factory=list)
    unsent: dict[str, dict[str, Any]] = field(default_factory=dict)
    tickets: dict[str, asyncio.Future[str]] = field(default_factory=dict)
    closed: int | None = None
    proven: bool = False
    line: aiohttp.ClientWebSocketResponse | None = None

    def shown(self) -> list[dict[str, Any]]:
        return sorted(self.entries.values(), key=lambda one: int(one["place"]))

    async def stay(self) -> None:
        """Until cancelled; a line that is cut is made again."""
        while True:
            with contextlib.suppress(aiohttp.ClientError, ConnectionError, FileNotFoundError):
                self.address = (self.folder / "listening").read_text()
                await self.visit()
            await asyncio.sleep(0.01)

    async def visit(self) -> None:
        """One line, to its end."""
        async with (
            aiohttp.ClientSession(connector=connector()) as session,
            session.ws_connect(f"{self.address}/live", origin=self.address, max_msg_size=0) as line,
        ):
            self.line, self.proven = line, False
            for one in self.unsent.values():
                one["told"] = False
            try:
                async for message in line:
                    await self.heard(line, json.loads(message.data))
            finally:
                self.line, self.closed = None, line.close_code

    async def heard(self, line: aiohttp.ClientWebSocketResponse, told: dict[str, Any]) -> None:
        self.frames.append(told)
        match told["t"]:
            case "hello":
                mine = proof(self.key, told["nonce"])
                known = {"browser": self.browser, "epoch": self.epoch, "seq": self.seq}
                await line.send_json({"t": "prove", "proof": mine, **known})
            case "news":
                self.learn(told)
                self.proven = True
                for one in tuple(self.unsent.values()):
                    if not one["told"]:
                        one["told"] = True
                        await line.send_json(one["frame"])
            case "kept":
                self.unsent.pop(told["id"], None)
            case "ticket":
                self.tickets[told["id"]].set_result(told["file"])

    def learn(self, told: dict[str, Any]) -> None:
        if told.get("whole"):
            self.entries.clear()
        self.epoch, self.seq = told["epoch"], told["seq"]
        for one in told["entries"]:
            self.entries[one["id"]] = one
            if one["who"] == "assistant":
                self.answers[one["id"]] = one["text"]
            versions = self.versions.setdefault(one["id"], [])
            if not versions or versions[-1] != one["text"]:
                versions.append(one["text"])
        for name in told["gone"]:
            self.entries.pop(name, None)

    async def tell(self, frame: dict[str, Any]) -> None:
        assert self.line is not None
        await self.line.send_json(frame)

    async def say(self, name: str, text: str, files: Sequence[str] = ()) -> None:
        frame = {"t": "say", "id": name, "text": text, "files": list(files)}
        there = self.line is not None and self.proven
        self.unsent[name] = {"frame": frame, "told": there}
        if there:
            with contextlib.suppress(ConnectionError):
                await self.tell(frame)

    async def ticket(self, name: str, kind: str, size: int) -> str:
        """What the file of that size may be uploaded as, "" for not at all."""
        own = f"t-{len(self.tickets)}"
        self.tickets[own] = asyncio.get_running_loop().create_future()
        await self.tell({"t": "attach", "id": own, "name": name, "type": kind, "size": size})
        return await self.tickets[own]

    async def upload(self, name: str, kind: str, data: bytes) -> str:
        """The id of a file that went over."""
        file = await self.ticket(name, kind, len(data))
        async with (
            aiohttp.ClientSession(connector=connector()) as session,
            session.post(
                f"{self.address}/file/{file}", data=data, headers={"Origin": self.address}
            ) as answer,
        ):
            assert answer.status == 204
        return file


@dataclass
class WebChatBrowsers:
    """Implements `channel_contract.Platform`; the server is the channel itself, so `stop` only cuts
    the lines."""

    channel: str = "webchat"
    capabilities: Capabilities = CAN
    owner: str = "ada"
    stranger: str = "eve"
    group: str = ""
    home: Path = Path()
    tabs: dict[str, Tab] = field(default_factory=dict)
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _files: dict[str, tuple[tuple[str, bytes], ...]] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.home / "plugins" / "webchat" / "main"

    def prepare(self, home: Path) -> Mapping[str, object]:
        self.home = home
        self.folder.mkdir(parents=True, exist_ok=True)
        told = {name: {"key": key, "name": name} for name, key in KEYS.items()}
        (self.folder / "browsers.json").write_text(json.dumps(told))
        return {"plugins": {"entries": {"webchat": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return {"port": 0}

    async def start(self) -> None:
        """Pages that were open come back."""
        for name in self.tabs:
            await self.tab(name)

    async def stop(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())
        self._tasks.clear()

    async def hold(self) -> None:
        """The pages stay open and read nothing any more: they do not say goodbye either."""
        for tab in self.tabs.values():
            if tab.line is not None:
                transport = tab.line._response.connection.transport  # type: ignore[union-attr]
                transport.pause_reading()  # type: ignore[union-attr]

    async def tab(self, name: str) -> Tab:
        """The page of that browser, which stays open."""
        tab = self.tabs.get(name)
        if tab is None:
            tab = self.tabs[name] = Tab(name, KEYS[name], self.folder)
        task = self._tasks.get(name)
        if task is None or task.done():
            self._tasks[name] = asyncio.create_task(tab.stay())
        return tab

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
        tab = await self.tab(sender)
        while tab.line is None or not tab.proven:
            await asyncio.sleep(0.005)
        files = [await tab.upload(*file)] if file else []
        for _ in range(times):
            await tab.say(message_id, text, files)

    def posts(self, to: str) -> Sequence[Post]:
        tab = self.tabs.get(to)
        ours = [one for one in tab.shown() if one["who"] == "assistant"] if tab else []
        return [Post(one["id"], to, one["text"], files=self._loaded(one)) for one in ours]

    def versions(self, post_id: str) -> Sequence[str]:
        return next(tab.versions[post_id] for tab in self.tabs.values() if post_id in tab.versions)

    def reactions(self, message_id: str) -> Sequence[str]:
        found = (tab.entries.get(message_id) for tab in self.tabs.values())
        return next((list(one["reactions"]) for one in found if one), [])

    def _loaded(self, entry: dict[str, Any]) -> tuple[tuple[str, bytes], ...]:
        """Files as they lie with the channel; that they come over HTTP is a test of its own."""
        there = ((one["name"], self.folder / "files" / one["id"]) for one in entry["files"])
        return tuple((name, path.read_bytes()) for name, path in there)
