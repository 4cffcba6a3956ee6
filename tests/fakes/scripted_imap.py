"""An IMAP server that says what a test wants it to, when it wants it to.

    imap = ScriptedImap()
    await imap.start()
    imap.letters[1] = b"From: ada@example.org\\r\\n\\r\\nhello"
    imap.comes["STORE"] = (2, raw)          # while that is asked: said once, before the answer

Real ones say such things too, in moments that cannot be called up (RFC 9051, 5.2 and 7.4.1).
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import ssl
from dataclasses import dataclass, field

from tests.fakes.chat_servers import HOST

PASSWORD = "canary-pw"
_COMMAND = re.compile(r"(\S+) (?:UID )?(\S+)(?: (.*))?")


@dataclass
class ScriptedImap:
    """Attributes:
    letters: raw, by UID.
    comes: UID and letter that come while the next command of a name is carried out.
    refuses: commands that are answered with NO.
    asked: names of the commands that came, in order.
    """

    tls: ssl.SSLContext | None = None
    can: str = "IMAP4rev1 IDLE ID AUTH=PLAIN"
    letters: dict[int, bytes] = field(default_factory=dict)
    comes: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    refuses: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    port: int = 0
    _server: asyncio.Server | None = None
    _lines: set[asyncio.StreamWriter] = field(default_factory=set)

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, HOST, self.port, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            for writer in list(self._lines):
                writer.transport.abort()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._lines.add(writer)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            self._say(writer, "* OK ready")
            while line := (await reader.readline()).decode().strip():
                await self._answer(line, reader, writer)
        self._lines.discard(writer)
        writer.close()

    async def _answer(
        self, line: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        found = _COMMAND.fullmatch(line)
        assert found is not None, line
        tag, name, rest = found[1], found[2].upper(), found[3] or ""
        self.asked.append(name)
        if name in self.refuses:
            self._say(writer, f"{tag} NO [AUTHENTICATIONFAILED] it is not {PASSWORD}")
            return
        match name:
            case "CAPABILITY":
                self._say(writer, f"* CAPABILITY {self.can}")
            case "AUTHENTICATE":
                self._say(writer, "+ ")
                await reader.readline()
            case "SELECT":
                self._say(writer, f"* {len(self.letters)} EXISTS", "* OK [UIDVALIDITY 7] x")
            case "SEARCH":
                self._say(writer, f"* SEARCH {' '.join(map(str, self.letters))}")
            case "FETCH":
                for number, uid in enumerate(self.letters, 1):
                    if str(uid) in rest.partition(" ")[0].split(","):
                        writer.write(self._fetched(number, uid, rest))
            case "LOGOUT":
                self._say(writer, "* BYE")
            case "IDLE":
                self._say(writer, *self._come(name), "+ idling")
                await reader.readline()
        self._say(writer, *self._come(name), f"{tag} OK done")

    def _come(self, name: str) -> list[str]:
        if name not in self.comes:
            return []
        uid, raw = self.comes.pop(name)
        self.letters[uid] = raw
        return [f"* {len(self.letters)} EXISTS"]

    def write(self, uid: int, raw: bytes) -> None:
        """A letter comes while the client idles."""
        self.letters[uid] = raw
        for writer in self._lines:
            self._say(writer, f"* {len(self.letters)} EXISTS")

    def _fetched(self, number: int, uid: int, what: str) -> bytes:
        raw = self.letters[uid]
        head, _, body = raw.partition(b"\r\n\r\n")
        structure = f'("text" "plain" ("charset" "utf-8") NIL NIL "8bit" {len(body)} 1)'
        if "HEADER" in what:
            name, data = "BODY[HEADER]<0>", head + b"\r\n\r\n"
            more = f'INTERNALDATE "22-Nov-2026 12:00:00 +0000" BODYSTRUCTURE {structure} '
        else:
            name, data, more = "BODY[1]<0>", body, ""
        begin = f"* {number} FETCH (UID {uid} {more}{name} {{{len(data)}}}\r\n"
        return begin.encode() + data + b")\r\n"

    def _say(self, writer: asyncio.StreamWriter, *lines: str) -> None:
        writer.write("".join(f"{line}\r\n" for line in lines).encode())
