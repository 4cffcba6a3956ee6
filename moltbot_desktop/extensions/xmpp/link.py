"""A session with an XMPP server, over slixmpp: begun, watched and ended.

    async with session(settings, language) as link:
        link.client.send_presence()
        xml, writer = await link.next()                  # raises when the connection has ended

slixmpp connects again by itself; that is left to the program, so that the first failure of any kind
ends the session here. Unencrypted lines and certificates that nobody vouches for are never taken.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncIterator
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree as ET

from slixmpp import ClientXMPP
from slixmpp.jid import JID
from slixmpp.stanza import Message

from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.xmpp.settings import XmppSettings
from moltbot_desktop.extensions.xmpp.words import PHRASES

BEGIN_SECONDS = 45.0
END_SECONDS = 0.5
PLUGINS = (
    *("xep_0030", "xep_0045", "xep_0059", "xep_0085", "xep_0199", "xep_0249", "xep_0297"),
    *("xep_0308", "xep_0313", "xep_0359", "xep_0424", "xep_0444", "xep_0461"),
)


@lru_cache(maxsize=4)
def _made_context(own: str, _own_changed: int, _theirs_changed: int) -> ssl.SSLContext:
    """One for all connections that trust the same. Each is nearly a megabyte, and slixmpp, which
    would make one for each attempt, hangs it on a ring of objects that may outlast the attempt.

    Raises:
        OSError: `own` cannot be read, or holds no certificate.
    """
    context = ssl.create_default_context()
    if own:
        context.load_verify_locations(own)
    return context


class _Client(ClientXMPP):
    """slixmpp's, which tells that the line was lost before it tells why the handshake failed.

    Attributes:
        in_handshake: the reason for a loss comes later.
    """

    in_handshake = False

    async def start_tls(self) -> bool:
        self.in_handshake = True
        went = await super().start_tls()
        self.in_handshake = False
        if not went:
            self.event("disconnected")
        return went


class Link:
    """Attributes:
    client: slixmpp's.
    bounced: the condition by the id of a message that came back.
    over: set when the session has ended.
    """

    def __init__(self, settings: XmppSettings, language: Language) -> None:
        """Raises ChannelRefused when the settings lack something."""
        self._settings = settings
        self._language = language
        self.bounced: dict[str, str] = {}
        self._heard: asyncio.Queue[tuple[ET.Element, str] | None] = asyncio.Queue()
        self._begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.over = asyncio.Event()
        self._problem: ChannelError | None = None
        if "@" not in settings.jid or not settings.password:
            raise self._refused("no_account")
        # At lower levels it writes every stanza into the log, the login too.
        logging.getLogger("slixmpp").setLevel(logging.CRITICAL)
        self.client = self._client()

    def _client(self) -> _Client:
        settings = self._settings
        client = _Client(settings.jid, settings.password, ssl_context=self._context())
        client.enable_direct_tls = settings.direct_tls
        client.enable_starttls = not settings.direct_tls
        for name in PLUGINS:
            client.register_plugin(name)
        # Who may see when we are here is nobody's to decide but the owner's.
        client.roster.auto_authorize = False
        client.roster.auto_subscribe = False
        for event, handler in (
            ("session_start", self._has_begun),
            ("message", self._hears),
            ("message_error", self._came_back),
            # Of each way to log in that fails there is an event of its own: others may do.
            ("failed_all_auth", lambda _: self._ends(self._auth())),
            ("ssl_invalid_chain", lambda _: self._ends(self._error("certificate"))),
            ("connection_failed", self._unreachable),
            ("disconnected", self._lost),
        ):
            client.add_event_handler(event, handler)
        return client

    def _context(self) -> ssl.SSLContext:
        """Of this computer's certificates and the settings' own, as they are now."""
        own = Path(self._settings.ca_file).expanduser() if self._settings.ca_file else None
        theirs = ssl.get_default_verify_paths().cafile
        try:
            changed = own.stat().st_mtime_ns if own else 0
            theirs_changed = Path(theirs).stat().st_mtime_ns if theirs else 0
            return _made_context(str(own or ""), changed, theirs_changed)
        except OSError as error:  # ssl.SSLError is one
            raise self._refused("ca_file", file=self._settings.ca_file) from error

    async def begin(self) -> None:
        """Connect and log in; nobody sees us yet.

        Raises:
            ChannelAuthFailed: the password is wrong.
            ChannelError: no session came about.
        """
        settings = self._settings
        if settings.host:
            self.client.connect(settings.host, settings.port)
        else:
            self.client.connect()
        try:
            async with asyncio.timeout(BEGIN_SECONDS):
                await self._begun
        except TimeoutError as error:
            raise self._error("slow") from error

    async def next(self) -> tuple[ET.Element, str]:
        """The next message; and in a room the bare JID of who wrote it, where the room tells.

        Raises:
            ChannelError: the session has ended.
        """
        found = await self._heard.get()
        if found is None:
            self._heard.put_nowait(None)  # for whoever asks again
            raise self._problem or self._error("ended")
        return found

    @property
    def is_open(self) -> bool:
        return self._problem is None

    async def end(self) -> None:
        """Say good-bye, or do without."""
        self._problem = self._problem or self._error("ended")
        self.over.set()
        client = self.client
        client.cancel_connection_attempt()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS * 2):
                await client.disconnect(END_SECONDS, ignore_send_queue=True)
        client.abort()
        if client._run_out_filters is not None:
            client._run_out_filters.cancel()

    def _has_begun(self, _: object) -> None:
        if not self._begun.done():
            self._begun.set_result(None)

    def _hears(self, stanza: Message) -> None:
        """Who has a nick is asked at once: a moment later it may be somebody else."""
        writer = ""
        if stanza["type"] == "groupchat":
            room, nick = JID(stanza["from"].bare), str(stanza["from"].resource)
            real = self.client.plugin["xep_0045"].get_jid_property(room, nick, "jid")
            writer = str(JID(str(real)).bare).lower() if real else ""
        self._heard.put_nowait((stanza.xml, writer))

    def _came_back(self, stanza: Message) -> None:
        if len(self.bounced) < 1_000:
            self.bounced[str(stanza["id"])] = str(stanza["error"]["condition"])

    def _lost(self, _: object) -> None:
        if not self.client.in_handshake:
            self._ends(self._error("ended"))

    def _unreachable(self, reason: object) -> None:
        if isinstance(reason, ssl.SSLCertVerificationError):
            self._ends(self._error("certificate"))
            return
        said = reason.strerror if isinstance(reason, OSError) else None
        self._ends(self._error("unreachable", reason=said or str(reason) or "?"))

    def _ends(self, problem: ChannelError) -> None:
        """The first reason counts; what comes after follows from it."""
        if self._problem is not None:
            return
        self._problem = problem
        self.over.set()
        self.client.cancel_connection_attempt()
        self._heard.put_nowait(None)
        if not self._begun.done():
            self._begun.set_exception(problem)

    def _error(self, phrase: str, **slots: object) -> ChannelError:
        said = PHRASES.say(phrase, self._language, host=self._settings.server, **slots)
        return ChannelError(said, hint=self._hint(phrase))

    def _refused(self, phrase: str, **slots: object) -> ChannelRefused:
        return ChannelRefused(PHRASES.say(phrase, self._language, **slots), hint=self._hint(phrase))

    def _auth(self) -> ChannelAuthFailed:
        given = {"host": self._settings.server, "jid": self._settings.jid}
        said = PHRASES.say("login", self._language, **given)
        return ChannelAuthFailed(said, hint=self._hint("login"))

    def _hint(self, phrase: str) -> str:
        key = f"{phrase}_hint"
        return PHRASES.say(key, self._language) if key in PHRASES.english else ""


@contextlib.asynccontextmanager
async def session(settings: XmppSettings, language: Language) -> AsyncIterator[Link]:
    """A session, ended with the block. Raises what `Link` and `Link.begin` do."""
    link = Link(settings, language)
    try:
        await link.begin()
        yield link
    finally:
        await link.end()
