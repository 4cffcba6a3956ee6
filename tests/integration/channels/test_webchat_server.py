"""The page's server over real sockets: who gets what, how much, and for how long."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ChannelError, ChannelNotFound
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.webchat.browsers import invite, proof
from moltbot_desktop.extensions.webchat.channel import WebChat
from moltbot_desktop.extensions.webchat.doorway import Doorway
from moltbot_desktop.extensions.webchat.frames import MOST_FRAME
from moltbot_desktop.extensions.webchat.guard import MOST_WRONG, WITHIN_SECONDS
from moltbot_desktop.extensions.webchat.house import House
from moltbot_desktop.extensions.webchat.live import SHOWN_AT_ONCE
from moltbot_desktop.extensions.webchat.serving import page_files
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Sender,
)
from moltbot_desktop.sdk.plugins import ChannelAccount
from tests.fakes.channel_contract import until
from tests.fakes.webchat_browsers import Tab, connector

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
PAGE = Path(__file__).resolve().parents[3] / "moltbot_desktop/extensions/webchat/page"


@dataclass
class Scene:
    """A channel without a program."""

    house: House
    channel: WebChat
    clock: ManualClock
    http: aiohttp.ClientSession
    kept: list[Envelope] = field(default_factory=list)
    came: list[Sender] = field(default_factory=list)
    refuses: list[Exception] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def at(self) -> str:
        return self.house.address()

    async def asks(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str]:
        given = {"Origin": self.at} if method == "POST" else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.http.request(
            method, f"{self.at}{path}", data=body or None, headers=given
        ) as answer:
            return answer.status, await answer.text()

    async def let_in(self) -> Tab:
        """A browser that came by a link, and whose page is open."""
        code = invite(self.house.folder, self.clock.now().timestamp())
        status, told = await self.asks("POST", "/enter", json.dumps({"code": code}))
        assert status == 200
        return await self.opened(json.loads(told)["browser"], json.loads(told)["key"])

    async def opened(self, browser: str, key: str) -> Tab:
        tab = Tab(browser, key, self.house.folder)
        self.tasks.append(asyncio.create_task(tab.stay()))
        await until(lambda: tab.proven or tab.closed)
        return tab

    def answer(self, tab: Tab, text: str, **more: Any) -> OutboundMessage:
        target = DeliveryTarget("webchat", "main", Peer(PeerKind.DM, tab.browser))
        return OutboundMessage(target, text, **more)


@asynccontextmanager
async def scene(tmp_path: Path, doorway: Doorway | None = None) -> AsyncIterator[Scene]:
    clock = ManualClock(NOW)
    house = House(tmp_path / "main", Language.ENGLISH, clock)
    online = asyncio.Event()
    made: list[Scene] = []

    async def receive(envelopes: Any) -> None:
        if made[0].refuses:
            raise made[0].refuses.pop(0)
        made[0].kept += envelopes

    async def let_in(sender: Sender) -> None:
        if made[0].refuses:
            raise made[0].refuses.pop(0)
        made[0].came.append(sender)

    account = ChannelAccount(
        {"port": 0}, receive, online.set, lambda _: None, "main", let_in=let_in
    )
    channel = WebChat(account, house, page_files(PAGE), doorway)
    async with aiohttp.ClientSession(connector=connector()) as http:
        made.append(Scene(house, channel, clock, http))
        running = asyncio.create_task(channel.run())
        try:
            await until(online.is_set)
            yield made[0]
        finally:
            for task in (*made[0].tasks, running):
                task.cancel()
            await asyncio.wait((*made[0].tasks, running))
        assert house.address() == ""


def play(
    tmp_path: Path,
    story: Callable[[Scene], Coroutine[Any, Any, None]],
    doorway: Doorway | None = None,
) -> None:
    async def run() -> None:
        async with scene(tmp_path, doorway) as made:
            await story(made)

    asyncio.run(run())


def test_the_page_holds_nothing_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        for path in ("/", "/page.js", "/page.css", "/keys.js", "/drawing.js", "/words.js"):
            async with made.http.get(f"{made.at}{path}") as answer:
                assert answer.status == 200
                policy = answer.headers["Content-Security-Policy"]
                assert "default-src 'none'" in policy and "unsafe" not in policy
                assert "frame-ancestors 'none'" in policy and "*" not in policy
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                assert answer.headers["Referrer-Policy"] == "no-referrer"
                assert answer.headers["Cache-Control"] == "no-store"
                assert "Access-Control-Allow-Origin" not in answer.headers
                assert (
                    "Set-Cookie" not in answer.headers and "aiohttp" not in answer.headers["Server"]
                )
                text = await answer.text()
                assert "https://" not in text and "innerHTML" not in text
        for path in ("/?token=x", "/../moltbot.json", "/browsers.json", "/page.html", "/file/x"):
            assert (await made.asks("GET", path))[0] == 404
        assert (await made.asks("GET", "/enter"))[0] == 404
        assert (await made.asks("DELETE", "/", Origin=made.at))[0] == 405

    play(tmp_path, story)


def test_another_host_or_origin_gets_nothing(tmp_path: Path) -> None:
    """Over a socket; every combination is in tests/unit/extensions/webchat/test_webchat_door.py."""

    async def story(made: Scene) -> None:
        port = made.at.rpartition(":")[2]
        code = invite(made.house.folder, NOW.timestamp())
        body = json.dumps({"code": code})
        assert (await made.asks("GET", "/", Host=f"evil.example:{port}"))[0] == 421
        assert (await made.asks("POST", "/enter", body, Host=f"evil.example:{port}"))[0] == 421
        for origin in ("https://evil.example", "null", f"http://localhost:{port}"):
            assert (await made.asks("POST", "/enter", body, Origin=origin))[0] == 403
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await made.http.ws_connect(f"{made.at}/live", origin=origin)
            assert refused.value.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await made.http.ws_connect(f"{made.at}/live")  # a browser always says its origin
        assert refused.value.status == 403
        assert (await made.asks("POST", "/enter", body, Sec_Fetch_Site="same-site"))[0] == 403
        assert not made.came
        assert (await made.asks("POST", "/enter", body))[0] == 200

    play(tmp_path, story)


def test_a_link_lets_one_browser_in(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        code = invite(made.house.folder, NOW.timestamp())
        status, told = await made.asks(
            "POST", "/enter", json.dumps({"code": code}), User_Agent="X11; Linux Firefox/140.0"
        )
        assert status == 200
        assert made.came == [Sender(json.loads(told)["browser"], "Firefox, Linux")]
        assert (await made.asks("POST", "/enter", json.dumps({"code": code})))[0] == 401
        assert len(made.came) == 1

    play(tmp_path, story)


@pytest.mark.expect_log
def test_one_that_cannot_be_written_down_gets_no_key(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        code = invite(made.house.folder, NOW.timestamp())
        made.refuses.append(ChannelError("The disk is full."))
        assert (await made.asks("POST", "/enter", json.dumps({"code": code})))[0] == 503
        assert made.house.browsers.all() == ()

    play(tmp_path, story)


def test_wrong_codes_are_soon_not_looked_at_any_more(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        for body in ("", "{", "[]", '{"code": 5}', '{"code": ""}', *['{"code": "x"}'] * 5):
            assert (await made.asks("POST", "/enter", body))[0] == 401
        code = json.dumps({"code": invite(made.house.folder, NOW.timestamp())})
        assert (await made.asks("POST", "/enter", code))[0] == 429
        assert not made.came
        made.clock.advance(WITHIN_SECONDS + 1)
        assert (await made.asks("POST", "/enter", code))[0] == 200

    assert MOST_WRONG == 10
    play(tmp_path, story)


def test_the_first_frame_proves_a_key_or_the_line_ends(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        tab = await made.let_in()
        known = {"t": "prove", "browser": tab.browser, "epoch": "", "seq": 0}
        old = proof(tab.key, "the nonce of another line")
        firsts: list[tuple[str, int]] = [
            (json.dumps({**known, "proof": old}), 4401),
            (json.dumps({**known, "proof": ""}), 4401),
            (json.dumps({**known, "browser": "nobody", "proof": old}), 4401),
            (json.dumps({"t": "say", "id": "1", "text": "x"}), 4400),
            ("nonsense", 4400),
        ]
        for first, code in firsts:
            async with made.http.ws_connect(f"{made.at}/live", origin=made.at) as line:
                assert json.loads((await line.receive()).data)["t"] == "hello"
                await line.send_str(first)
                assert (await line.receive()).type is aiohttp.WSMsgType.CLOSE
                assert line.close_code == code
        async with made.http.ws_connect(f"{made.at}/live", origin=made.at) as line:
            await line.receive()
            await line.send_bytes(b"\x00")
            await line.receive()
            assert line.close_code == 4400
        assert not made.kept

    play(tmp_path, story)


def test_a_frame_that_is_too_long_ends_the_line_and_nothing_else(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        tab = await made.let_in()
        frames = len(tab.frames)
        await tab.tell({"t": "say", "id": "1", "text": "x" * MOST_FRAME})
        await until(lambda: tab.closed == 1009)
        await until(lambda: len(tab.frames) > frames and tab.proven)
        await tab.say("2", "again")
        await until(lambda: made.kept)
        assert [one.text for one in made.kept] == ["again"]

    play(tmp_path, story)


def test_who_dawdles_is_cut_off(tmp_path: Path) -> None:
    """Half a head, a body that does not come, a WebSocket that says nothing."""

    async def story(made: Scene) -> None:
        host = made.at.removeprefix("http://")
        port = int(host.partition(":")[2])
        own = f"Host: {host}\r\nOrigin: {made.at}\r\n"
        for said in (
            "",
            "GET / HTTP/1.1\r\nHost: ",
            f"POST /enter HTTP/1.1\r\n{own}Content-Length: 50\r\n\r\n{{",
            f"GET /live HTTP/1.1\r\n{own}Connection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MTIzNDU2Nzg5MDEyMzQ1Ng==\r\n\r\n",
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(said.encode())
            async with asyncio.timeout(30):
                with suppress(ConnectionError):
                    await reader.read()  # to the end, which is the other side's doing
            writer.close()

    play(tmp_path, story, Doorway(seconds=0.2))


def test_one_that_proved_itself_may_stay(tmp_path: Path) -> None:
    doorway = Doorway(seconds=3_600.0)

    async def story(made: Scene) -> None:
        await made.let_in()
        await until(lambda: doorway.hurried == 0)
        _, writer = await asyncio.open_connection("127.0.0.1", int(made.at.rpartition(":")[2]))
        await until(lambda: doorway.hurried == 1)
        writer.close()
        await until(lambda: doorway.hurried == 0)

    play(tmp_path, story, doorway)


def test_there_are_not_too_many_connections(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        port = int(made.at.rpartition(":")[2])
        there = [await asyncio.open_connection("127.0.0.1", port) for _ in range(4)]
        with pytest.raises(aiohttp.ClientError):
            await made.asks("GET", "/")
        for _, writer in there:
            writer.close()
            await writer.wait_closed()
        status = 0
        while not status:
            try:
                status, _ = await made.asks("GET", "/")
            except aiohttp.ClientError:
                await asyncio.sleep(0.01)
        assert status == 200

    play(tmp_path, story, Doorway(most=4))


def test_a_message_is_handed_over_as_it_was_written_and_shown_once(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        tab = await made.let_in()
        other = await made.opened(tab.browser, tab.key)
        for _ in range(3):
            await tab.say("m-1", "你好 <b> 😀")
        await until(lambda: not tab.unsent and other.entries)
        first = made.kept[0]
        assert (first.text, first.message_id) == ("你好 <b> 😀", "m-1")
        assert first.sender.id == tab.browser and first.peer == Peer(PeerKind.DM, tab.browser)
        assert {one.message_id for one in made.kept} == {"m-1"}  # the program knows it again
        assert [one["text"] for one in other.shown()] == ["你好 <b> 😀"]

    play(tmp_path, story)


def test_what_is_not_kept_is_told_and_said_again(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        tab = await made.let_in()
        made.refuses.append(ChannelError("The disk is full."))
        await tab.say("m-1", "hello")
        await until(lambda: any(one["t"] == "not" for one in tab.frames))
        told = next(one for one in tab.frames if one["t"] == "not")
        assert told == {"t": "not", "id": "m-1", "why": "The disk is full.", "again": True}
        assert not made.kept and not tab.entries
        await tab.tell(tab.unsent["m-1"]["frame"])
        await until(lambda: made.kept and not tab.unsent)

    play(tmp_path, story)


def test_stop_is_a_command_and_no_part_of_the_page(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        tab = await made.let_in()
        await tab.tell({"t": "stop"})
        await until(lambda: made.kept)
        assert [one.text for one in made.kept] == ["/stop"] and not tab.entries

    play(tmp_path, story)


def test_an_answer_grows_on_every_page_of_its_browser_and_on_no_other(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        ada, eve = await made.let_in(), await made.let_in()
        second = await made.opened(ada.browser, ada.key)
        name = await made.channel.send(made.answer(ada, "It is"), "run-1:draft")
        assert await made.channel.send(made.answer(ada, "It is"), "run-1:draft") == name
        await made.channel.edit(name, made.answer(ada, "It is **done**."))
        for tab in (ada, second):
            await until(lambda tab=tab: tab.shown() and tab.shown()[0]["text"].endswith("."))
            assert tab.shown()[0]["body"][0][2:] == ["It is ", ["strong", {}, "done"], "."]
        await made.channel.show_typing(made.answer(ada, "").target)
        await until(lambda: any(one["t"] == "writing" for one in second.frames))
        assert not eve.entries and not any(one["t"] == "writing" for one in eve.frames)
        with pytest.raises(ChannelNotFound):
            await made.channel.edit(name, made.answer(eve, "not hers"))
        await made.channel.delete(made.answer(ada, "").target, name)
        await until(lambda: not ada.entries and not second.entries)

    play(tmp_path, story)


def test_a_line_on_which_nothing_more_can_be_told_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page makes another; it would show nothing new on this one, and look as if it did."""

    async def story(made: Scene) -> None:
        tab = await made.let_in()

        def fails(*_: object, **__: object) -> object:
            raise OSError("the disk is gone")

        with monkeypatch.context() as patch:
            patch.setattr("moltbot_desktop.extensions.webchat.live.news_frame", fails)
            await made.channel.send(made.answer(tab, "not seen"), "k")
            await until(lambda: tab.closed)
        again = await made.opened(tab.browser, tab.key)
        await until(lambda: [one["text"] for one in again.shown()] == ["not seen"])

    play(tmp_path, story)


def test_a_long_conversation_comes_in_parts(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        tab = await made.let_in()
        for number in range(SHOWN_AT_ONCE + 5):
            await made.channel.send(made.answer(tab, f"answer {number}"), f"key-{number}")
        late = await made.opened(tab.browser, tab.key)
        whole = next(one for one in late.frames if one["t"] == "news")
        assert whole["more"] and len(whole["entries"]) == SHOWN_AT_ONCE
        await late.tell({"t": "older", "before": whole["entries"][0]["id"]})
        await until(lambda: late.frames[-1]["t"] == "older")
        older = late.frames[-1]
        assert [one["text"] for one in older["entries"]] == [f"answer {n}" for n in range(5)]
        assert not older["more"]

    play(tmp_path, story)


def test_a_page_that_was_cut_off_is_told_what_it_missed_and_no_more(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        tab = await made.let_in()
        await made.channel.send(made.answer(tab, "one"), "1")
        await until(lambda: tab.entries)
        made.tasks[-1].cancel()
        await asyncio.wait([made.tasks.pop()])
        await made.channel.send(made.answer(tab, "two"), "2")
        tab.frames.clear()
        made.tasks.append(asyncio.create_task(tab.stay()))
        await until(lambda: len(tab.entries) == 2)
        news = [one for one in tab.frames if one["t"] == "news"]
        assert [[e["text"] for e in one["entries"]] for one in news] == [["two"]]
        assert "whole" not in news[0]

    play(tmp_path, story)


def test_files_go_both_ways_and_only_pictures_are_shown(tmp_path: Path) -> None:
    picture, page = b"\x89PNG\r\n\x1a\n" + bytes(500), b"<script>alert(1)</script>"

    async def story(made: Scene) -> None:
        tab = await made.let_in()
        name = await tab.upload("tea.png", "image/png", picture)
        await tab.say("m-1", "look", [name])
        await until(lambda: made.kept)
        [file] = made.kept[0].files
        assert (file.name, file.media_type, file.size) == ("tea.png", "image/png", len(picture))
        assert b"".join([piece async for piece in made.channel.fetch(file)]) == picture
        with pytest.raises(ChannelNotFound):
            [piece async for piece in made.channel.fetch(replace(file, ref="../browsers.json"))]
        for data, shown in ((picture, "image/png"), (page, "application/octet-stream")):
            path = tmp_path / "out.png"
            path.write_bytes(data)
            files = (Attachment(path, "out.png", "image/png"),)
            sent = await made.channel.send(made.answer(tab, "", attachments=files), shown)
            await until(lambda sent=sent: sent in tab.entries)
            [told] = tab.entries[sent]["files"]
            async with made.http.get(f"{made.at}/file/{told['id']}") as answer:
                assert await answer.read() == data
                assert answer.headers["Content-Type"] == shown
                assert answer.headers["X-Content-Type-Options"] == "nosniff"
                assert "sandbox" in answer.headers["Content-Security-Policy"] or data is picture
        other = f"{made.at}/file/{told['id']}"
        async with made.http.get(other, headers={"Sec-Fetch-Site": "cross-site"}) as answer:
            assert answer.status == 403

    play(tmp_path, story)


def test_no_more_comes_than_was_said_and_each_ticket_once(tmp_path: Path) -> None:
    async def story(made: Scene) -> None:
        tab, eve = await made.let_in(), await made.let_in()
        name = await tab.ticket("a", "b", 10)
        assert (await made.asks("POST", f"/file/{name}", "x" * 11))[0] == 413
        assert (await made.asks("POST", f"/file/{name}", "x" * 10))[0] == 404
        assert list(made.house.files.iterdir()) == []
        hers = await eve.upload("a", "b", b"12345")
        await tab.say("m-1", "look", [hers])  # not what this browser has uploaded
        await until(lambda: any(one["t"] == "not" for one in tab.frames))
        assert not made.kept and tab.frames[-1]["again"] is False
        assert await tab.ticket("a", "b", 10**9) == ""

    play(tmp_path, story)


@pytest.mark.parametrize(
    "said",
    [b"\x00" * 100, b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET /" + b"a" * 20_000],
)
def test_what_is_no_http_ends_its_connection_alone(tmp_path: Path, said: bytes) -> None:
    async def story(made: Scene) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(made.at.rpartition(":")[2]))
        writer.write(said + b"\r\n\r\n")
        with suppress(ConnectionError):
            assert b" 200 " not in await reader.read()
        writer.close()
        assert (await made.asks("GET", "/"))[0] == 200

    play(tmp_path, story, Doorway(seconds=5.0))
