"""Persons with mailboxes on a real IMAP server, for the suite of channels.

    platform = MailPlatform(server)                     # of `chat_servers.dovecot`
    await platform.start()
    await platform.say("1", "hello", sender=platform.owner)
    platform.posts(platform.owner)

What the assistant sends goes to an SMTP server of the test's (aiosmtpd), which asks for a login.
What persons write is handed to the IMAP server over LMTP, with a line that says whether they are
who they say (Authentication-Results), as the border of a real domain writes it.
"""

from __future__ import annotations

import asyncio
import logging
import smtplib
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from moltbot_desktop.extensions.email.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import Post
from tests.fakes.chat_servers import HOST, ChatServer, free_port
from tests.fakes.held import hold

DOMAIN = "test.local"
VOUCHER = "mx.test.local"
ASSISTANT = f"molty@{DOMAIN}"
USERS = {ASSISTANT: "canary-pw0", f"ada@{DOMAIN}": "pw1", f"eve@{DOMAIN}": "pw2"}


@dataclass
class Border:
    """The SMTP server of a domain.

    Attributes:
        lmtp: port that mail is handed over to.
        tls: for a server that speaks STARTTLS.
        refusals: what the next e-mails are answered with, such as "550 5.1.1 nobody".
        taken: what was taken, in order.
        hands_over: whether it goes on into somebody's mailbox.
        lines: how many were made so far.
    """

    lmtp: int
    port: int = field(default_factory=free_port)
    tls: ssl.SSLContext | None = None
    refusals: list[str] = field(default_factory=list)
    taken: list[EmailMessage] = field(default_factory=list)
    hands_over: bool = False
    lines: int = 0
    _server: asyncio.Server | None = None
    _lines: set[asyncio.BaseTransport] = field(default_factory=set)

    async def start(self) -> None:
        # At each login it says that it keeps a name of old.
        logging.getLogger("mail.log").setLevel(logging.ERROR)
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._line, HOST, self.port)

    def _line(self) -> SMTP:
        lines, border = self._lines, self

        class Line(SMTP):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                lines.add(transport)
                border.lines += 1
                super().connection_made(transport)

            def connection_lost(self, error: Exception | None) -> None:
                lines.discard(self.transport)
                super().connection_lost(error)

        return Line(
            self,
            hostname=VOUCHER,
            tls_context=self.tls,
            require_starttls=self.tls is not None,
            authenticator=_login,
            auth_require_tls=False,
            loop=asyncio.get_running_loop(),
        )

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            for one in list(self._lines):
                one.abort()  # type: ignore[attr-defined]
            await self._server.wait_closed()
            self._server = None
            logging.getLogger("mail.log").setLevel(logging.NOTSET)

    def hold(self) -> None:
        """It answers nothing any more, and lets nobody go."""
        assert self._server is not None
        hold(self._server, self._lines)

    async def handle_DATA(self, _: SMTP, session: Session, envelope: Envelope) -> str:
        if not session.authenticated:
            return "530 5.7.0 log in first"
        if self.refusals:
            return self.refusals.pop(0)
        content = envelope.original_content or b""
        letter = message_from_bytes(content, policy=policy.default)
        assert isinstance(letter, EmailMessage)
        said = str(letter["From"]).rpartition("@")[2].strip("<> ")
        login = session.auth_data
        came = login.login.decode().rpartition("@")[2] if isinstance(login, LoginPassword) else ""
        if self.hands_over:
            content = vouched(content, said, "pass" if said == came else "fail")
            to, sender = envelope.rcpt_tos, envelope.mail_from or ""
            await asyncio.to_thread(hand_over, self.lmtp, content, to=to, sender=sender)
        self.taken.append(letter)
        return "250 2.0.0 kept"


def vouched(content: bytes, domain: str, result: str = "pass") -> bytes:
    """With what the border of the domain found out about the sender."""
    mark = f"Authentication-Results: {VOUCHER}; dmarc={result} header.from={domain}\r\n"
    return mark.encode() + content


def hand_over(
    lmtp: int, *letters: bytes, to: Sequence[str] = (ASSISTANT,), sender: str = "x@y.example"
) -> None:
    """Put e-mails into a mailbox as they are."""
    with smtplib.LMTP(HOST, lmtp) as client:
        for one in letters:
            client.sendmail(sender, list(to), one)


def _login(*given: object) -> AuthResult:
    data = given[-1]
    right = (
        isinstance(data, LoginPassword) and USERS.get(data.login.decode()) == data.password.decode()
    )
    return AuthResult(success=right, auth_data=data)


@dataclass
class MailPlatform:
    """Implements `channel_contract.Platform` on a real IMAP server. All that one person writes is
    one conversation."""

    server: ChatServer
    channel: str = "email"
    capabilities: Capabilities = CAPABILITIES
    owner: str = f"ada@{DOMAIN}"
    stranger: str = f"eve@{DOMAIN}"
    group: str = ""
    threads: dict[str, list[str]] = field(default_factory=dict)
    border: Border = field(init=False)
    _read: list[Post | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.border = Border(int(self.server.more["lmtp"]))

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"email": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        here = {"Host": HOST, "Security": "none"}
        return {
            "address": ASSISTANT,
            "password": USERS[ASSISTANT] if token_is_right else "wrong",
            **{f"imap{name}": value for name, value in here.items()},
            **{f"smtp{name}": value for name, value in here.items()},
            "imapPort": self.server.port,
            "smtpPort": self.border.port,
            "authservId": VOUCHER,
            "maxPerHour": 0,
        }

    async def start(self) -> None:
        if self.server.process is None:
            await asyncio.to_thread(self.server.start)
        await self.border.start()

    async def stop(self) -> None:
        await self.border.stop()
        # As a crash would: it takes seconds to end by itself, and has on the disk what it took.
        await asyncio.to_thread(self.server.kill)

    async def hold(self) -> None:
        self.border.hold()
        self.server.hold()

    def own_id(self, message_id: str) -> str:
        return f"{message_id}@{DOMAIN}"

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
        thread = self.threads.setdefault(sender, [])
        letter = EmailMessage(policy=policy.SMTP)
        letter["From"], letter["To"], letter["Subject"] = sender, ASSISTANT, "Re: tea"
        letter["Message-ID"] = f"<{self.own_id(message_id)}>"
        if thread:
            letter["References"] = f"<{thread[0]}> <{thread[-1]}>"
        else:
            letter["In-Reply-To"] = "<an.earlier.one@test.local>"
            thread.append("an.earlier.one@test.local")
        thread.append(self.own_id(message_id))
        letter.set_content(text)
        if file is not None:
            name, kind, data = file
            top, _, rest = kind.partition("/")
            letter.add_attachment(data, maintype=top, subtype=rest, filename=name)
        content = vouched(letter.as_bytes(), DOMAIN)
        await asyncio.to_thread(
            hand_over, self.border.lmtp, *[content] * times, to=(ASSISTANT,), sender=sender
        )

    def posts(self, to: str) -> Sequence[Post]:
        for one in self.border.taken[len(self._read) :]:
            ours = one["From"].addresses[0].addr_spec == ASSISTANT
            self._read.append(post_of(one) if ours else None)
        return [one for one in self._read if one is not None and one.to == to]

    def versions(self, post_id: str) -> Sequence[str]:
        return ()

    def reactions(self, message_id: str) -> Sequence[str]:
        return ()


def post_of(letter: EmailMessage) -> Post:
    body = letter.get_body(("plain",))
    files = tuple((str(one.get_filename()), one.get_content()) for one in letter.iter_attachments())
    answered = str(letter["In-Reply-To"] or "").strip("<>")
    text = body.get_content().strip("\n") if body is not None else ""
    name = str(letter["Message-ID"]).strip("<>")
    return Post(name, str(letter["To"]), text, answered.removesuffix(f"@{DOMAIN}"), files)
