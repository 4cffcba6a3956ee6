"""One connection to signal-cli without the rest of the program: what it keeps, sends and starts.

Each assumption of the fake is a test here or in the contract; `test_each_assumption_has_a_test`.
"""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRateLimited,
    ChannelRefused,
    StorageError,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.signal.channel import SignalChannel, probe
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    RemoteFile,
)
from moltbot_desktop.sdk.plugins import ChannelAccount
from tests.fakes.channel_contract import until
from tests.fakes.signal_cli import ADA, ASSUMED, EVE, NUMBER, OWN_UUID, ROOM, Fault, SignalCli

TO_ADA = DeliveryTarget("signal", "main", Peer(PeerKind.DM, ADA))
TO_ROOM = DeliveryTarget("signal", "main", Peer(PeerKind.GROUP, ROOM))
AT = 1_760_000_000_001


@dataclass
class Desk:
    """The program's side of it; `fails` is raised by the next message."""

    there: SignalCli = field(default_factory=SignalCli)
    kept: list[Envelope] = field(default_factory=list)
    fails: list[StorageError] = field(default_factory=list)
    online: int = 0
    hosts: list[str] = field(default_factory=list)

    async def receive(self, envelopes: Sequence[Envelope]) -> None:
        if self.fails:
            raise self.fails.pop()
        self.kept.extend(envelopes)

    def is_online(self) -> None:
        self.online += 1

    def channel(self, **more: Any) -> SignalChannel:
        settings = {"account": NUMBER, "httpUrl": self.there.root, **more}
        account = ChannelAccount(
            settings,
            self.receive,
            self.is_online,
            lambda _: None,
            cursor=self.kept[-1].cursor if self.kept else "",
            reaches=self.hosts.append,
        )
        return SignalChannel(account, Language.ENGLISH)


def play(
    story: Callable[[Desk, SignalChannel], Awaitable[None]],
    desk: Desk | None = None,
    **settings: Any,
) -> None:
    desk = desk or Desk()

    async def scene() -> None:
        await desk.there.start()
        channel = desk.channel(**settings)
        running = asyncio.create_task(channel.run())
        try:
            await until(lambda: desk.online or running.done())
            await story(desk, channel)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await desk.there.stop()

    asyncio.run(scene())


def last(desk: Desk, method: str) -> Any:
    return next(given for name, given in reversed(desk.there.calls) if name == method)


def test_check_answers_200() -> None:
    async def story(desk: Desk, _: SignalChannel) -> None:
        settings: dict[str, Any] = {"account": NUMBER, "httpUrl": desk.there.root}
        settings["autoStart"] = True
        assert await probe({**settings, "cliPath": "/nowhere/it-is"}, Language.ENGLISH) == NUMBER
        desk.there.check_status = 404
        with pytest.raises(ChannelError, match="not signal-cli"):
            await probe(settings, Language.ENGLISH)

    play(story)


def test_events_behind_last_event_id_come_again_all_where_the_id_is_unknown() -> None:
    async def story(desk: Desk, _: SignalChannel) -> None:
        there = desk.there
        there.write(AT, "one")
        there.write(AT + 1, "two")
        await until(lambda: len(desk.kept) == 2)
        del desk.kept[1:]  # as if it had ended in between
        for wanted in (["one", "two"], ["one", "two", "one", "two"]):
            again = asyncio.create_task(desk.channel().run())
            await until(lambda: [one.text for one in desk.kept] == wanted)  # noqa: B023
            again.cancel()
            await asyncio.gather(again, return_exceptions=True)
            if len(wanted) == 2:
                there.begin_anew()
        assert len({one.message_id for one in desk.kept}) == 2
        assert there.asked_after[0] == "" and all(there.asked_after[1:])

    play(story)


def test_a_message_that_could_not_be_kept_is_asked_for_again() -> None:
    desk = Desk()

    async def story(desk: Desk, _: SignalChannel) -> None:
        desk.there.write(AT, "one")
        await until(lambda: desk.kept)
        desk.fails.append(StorageError("the disk is full"))
        desk.there.write(AT + 1, "two")
        await until(lambda: not desk.fails)
        desk.fails.append(StorageError("still full"))
        with pytest.raises(ChannelError, match="not be kept"):
            await desk.channel().run()
        again = asyncio.create_task(desk.channel().run())
        await until(lambda: [one.text for one in desk.kept] == ["one", "two"])
        again.cancel()
        await asyncio.gather(again, return_exceptions=True)

    play(story, desk)


def test_one_that_has_several_accounts_wants_to_be_told_which() -> None:
    async def story(desk: Desk, channel: SignalChannel) -> None:
        await channel.send(OutboundMessage(TO_ADA, "hi"), "k")
        assert last(desk, "send")["account"] == NUMBER
        assert "account" not in last(desk, "listAccounts")
        assert desk.hosts == ["signal.org"]
        with pytest.raises(ChannelAuthFailed, match="15559999999"):
            await desk.channel(account="+15559999999").run()

    play(story)


@pytest.mark.parametrize("several", [True, False])
def test_one_for_a_single_account_lists_none(several: bool) -> None:
    """Nor does an older one tell its id: Signal's list has it, and a mention of it counts."""

    async def story(desk: Desk, channel: SignalChannel) -> None:
        await channel.send(OutboundMessage(TO_ADA, "hi"), "k")
        assert ("account" in last(desk, "send")) is several
        named = [{"uuid": OWN_UUID, "start": 0, "length": 1}]
        desk.there.write(AT, "\ufffc hello", room=ROOM, mentions=named)
        await until(lambda: desk.kept)
        assert desk.kept[0].mentioned and desk.kept[0].peer == TO_ROOM.peer

    play(story, Desk(SignalCli(several=several, lists_ids=False)))


def test_a_message_has_ranges_in_utf16() -> None:
    async def story(desk: Desk, channel: SignalChannel) -> None:
        sent = await channel.send(OutboundMessage(TO_ROOM, "😀 b", markdown="😀 **b**"), "k")
        [post] = desk.there.posts.values()
        assert (str(post.at), post.texts, post.to) == (sent, ["😀 b"], ROOM)
        assert post.given["textStyle"] == ["3:1:BOLD"]

    play(story)


def test_an_edit_a_quote_and_a_delete_name_a_time() -> None:
    async def story(desk: Desk, channel: SignalChannel) -> None:
        desk.there.write(AT, "tea?")
        await until(lambda: desk.kept)
        theirs = desk.kept[0].message_id
        sent = await channel.send(OutboundMessage(TO_ADA, "yes", reply_to=theirs), "k")
        given = desk.there.posts[int(sent)].given
        assert (given["quoteTimestamp"], given["quoteAuthor"]) == (AT, ADA)
        assert given["quoteMessage"] == "tea?"
        await channel.edit(sent, OutboundMessage(TO_ADA, "no"))
        assert desk.there.posts[int(sent)].texts == ["yes", "no"]
        for one in (theirs, "x"):
            with pytest.raises(ChannelNotFound):
                await channel.edit(one, OutboundMessage(TO_ADA, "no"))
        await channel.react(TO_ADA, theirs, "👍")
        await channel.react(TO_ADA, sent, "🎉")
        assert desk.there.reactions == {AT: ["👍"], int(sent): ["🎉"]}
        assert last(desk, "sendReaction")["targetAuthor"] == NUMBER
        await channel.react(TO_ADA, theirs, "👍", remove=True)
        assert not desk.there.reactions[AT]
        await channel.delete(TO_ADA, sent)
        assert not desk.there.posts

    play(story)


def test_an_attachment_goes_as_a_data_uri_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\x89PNG")

    async def story(desk: Desk, channel: SignalChannel) -> None:
        file = Attachment(path, "tea; 茶+1.png", "image/png")
        sent = await channel.send(OutboundMessage(TO_ADA, "", attachments=(file,)), "k")
        assert desk.there.posts[int(sent)].files == [("tea; 茶+1.png", b"\x89PNG")]
        path.write_bytes(b"")
        with pytest.raises(ChannelRefused, match="cannot be read"):
            await channel.send(OutboundMessage(TO_ADA, "", attachments=(file,)), "k")

    play(story)


def test_getattachment_gives_base64() -> None:
    async def loaded(channel: SignalChannel, file: RemoteFile) -> bytes:
        return b"".join([chunk async for chunk in channel.fetch(file)])

    async def story(desk: Desk, channel: SignalChannel) -> None:
        desk.there.files["a1"] = bytes(200_000)
        about = {"id": "a1", "filename": "a", "contentType": "image/png", "size": 200_000}
        desk.there.write(AT, None, room=ROOM, attachments=[about])
        await until(lambda: desk.kept)
        [file] = desk.kept[0].files
        assert await loaded(channel, file) == bytes(200_000)
        assert last(desk, "getAttachment")["groupId"] == ROOM
        desk.there.files["a1"] = bytes(1_000_001)
        with pytest.raises(ChannelRefused, match="larger"):
            await loaded(channel, file)
        del desk.there.files["a1"]
        with pytest.raises(ChannelNotFound):
            await loaded(channel, file)

    play(story, mediaMaxMb=1)


def test_an_error_has_the_code_of_the_commands_end() -> None:
    async def story(desk: Desk, channel: SignalChannel) -> None:
        answer = {"response": {"results": [{"type": "X", "retryAfterSeconds": 7}]}}
        desk.there.faults += [
            Fault("send", -5, "slow", answer),
            Fault("send", -4, "key"),
            Fault("send", 0),
        ]
        kinds = (ChannelRateLimited, ChannelRefused, ChannelError)
        for kind in kinds:
            with pytest.raises(kind) as caught:
                await channel.send(OutboundMessage(TO_ADA, "hi"), "k")
            assert type(caught.value) is kind
            if isinstance(caught.value, ChannelRateLimited):
                assert caught.value.retry_after == 7.0
        nobody = DeliveryTarget("signal", "main", Peer(PeerKind.DM, "+15550000099"))
        with pytest.raises(ChannelRefused, match="not registered"):
            await channel.send(OutboundMessage(nobody, "hi"), "k")

    play(story)


def test_a_place_that_is_none_reaches_no_command() -> None:
    async def story(desk: Desk, channel: SignalChannel) -> None:
        bad = DeliveryTarget("signal", "main", Peer(PeerKind.DM, "--note-to-self"))
        with pytest.raises(ChannelRefused, match="is none"):
            await channel.send(OutboundMessage(bad, "hi"), "k")
        assert "send" not in [name for name, _ in desk.there.calls]

    play(story)


@pytest.mark.parametrize("wanted", [True, False])
def test_only_who_is_answered_learns_that_it_was_read(wanted: bool) -> None:
    async def story(desk: Desk, channel: SignalChannel) -> None:
        desk.there.write(AT, "hello", sender=EVE)
        desk.there.write(AT + 1, "tea?")
        desk.there.write(AT + 2, "please")
        await until(lambda: len(desk.kept) == 3)
        await channel.show_typing(TO_ADA)
        await channel.send(OutboundMessage(TO_ADA, "yes"), "k")
        told = [given for name, given in desk.there.calls if name == "sendReceipt"]
        assert [one["targetTimestamp"] for one in told] == ([[AT + 1, AT + 2]] if wanted else [])
        assert all(one["recipient"] == [ADA] and one["type"] == "read" for one in told)
        assert last(desk, "sendTyping")["recipient"] == [ADA]

    play(story, sendReadReceipts=wanted)


def test_each_assumption_has_a_test() -> None:
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    names = {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}
    wanted = {"test_" + re.sub("[^a-z0-9]+", "_", one.replace("'", "").lower()) for one in ASSUMED}
    assert wanted <= names


# ------------------------------------------------------------ one of our own

_PROGRAM = """
import http.server, json, os, sys
where = sys.argv[sys.argv.index("--http") + 1].rpartition(":")
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        if "events" in self.path:
            self.wfile.write(b":\\n")
            self.wfile.flush()
            self.server.gone = self.rfile.read(1)
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = [{"number": "%s", "aci": "%s"}]
        body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
with open(sys.argv[0] + ".pid", "w") as kept:
    kept.write(json.dumps([os.getpid(), sys.argv[1:]]))
http.server.ThreadingHTTPServer((where[0], int(where[2])), Answers).serve_forever()
"""


def program_file(folder: Path, code: str) -> Path:
    path = folder / "signal-cli"
    path.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
    path.chmod(0o755)
    return path


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_one_of_our_own_is_started_and_ends_with_the_connection(tmp_path: Path) -> None:
    path = program_file(tmp_path, _PROGRAM % (NUMBER, OWN_UUID))
    desk = Desk()

    async def scene() -> None:
        more = {"httpUrl": "", "cliPath": str(path), "httpPort": free_port()}
        running = asyncio.create_task(desk.channel(**more).run())
        await until(lambda: desk.online or running.done())
        assert not running.done()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scene())
    pid, words = json.loads(Path(f"{path}.pid").read_text(encoding="utf-8"))
    assert words[:3] == ["-a", NUMBER, "daemon"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_one_that_does_not_start_says_why(tmp_path: Path) -> None:
    path = program_file(tmp_path, "import sys\nsys.exit('User is not registered.')\n")

    async def scene() -> None:
        more = {"httpUrl": "", "cliPath": str(path), "httpPort": free_port()}
        with pytest.raises(ChannelError, match="did not start: User is not registered"):
            await Desk().channel(**more).run()

    asyncio.run(scene())


def test_signal_cli_that_is_not_there_is_told() -> None:
    async def scene() -> None:
        more = {"httpUrl": "", "cliPath": "no-such-signal-cli", "httpPort": free_port()}
        with pytest.raises(ChannelRefused, match="no-such-signal-cli") as caught:
            await Desk().channel(**more).run()
        assert "cliPath" in caught.value.hint

    asyncio.run(scene())
