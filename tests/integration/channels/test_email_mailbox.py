"""The mailbox and the post by themselves: servers that say things in awkward moments, and
encryption."""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.plugins import ChannelAccount
from tests.fakes.bare_channel import Bare
from tests.fakes.channel_contract import until

pytest.importorskip("imap_tools")
pytest.importorskip("aiosmtpd")

# What follows needs the libraries.
from moltbot_desktop.extensions.email.channel import EmailChannel, probe
from tests.fakes.mail_people import ASSISTANT, USERS, VOUCHER, Border
from tests.fakes.scripted_imap import PASSWORD, ScriptedImap

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
CERTIFICATE = Path(__file__).parents[2] / "data" / "self_signed.pem"


def letter(number: int, text: str) -> bytes:
    mark = f"Authentication-Results: {VOUCHER}; dmarc=pass header.from=example.org"
    head = f"From: ada@example.org\r\nMessage-ID: <{number}@example.org>\r\nSubject: {text}"
    return f"{mark}\r\n{head}\r\n\r\n{text}".encode()


def account(imap: ScriptedImap, **more: object) -> dict[str, Any]:
    return {
        "address": ASSISTANT,
        "password": PASSWORD,
        "imapHost": "127.0.0.1",
        "imapPort": imap.port,
        "imapSecurity": "none",
        "smtpHost": "127.0.0.1",
        "smtpPort": 9,
        "smtpSecurity": "none",
        "authservId": VOUCHER,
        "pollSeconds": 0.05,
        **more,
    }


def play(
    story: Callable[[ScriptedImap], Coroutine[Any, Any, None]], imap: ScriptedImap | None = None
) -> None:
    async def scene(server: ScriptedImap) -> None:
        await server.start()
        try:
            await story(server)
        finally:
            await server.stop()

    asyncio.run(scene(imap or ScriptedImap()))


def opener(state: Path) -> Callable[[ChannelAccount], EmailChannel]:
    clock = ManualClock(NOW)
    return lambda given: EmailChannel(given, clock, Language.ENGLISH, state)


@pytest.mark.parametrize("moment", ["STORE", "FETCH", "SEARCH", "IDLE"])
def test_what_a_server_says_behind_something_else_is_heard(tmp_path: Path, moment: str) -> None:
    """It says once that something came; while it idles after that it says nothing more."""

    async def story(imap: ScriptedImap) -> None:
        bare = Bare(account(imap))
        async with bare.runs(opener(tmp_path)):
            await until(lambda: imap.asked[-1] == "IDLE")
            imap.comes[moment] = (2, letter(2, "two"))
            imap.write(1, letter(1, "one"))
            await until(lambda: len(bare.kept) == 2)
            assert [one.text for one in bare.kept] == ["one", "two"]

    play(story)


def test_a_server_that_never_says_when_something_comes_is_asked(tmp_path: Path) -> None:
    async def story(imap: ScriptedImap) -> None:
        bare = Bare(account(imap))
        async with bare.runs(opener(tmp_path)):
            imap.letters[1] = letter(1, "one")
            await until(lambda: bare.kept)
            assert "IDLE" not in imap.asked and "NOOP" in imap.asked

    play(story, ScriptedImap(can="IMAP4rev1"))


def test_a_line_that_ends_while_nothing_is_said_ends_the_connection(tmp_path: Path) -> None:
    async def story(imap: ScriptedImap) -> None:
        opened = opener(tmp_path)
        given = ChannelAccount(account(imap), _nothing, lambda: None, lambda _: None)
        running = asyncio.ensure_future(opened(given).run())
        await until(lambda: imap.asked[-1:] == ["IDLE"])
        await imap.stop()
        with pytest.raises(ChannelError, match="ended the connection"):
            await running

    play(story)


async def _nothing(_: object) -> None:
    """Keeps no message."""


@pytest.mark.parametrize(
    ("command", "kind"), [("AUTHENTICATE", ChannelAuthFailed), ("SELECT", ChannelRefused)]
)
def test_a_refusal_says_what_to_set_right(
    tmp_path: Path, command: str, kind: type[ChannelError]
) -> None:
    async def story(imap: ScriptedImap) -> None:
        with pytest.raises(kind) as refused:
            await probe(account(imap), Language.ENGLISH)
        assert type(refused.value) is kind and refused.value.hint
        assert PASSWORD not in f"{refused.value} {refused.value.hint}"

    play(story, ScriptedImap(refuses={command}))


def test_one_who_cannot_say_who_it_is_is_let_in_all_the_same() -> None:
    async def story(imap: ScriptedImap) -> None:
        with pytest.raises(ChannelError, match=":9 cannot be reached"):
            await probe(account(imap), Language.ENGLISH)
        assert "ID" in imap.asked and imap.asked[-1] == "LOGOUT"

    play(story, ScriptedImap(refuses={"ID"}))


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    """At both servers, and before a password goes over the line; the owner may trust it."""

    async def story(imap: ScriptedImap) -> None:
        border = Border(0, tls=_context())
        await border.start()
        try:
            good = account(
                *(imap,),
                password=USERS[ASSISTANT],
                imapHost="localhost",
                imapSecurity="tls",
                smtpHost="localhost",
                smtpPort=border.port,
                smtpSecurity="starttls",
            )
            with pytest.raises(ChannelError, match="of localhost cannot be trusted") as refused:
                await probe(good, Language.ENGLISH)
            assert "caFile" in refused.value.hint and not imap.asked
            trusting = {**good, "caFile": str(CERTIFICATE)}
            assert await probe(trusting, Language.ENGLISH) == ASSISTANT
        finally:
            await border.stop()

    play(story, ScriptedImap(tls=_context()))


def test_what_cannot_be_encrypted_is_told_nothing() -> None:
    async def story(imap: ScriptedImap) -> None:
        with pytest.raises(ChannelRefused, match="offers no encryption"):
            await probe(account(imap, imapSecurity="starttls"), Language.ENGLISH)
        assert imap.asked == ["CAPABILITY"]
        border = Border(0)
        await border.start()
        try:
            plain = account(imap, smtpSecurity="starttls", smtpPort=border.port)
            with pytest.raises(ChannelRefused, match="offers no encryption"):
                await probe(plain, Language.ENGLISH)
        finally:
            await border.stop()

    play(story)


def test_without_the_library_the_reason_is_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which the program tells with the line that installs it (tests of `channels.supervised`)."""
    for name in [one for one in sys.modules if one.startswith("moltbot_desktop.extensions.email")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "imap_tools", None)
    from moltbot_desktop.extensions.email import plugin

    registered: list[Any] = []

    class Api:
        class runtime:
            clock, language, state = ManualClock(NOW), Language.ENGLISH, Path()

        register_channel = registered.append

    plugin.register(Api())  # type: ignore[arg-type]
    [kind] = registered
    with pytest.raises(ImportError) as missing:
        kind.open(None)
    assert (missing.value.name, kind.extra) == ("imap_tools", "email")
