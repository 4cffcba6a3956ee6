"""E-mail on a real IMAP server, through the whole program."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRateLimited,
    ChannelRefused,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.channels import DeliveryTarget, OutboundMessage, Peer, PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount
from tests.fakes.bare_channel import Bare
from tests.fakes.channel_contract import ChannelContract, until
from tests.fakes.chat_servers import LINUX_ONLY, dovecot, free_port

pytest.importorskip("imap_tools")
pytest.importorskip("aiosmtpd")

# What follows needs the libraries.
from moltbot_desktop.extensions.email import post
from moltbot_desktop.extensions.email.channel import EmailChannel, probe
from moltbot_desktop.extensions.email.place import Place
from tests.fakes.mail_people import ASSISTANT, USERS, MailPlatform, hand_over, vouched

pytestmark = LINUX_ONLY


class TestEmail(ChannelContract):
    """The suite, with a login, a mailbox and threads."""

    @pytest.fixture
    def platform(self, tmp_path: Path) -> Iterator[MailPlatform]:
        with dovecot(tmp_path, USERS) as server:
            yield MailPlatform(server)
            server.kill()


NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
Story = Callable[
    [MailPlatform, Callable[[ChannelAccount], EmailChannel]], Coroutine[Any, Any, None]
]


def _play(tmp_path: Path, story: Story) -> None:
    clock, state = ManualClock(NOW), tmp_path / "state"
    state.mkdir()

    async def scene(platform: MailPlatform) -> None:
        await platform.start()
        try:
            await story(platform, lambda given: EmailChannel(given, clock, Language.ENGLISH, state))
        finally:
            await platform.stop()

    with dovecot(tmp_path, USERS, "maildir") as server:
        asyncio.run(scene(MailPlatform(server)))
        server.kill()


def _bare(platform: MailPlatform, **more: object) -> Bare:
    return Bare({**platform.account(), **more})  # type: ignore[dict-item]


def _texts(bare: Bare) -> list[str]:
    return [one.text for one in bare.kept]


def test_what_was_written_meanwhile_comes_once_and_in_order(tmp_path: Path) -> None:
    """What lay there before is nobody's to answer; from then on nothing is missed, also where no
    message has carried a cursor yet."""

    async def story(
        platform: MailPlatform, opened: Callable[[ChannelAccount], EmailChannel]
    ) -> None:
        owner = platform.owner
        await platform.say("0", "long before", sender=owner)
        bare = _bare(platform)
        async with bare.runs(opened):
            assert not bare.kept
        await platform.say("1", "one", sender=owner)
        async with bare.runs(opened):
            await until(lambda: bare.kept)
        for number in range(2, 30):  # more than are asked for at once
            await platform.say(str(number), f"mail {number}", sender=owner)
        async with bare.runs(opened):
            await platform.say("30", "mail 30", sender=owner)
            await until(lambda: "mail 30" in _texts(bare))
        assert _texts(bare) == ["one", *(f"mail {number}" for number in range(2, 31))]
        first = bare.kept[0]
        assert (first.sender.id, first.peer) == (owner, Peer(PeerKind.DM, owner))
        assert {one.thread_id for one in bare.kept} == {"an.earlier.one@test.local"}
        assert first.message_id == "1@test.local" and first.reply_to == ""

    _play(tmp_path, story)


def test_a_folder_that_is_numbered_anew_is_read_from_the_day_before(tmp_path: Path) -> None:
    """What was kept comes again under its own id, by which the program knows it."""

    async def story(
        platform: MailPlatform, opened: Callable[[ChannelAccount], EmailChannel]
    ) -> None:
        bare = _bare(platform)
        async with bare.runs(opened):
            await platform.say("1", "one", sender=platform.owner)
            await until(lambda: bare.kept)
        before = Place.parsed(bare.cursor)
        await platform.stop()
        folder = platform.server.folder / "mail" / ASSISTANT
        for one in folder.glob("dovecot*"):
            one.unlink()
        # The clock of the server is what it makes its number of.
        (folder / "dovecot-uidlist").write_text("3 V99 N1 G0123456789abcdef0123456789abcdef\n")
        shutil.chown(folder / "dovecot-uidlist", "nobody", "nogroup")
        await platform.start()
        await platform.say("2", "two", sender=platform.owner)
        async with bare.runs(opened):
            await until(lambda: "two" in _texts(bare))
        after = Place.parsed(bare.cursor)
        assert before is not None and after is not None and after.validity != before.validity
        ids = [one.message_id for one in bare.kept]
        assert set(ids) == {"1@test.local", "2@test.local"}

    _play(tmp_path, story)


HOSTILE = (
    b"",
    b"\r\n\r\n",
    b"\x00\xff" * 500,
    b"From: ada@test.local\r\n\r\nno proof",
    b"From: ada@test.local\r\nFrom: eve@test.local\r\n\r\ntwo",
    b"From: =?utf-8?q?ada=40test.local?= <eve@evil.example>\r\n\r\na name",
    b"From: ada@test.local\r\nAuto-Submitted: auto-replied\r\n\r\nanother program",
    b"From: ada@test.local\r\nList-Id: <x>\r\n\r\na list",
    b"From: ada@test.local\r\nContent-Type: multipart/report\r\n\r\na report",
    b"From: <>\r\nReturn-Path: <>\r\n\r\na bounce",
    b"From: molty@test.local\r\n\r\nourselves",
    b"From: ada@test.local\r\nContent-Type: multipart/mixed; boundary=\r\n\r\n--\r\n\r\nx",
)


def test_hostile_mail_disturbs_nobody(tmp_path: Path) -> None:
    """Each goes by; what comes behind them is read. None is marked as read."""

    async def story(
        platform: MailPlatform, opened: Callable[[ChannelAccount], EmailChannel]
    ) -> None:
        nested = b"".join(
            b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (depth, depth)
            for depth in range(200)
        )
        deep = b"From: ada@test.local\r\nMessage-ID: <deep@x>\r\nSubject: deep\r\n" + nested
        wide = b"".join(b"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n" for _ in range(500))
        head = b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n'
        wide = b"From: ada@test.local\r\nMessage-ID: <wide@x>\r\nSubject: wide\r\n" + head + wide
        bare = _bare(platform)
        lmtp = platform.border.lmtp
        async with bare.runs(opened):
            await asyncio.to_thread(hand_over, lmtp, *HOSTILE)
            await asyncio.to_thread(
                hand_over, lmtp, *(vouched(one, "test.local") for one in (deep, wide))
            )
            await platform.say("1", "at last", sender=platform.owner)
            await until(lambda: "at last" in _texts(bare))
            ids = [one.message_id for one in bare.kept]
            assert ids == ["deep@x", "wide@x", "1@test.local"]
            await until(lambda: len(_seen(platform)) == 3)
            assert len(bare.problems) < 10

    _play(tmp_path, story)


def _seen(platform: MailPlatform) -> list[Path]:
    folder = platform.server.folder / "mail" / ASSISTANT / "cur"
    return [one for one in folder.iterdir() if "S" in one.name.partition(":2,")[2]]


def test_answers_hang_under_their_question_after_a_restart_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mailbox knows what is answered. A try with the same key sends nothing twice, several
    go over one line, and what is sent lands in a real mailbox."""
    monkeypatch.setattr(post, "LINGER_SECONDS", 1_000.0)

    async def story(
        platform: MailPlatform, opened: Callable[[ChannelAccount], EmailChannel]
    ) -> None:
        platform.border.hands_over = True
        bare, owner = _bare(platform), platform.owner
        async with bare.runs(opened):
            await platform.say("1", "tea?", sender=owner)
            await until(lambda: bare.kept)
        asked = bare.kept[0]
        async with bare.runs(opened) as channel:
            answer = OutboundMessage(
                asked.reply_target, "Yes 😀", asked.message_id, markdown="**Y**"
            )
            first = await channel.send(answer, "run:0")
            assert await channel.send(answer, "run:0") == first
            await channel.send(replace(answer, reply_to=""), "run:1")
            new = replace(asked.reply_target, thread_id="")
            await channel.send(OutboundMessage(new, "News"), "run:2")
        sent = platform.border.taken
        assert [one["Subject"] for one in sent] == ["Re: tea", "Re: tea", "News"]
        assert [one["In-Reply-To"] for one in sent] == ["<1@test.local>"] * 2 + [None]
        assert "<an.earlier.one@test.local>" in sent[0]["References"]
        assert platform.border.lines == 1
        folder = platform.server.folder / "mail" / owner
        arrived = [one.read_text("utf-8") for one in (folder / "new").iterdir()]
        assert len(arrived) == 3 and any(first in one for one in arrived)

    _play(tmp_path, story)


def test_a_refusal_of_the_post_is_told_as_what_it_is(tmp_path: Path) -> None:
    async def story(
        platform: MailPlatform, opened: Callable[[ChannelAccount], EmailChannel]
    ) -> None:
        async with _bare(platform).runs(opened) as channel:
            target = DeliveryTarget("email", "main", Peer(PeerKind.DM, platform.owner))
            for said, kind in (
                ("550 5.7.1 spam", ChannelRefused),
                ("451 4.7.0 try again later", ChannelRateLimited),
                ("451 4.2.0 not now", ChannelError),
            ):
                platform.border.refusals.append(said)
                with pytest.raises(kind) as refused:
                    await channel.send(OutboundMessage(target, "x"), said)
                assert type(refused.value) is kind and said in refused.value.message
                await channel.send(OutboundMessage(target, said), said)
            for place in ("nobody", "a@b.org\r\nBcc: c@d.org", "ä@b.org", ""):
                nowhere = replace(target, peer=Peer(PeerKind.DM, place))
                with pytest.raises(ChannelNotFound, match="no address"):
                    await channel.send(OutboundMessage(nowhere, "x"), place)
        assert len(platform.border.taken) == 3

    _play(tmp_path, story)


def test_a_file_is_fetched_when_it_is_wanted(tmp_path: Path) -> None:
    """Piece by piece while the mailbox is waited on; a place that is none of ours is refused."""
    data = bytes(range(256)) * 4_000

    async def story(
        platform: MailPlatform, opened: Callable[[ChannelAccount], EmailChannel]
    ) -> None:
        bare = _bare(platform)
        async with bare.runs(opened) as channel:
            sent = ("茶.bin", "application/x-tea", data)
            await platform.say("1", "look", sender=platform.owner, file=sent)
            await until(lambda: bare.kept)
            [file] = bare.kept[0].files
            assert (file.name, file.media_type) == ("茶.bin", "application/x-tea")
            assert abs(file.size - len(data)) < len(data) / 20
            assert b"".join([piece async for piece in channel.fetch(file)]) == data
            for ref in ("", '[1, 1, "2", "base64"]', file.ref.replace('"2"', '"9"')):
                with pytest.raises(ChannelNotFound):
                    async for _ in channel.fetch(replace(file, ref=ref)):
                        pass

    _play(tmp_path, story)


def test_settings_are_tried_and_no_password_is_told(tmp_path: Path) -> None:
    async def story(
        platform: MailPlatform, opened: Callable[[ChannelAccount], EmailChannel]
    ) -> None:
        good: dict[str, Any] = dict(platform.account())
        assert await probe(good, Language.ENGLISH) == ASSISTANT
        with pytest.raises(ChannelAuthFailed) as wrong:
            await probe({**good, "password": "canary-no"}, Language.ENGLISH)
        with pytest.raises(ChannelRefused, match="no folder “Nowhere”"):
            await probe({**good, "folder": "Nowhere"}, Language.ENGLISH)
        with pytest.raises(ChannelError, match="cannot be reached"):
            await probe({**good, "smtpPort": free_port()}, Language.ENGLISH)
        assert "canary" not in f"{wrong.value} {wrong.value.hint}"
        assert not platform.border.taken

    _play(tmp_path, story)
