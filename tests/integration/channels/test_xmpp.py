"""XMPP on a real server, through the whole program."""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.plugins import ChannelAccount
from tests.fakes.bare_channel import Bare
from tests.fakes.channel_contract import ChannelContract, until
from tests.fakes.chat_servers import LINUX_ONLY, prosody

pytest.importorskip("slixmpp")

# What follows needs the library.
from slixmpp.jid import JID

from moltbot_desktop.extensions.xmpp.channel import XmppChannel, probe
from moltbot_desktop.extensions.xmpp.link import Link
from moltbot_desktop.extensions.xmpp.settings import settings_from
from tests.fakes.xmpp_people import GROUP, USERS, XmppPlatform

pytestmark = LINUX_ONLY


class TestXmpp(ChannelContract):
    """The suite, with a login, rooms, corrections and the server's archive."""

    @pytest.fixture
    def platform(self, tmp_path: Path) -> Iterator[XmppPlatform]:
        with prosody(tmp_path, USERS) as server:
            yield XmppPlatform(server)


SOMEBODY = {"jid": "a@b.example", "password": "x"}
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def _opened(account: ChannelAccount) -> XmppChannel:
    return XmppChannel(account, ManualClock(NOW), Language.ENGLISH)


def test_who_wrote_and_what_was_written_meanwhile(tmp_path: Path) -> None:
    """In a room the address counts, and only of who writes now: behind us anybody may have had
    the nick. From the archives each message comes once."""

    async def story(platform: XmppPlatform) -> None:
        owner = platform.owner
        bare = Bare(platform.account())  # type: ignore[arg-type]
        async with bare.runs(_opened):
            await platform.say("1", "one", sender=owner)
            await platform.say("2", "two", sender=owner, group=GROUP, mentioned=True)
            await until(lambda: len(bare.kept) == 2)
        await platform.say("3", "three", sender=owner)
        await platform.say("4", "four", sender=owner, group=GROUP)
        await platform.people[owner].taken()
        async with bare.runs(_opened):
            await platform.say("5", "five", sender=owner)
            await until(lambda: any(one.text == "five" for one in bare.kept))
        once = {(one.text, one.message_id): one for one in bare.kept}
        assert [text for text, _ in once] == ["one", "molty: two", "three", "four", "five"]
        senders = [one.sender.id for one in once.values()]
        assert senders == [owner, owner, owner, f"{GROUP}/alice", owner]
        assert [one.mentioned for one in once.values()][1:4] == [True, True, None]

    _play(tmp_path, story)


def test_settings_are_tried_and_no_password_is_told(tmp_path: Path) -> None:
    async def story(platform: XmppPlatform) -> None:
        good: dict[str, Any] = dict(platform.account())
        assert await probe(good, Language.ENGLISH) == "molty@localhost"
        with pytest.raises(ChannelAuthFailed) as wrong:
            await probe({**good, "password": "canary-no"}, Language.ENGLISH)
        with pytest.raises(ChannelError, match="cannot be trusted") as stranger:
            await probe({**good, "caFile": ""}, Language.ENGLISH)
        with pytest.raises(ChannelRefused, match="cannot be read"):
            await probe({**good, "caFile": "/no/such/file"}, Language.ENGLISH)
        for told in (wrong.value, stranger.value):
            assert "canary" not in f"{told} {told.hint}"

    _play(tmp_path, story)


def _play(tmp_path: Path, story: Callable[[XmppPlatform], Coroutine[Any, Any, None]]) -> None:
    async def scene(platform: XmppPlatform) -> None:
        await platform.start()
        try:
            await story(platform)
        finally:
            await platform.stop()

    with prosody(tmp_path, USERS) as server:
        asyncio.run(scene(XmppPlatform(server)))


def test_an_invitation_is_taken_from_those_who_may_write(tmp_path: Path) -> None:
    async def story(platform: XmppPlatform) -> None:
        more = {"rooms": [], "joinOnInvite": True, "allowFrom": [platform.owner]}
        bare = Bare({**platform.account(), **more})  # type: ignore[dict-item]
        async with bare.runs(_opened):
            for name, room in ((platform.stranger, "trap@muc.localhost"), (platform.owner, GROUP)):
                person = platform.people[name]
                rooms = person.plugin["xep_0045"]
                if room != GROUP:
                    await rooms.join_muc_wait(JID(room), "eve", maxstanzas=0, timeout=30)
                rooms.invite(JID(room), JID("molty@localhost"))
                await person.taken()
            seen = platform.people[platform.owner].plugin["xep_0045"]
            await until(lambda: "molty" in seen.get_roster(JID(GROUP)))
            trap = platform.people[platform.stranger].plugin["xep_0045"]
            assert "molty" not in trap.get_roster(JID("trap@muc.localhost"))

    _play(tmp_path, story)


def test_accounts_that_trust_the_same_share_what_they_trust(tmp_path: Path) -> None:
    """Nearly a megabyte, which slixmpp would make anew for each attempt to connect."""
    certificate = tmp_path / "own.pem"
    shutil.copy(str(ssl.get_default_verify_paths().cafile), certificate)

    async def contexts() -> list[ssl.SSLContext]:
        files = ("", "", str(certificate), str(certificate))
        links = [
            Link(
                settings_from({"jid": "a@b.example", "password": "x", "caFile": one}),
                Language.ENGLISH,
            )
            for one in files
        ]
        return [one.client.ssl_context for one in links]

    plain, again, own, own_again = asyncio.run(contexts())
    assert plain is again and own is own_again and plain is not own
    assert plain.verify_mode is ssl.CERT_REQUIRED and plain.check_hostname
    certificate.write_text("no certificate")
    os.utime(certificate, ns=(1, 1))
    with pytest.raises(ChannelRefused, match=r"own\.pem"):
        asyncio.run(contexts())
