"""A folder of a mailbox over IMAP: what is new in it, and parts of it; imap-tools lives here.

    async with opened(settings, language, "main") as mailbox:
        for letter in await mailbox.letters(await mailbox.behind(place)):
            ...
        await mailbox.wait()                      # until something may have come

Nothing is fetched that is not asked for: headers and structure first, then the words, a file when
somebody needs it. What is looked at stays unread until `mark`. All of it happens on the mailbox's
own thread, one thing after another; whatever wants in ends the waiting.
"""

from __future__ import annotations

import asyncio
import contextlib
import imaplib
import io
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from imap_tools import BaseMailBox, MailBox, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError, MailboxFolderSelectError, MailboxLoginError

from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.email.headers import MOST_HEADER_BYTES
from moltbot_desktop.extensions.email.place import Place
from moltbot_desktop.extensions.email.providers import Security, Server
from moltbot_desktop.extensions.email.settings import EmailSettings
from moltbot_desktop.extensions.email.trouble import checked, failure, tls_context, told
from moltbot_desktop.extensions.email.wire import (
    Malformed,
    Node,
    Part,
    number,
    read_fetched,
    read_structure,
)
from moltbot_desktop.extensions.email.worker import Worker

T = TypeVar("T")
ANSWER_SECONDS = 30.0
RENEW_SECONDS = 240.0
"""After so long idling is begun anew; routers forget a silent line."""
END_SECONDS = 0.4
MOST_AT_ONCE = 20
"""E-mails of one answer."""


@dataclass(frozen=True)
class Letter:
    """An e-mail as the server has it; `structure` is None where the server's is none."""

    uid: int
    came: datetime
    header: bytes
    structure: Part | None


@dataclass(frozen=True)
class FolderState:
    """`following`: the UID that the next e-mail will have at least."""

    validity: int
    following: int


class Mailbox:
    """Belongs to an event loop; what begins with ``_do`` belongs to the worker's thread."""

    def __init__(self, settings: EmailSettings, language: Language, name: str) -> None:
        """Raises ChannelRefused when the settings lack something."""
        self._settings = settings
        self._language = language
        self._server, _ = checked(settings, language)
        self._context = tls_context(settings.ca_file, language)
        self._worker = Worker(f"email {name} imap", self._do_drop)
        self._box: BaseMailBox | None = None
        self._sock: socket.socket | None = None
        self._can_idle = False
        self._given_up = False

    async def open(self) -> FolderState:
        """Connect, log in, choose the folder.

        Raises:
            ChannelAuthFailed: the password is not taken.
            ChannelRefused: there is no such folder.
            ChannelError: no session came about.
        """
        return await self._asked(self._do_open)

    async def behind(self, place: Place, validity: int) -> Sequence[int]:
        """The UIDs of what came behind `place`, in order; where the folder was numbered anew, of
        what came since the day before."""
        return await self._asked(lambda: self._do_search(place, validity))

    async def letters(self, uids: Sequence[int]) -> Sequence[Letter]:
        """At most `MOST_AT_ONCE`, in order; one that is gone meanwhile is left out."""
        return await self._asked(lambda: self._do_letters(uids))

    async def piece(self, uid: int, part: str, begin: int, most: int) -> bytes:
        """Bytes of one part as it was transferred; none behind its end, or where it is gone."""
        return await self._asked(lambda: self._do_piece(uid, part, begin, most))

    async def headers_of(self, message_id: str) -> bytes:
        """The headers of the e-mail with this id, b"" for none."""
        return await self._asked(lambda: self._do_find(message_id))

    async def mark(self, uids: Sequence[int]) -> None:
        """Mark as read."""
        if uids:
            await self._asked(lambda: self._do_mark(uids))

    async def wait(self) -> None:
        """Until something may have come, somebody else wants something of the mailbox, or a few
        minutes are over."""
        await self._asked(self._do_wait)

    async def close(self) -> None:
        """Say good-bye, or do without."""
        with contextlib.suppress(ChannelError, TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await self._asked(self._do_leave)
        self._given_up = True
        if self._sock is not None:
            with contextlib.suppress(OSError):
                # Not TLS's own, which would change the object under the thread that reads.
                socket.socket.shutdown(self._sock, socket.SHUT_RDWR)
        self._worker.close()
        await self._worker.ended(END_SECONDS)

    async def _asked(self, job: Callable[[], T]) -> T:
        with told(self._server, self._settings, self._language):
            try:
                return await self._worker.call(job)
            except ImapToolsError as error:
                raise imaplib.IMAP4.error(str(error)) from error

    # ------------------------------------------------------------ on the worker's thread

    def _do_open(self) -> FolderState:
        box = _connected(self._server, self._context)
        client = box.client
        self._box, self._sock = box, client.sock
        # Whoever closed us before knew of no line.
        if self._given_up:
            raise ConnectionAbortedError("closed")
        self._do_login(box)
        known = _capabilities(client)
        self._can_idle = "IDLE" in known
        if "ID" in known:  # some let nobody in who does not say what they are (RFC 2971)
            try:
                client.xatom("ID", '("name" "moltbot-desktop" "vendor" "moltbot-desktop")')
            except imaplib.IMAP4.abort:
                raise
            except imaplib.IMAP4.error:
                pass  # it need not like it
        try:
            box.folder.set(self._settings.folder)
        except MailboxFolderSelectError as error:
            raise failure(
                ChannelRefused,
                "no_folder",
                self._language,
                folder=self._settings.folder,
                host=self._server.host,
            ) from error
        return FolderState(_untagged(client, "UIDVALIDITY"), self._do_following(client))

    def _do_login(self, box: BaseMailBox) -> None:
        settings = self._settings
        try:
            # LOGIN takes no letters beyond ASCII.
            if "AUTH=PLAIN" in box.client.capabilities:
                box.login_utf8(settings.user, settings.password, initial_folder=None)
            else:
                box.login(settings.user, settings.password, initial_folder=None)
        except imaplib.IMAP4.abort:
            raise
        except (MailboxLoginError, imaplib.IMAP4.error, UnicodeError) as error:
            if "[UNAVAILABLE]" in str(error).upper() or "[INUSE]" in str(error).upper():
                raise imaplib.IMAP4.abort("unavailable") from None
            given = {"host": self._server.host, "user": settings.user}
            raise failure(ChannelAuthFailed, "login", self._language, **given) from None

    def _do_following(self, client: imaplib.IMAP4) -> int:
        """Servers need not say it when a folder is chosen."""
        said = _untagged(client, "UIDNEXT")
        if said:
            return said
        uids = self._do_uids("1:*")
        return max(uids, default=0) + 1

    def _do_search(self, place: Place, validity: int) -> Sequence[int]:
        _has_grown(self._do_box().client)  # what was said before this search says nothing new
        if place.validity != validity:
            return self._do_uids("1:*", "SINCE", place.search_day)
        # The last one always counts for "*", however small its number.
        return [uid for uid in self._do_uids(f"{place.uid + 1}:*") if uid > place.uid]

    def _do_uids(self, uids: str, *more: str) -> list[int]:
        found = self._do_ask("SEARCH", "UID", uids, *more)
        return sorted({int(one) for line in found if isinstance(line, bytes) for one in _ids(line)})

    def _do_letters(self, uids: Sequence[int]) -> Sequence[Letter]:
        if not uids:
            return ()
        wanted = ",".join(map(str, uids[:MOST_AT_ONCE]))
        header = f"BODY.PEEK[HEADER]<0.{MOST_HEADER_BYTES}>"
        try:
            found = self._do_ask("FETCH", wanted, f"(UID INTERNALDATE BODYSTRUCTURE {header})")
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:  # some servers break on one that is damaged
            if len(uids) == 1:
                return ()
            return [one for uid in uids[:MOST_AT_ONCE] for one in self._do_letters([uid])]
        letters = {}
        for answer in read_fetched(found):
            letter = _letter(answer)
            if letter is not None:
                letters[letter.uid] = letter
        return [letters[uid] for uid in uids if uid in letters]

    def _do_piece(self, uid: int, part: str, begin: int, most: int) -> bytes:
        found = self._do_ask("FETCH", str(uid), f"(UID BODY.PEEK[{part}]<{begin}.{most}>)")
        for answer in read_fetched(found):
            if number(answer.get("UID")) == uid:
                return next((_data(v) for k, v in answer.items() if k.startswith("BODY[")), b"")
        return b""

    def _do_find(self, message_id: str) -> bytes:
        if not message_id.isascii() or not message_id.isprintable():
            return b""
        quoted = '"' + message_id.replace("\\", "\\\\").replace('"', '\\"') + '"'
        found = self._do_ask("SEARCH", "HEADER", "Message-ID", quoted)
        uids = [one for line in found if isinstance(line, bytes) for one in _ids(line)]
        if not uids:
            return b""
        return next((one.header for one in self._do_letters([int(uids[-1])])), b"")

    def _do_mark(self, uids: Sequence[int]) -> None:
        wanted = ",".join(map(str, uids))
        with contextlib.suppress(imaplib.IMAP4.readonly):
            self._do_ask("STORE", wanted, "+FLAGS.SILENT", "(\\Seen)")

    def _do_ask(self, command: str, *arguments: str) -> list[object]:
        client = self._do_box().client
        kind, data = client.uid(command, *arguments)
        if kind != "OK":
            raise imaplib.IMAP4.error(f"{command}: {_first(data)}")
        return list(data)

    def _do_wait(self) -> None:
        box = self._do_box()
        # A server says once that something came, be it behind the answer to something else.
        if self._worker.is_wanted or _has_grown(box.client):
            return
        if not self._can_idle:
            self._worker.wait_for(None, self._settings.poll_seconds)
            box.client.noop()
            return
        client = box.client
        tag = _idling(client)
        while not _has_grown(client) and not _has_data(client):
            if not self._worker.wait_for(client.sock, RENEW_SECONDS):
                break
        client.send(b"DONE\r\n")
        box.consume_until_tagged_response(tag)

    def _do_leave(self) -> None:
        """Whatever a server answers to good-bye, we go."""
        if self._box is not None:
            with contextlib.suppress(OSError, imaplib.IMAP4.error, ImapToolsError):
                self._box.client.logout()

    def _do_drop(self) -> None:
        box, self._box = self._box, None
        if box is not None:
            with contextlib.suppress(OSError):
                box.client.shutdown()

    def _do_box(self) -> BaseMailBox:
        if self._box is None:
            raise ConnectionAbortedError("closed")
        return self._box


@contextlib.asynccontextmanager
async def opened(settings: EmailSettings, language: Language, name: str) -> AsyncIterator[Mailbox]:
    """A mailbox that is closed with the block. Raises ChannelRefused."""
    mailbox = Mailbox(settings, language, name)
    try:
        yield mailbox
    finally:
        await mailbox.close()


def _connected(server: Server, context: ssl.SSLContext) -> BaseMailBox:
    if server.security is Security.TLS:
        return MailBox(server.host, server.port, timeout=ANSWER_SECONDS, ssl_context=context)
    box = MailBoxUnencrypted(server.host, server.port, timeout=ANSWER_SECONDS)
    if server.security is Security.STARTTLS:
        try:
            box.client.starttls(context)
        except (OSError, imaplib.IMAP4.error):
            with contextlib.suppress(OSError):
                box.client.shutdown()
            raise
    return box


def _idling(client: imaplib.IMAP4) -> bytes:
    """Begin to idle (RFC 2177). Servers may say this and that before they say that they wait.

    Raises:
        imaplib.IMAP4.error: it was refused.
    """
    tag: bytes = client._command("IDLE")
    while client._get_response() is not None:
        if client.tagged_commands.get(tag):
            raise imaplib.IMAP4.error("IDLE")
    return tag


def _has_grown(client: imaplib.IMAP4) -> bool:
    """Whether the server has said since it was last asked here that the folder has more in it."""
    _, said = client.response("EXISTS")
    return any(said or ())


def _has_data(client: imaplib.IMAP4) -> bool:
    """Whether something is to be read, in our own buffers too, where no wait for the line sees it.

    Raises:
        imaplib.IMAP4.abort: the line was closed.
    """
    sock = client.sock
    sock.settimeout(0)
    try:
        if isinstance(client.file, io.BufferedReader) and client.file.peek(1):
            return True
        # Of a line without TLS nothing to read looks like its end to the buffer above it.
        if not isinstance(sock, ssl.SSLSocket) and sock.recv(1, socket.MSG_PEEK):
            return True
    except (ssl.SSLWantReadError, BlockingIOError):
        return False
    finally:
        sock.settimeout(ANSWER_SECONDS)
    raise imaplib.IMAP4.abort("EOF")


def _capabilities(client: imaplib.IMAP4) -> frozenset[str]:
    """More may be there behind the login."""
    kind, data = client.capability()
    said = " ".join(one.decode("ascii", "replace") for one in data if isinstance(one, bytes))
    return frozenset(said.upper().split()) if kind == "OK" else frozenset(client.capabilities)


def _untagged(client: imaplib.IMAP4, name: str) -> int:
    _, data = client.response(name)
    found = data[0] if data else None
    return int(found) if isinstance(found, bytes) and found.isdigit() else 0


def _letter(answer: Mapping[str, Node]) -> Letter | None:
    uid = number(answer.get("UID"))
    header = next((_data(v) for k, v in answer.items() if k.startswith("BODY[HEADER]")), b"")
    if not uid or "BODYSTRUCTURE" not in answer:
        return None  # a flag of some e-mail has changed meanwhile
    structure: Part | None
    try:
        structure = read_structure(answer["BODYSTRUCTURE"])
    except Malformed:
        structure = None
    return Letter(uid, _when(_data(answer.get("INTERNALDATE"))), header, structure)


def _when(raw: bytes) -> datetime:
    """``22-Nov-2026 17:00:00 +0000``; the beginning of time for what is none."""
    try:
        found = parsedate_to_datetime(raw.decode("ascii").strip().replace("-", " ", 2))
    except (ValueError, TypeError, IndexError):
        return datetime.fromtimestamp(0, UTC)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _data(node: Node | None) -> bytes:
    return node if isinstance(node, bytes) else b""


def _ids(line: bytes) -> list[str]:
    return [one.decode() for one in line.split() if one.isdigit() and len(one) < 12]


def _first(data: Sequence[object]) -> str:
    return data[0].decode("utf-8", "replace") if data and isinstance(data[0], bytes) else ""
