"""Sending over SMTP, one e-mail after another on a thread of its own.

    post = Post(settings, language, "main")
    await post.send("ada@example.org", lambda: letter, "run-9:0")

A try that somebody gave up waiting for goes on; the next one with its key waits for the same, so
that impatience sends nothing twice. The name of this computer is told to nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import smtplib
import socket
from collections import OrderedDict
from collections.abc import Callable
from email.message import EmailMessage

from moltbot_desktop.core.errors import ChannelAuthFailed
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.email.providers import Security
from moltbot_desktop.extensions.email.settings import EmailSettings
from moltbot_desktop.extensions.email.trouble import checked, failure, tls_context, told
from moltbot_desktop.extensions.email.worker import Worker

ANSWER_SECONDS = 40.0
END_SECONDS = 0.8
LINGER_SECONDS = 5.0
"""That a line is kept for what goes next."""
MOST_KNOWN = 200
_FINE = 250
_OURSELVES = "[127.0.0.1]"
"""What a client without a name of its own may say (RFC 5321, 4.1.1.1)."""


class Post:
    """Belongs to an event loop; what begins with ``_do`` belongs to the worker's thread."""

    def __init__(self, settings: EmailSettings, language: Language, name: str) -> None:
        """Raises ChannelRefused when the settings lack something."""
        self._settings = settings
        self._language = language
        _, self._server = checked(settings, language)
        self._context = tls_context(settings.ca_file, language)
        self._worker = Worker(f"email {name} smtp", self._do_drop)
        self._client: smtplib.SMTP | None = None
        self._tries: OrderedDict[str, asyncio.Task[None]] = OrderedDict()
        self._sock: socket.socket | None = None
        self._given_up = False

    async def send(self, to: str, letter: Callable[[], EmailMessage], key: str) -> None:
        """Returns when the server has it.

        Args:
            letter: makes it; may block.

        Raises:
            ChannelError: as in `Outgoing.send`.
        """
        trying = self._tries.get(key)
        if trying is None or (trying.done() and (trying.cancelled() or trying.exception())):
            loop = asyncio.get_running_loop()
            trying = loop.create_task(self._tried(to, letter), name="email send")
            self._tries[key] = trying
            while len(self._tries) > MOST_KNOWN and self._oldest_is_over():
                self._tries.popitem(last=False)
        await asyncio.shield(trying)

    async def probe(self) -> None:
        """Log in, and send nothing. Raises what `send` does."""
        with told(self._server, self._settings, self._language):
            await self._worker.call(self._do_probe)

    async def close(self) -> None:
        """What is being sent gets a moment."""
        self._worker.close()
        if not await self._worker.ended(END_SECONDS):
            self._given_up = True
            if self._sock is not None:
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(self._sock, socket.SHUT_RDWR)
        for trying in self._tries.values():
            trying.cancel()
        await asyncio.gather(*self._tries.values(), return_exceptions=True)

    def _oldest_is_over(self) -> bool:
        return next(iter(self._tries.values())).done()

    async def _tried(self, to: str, letter: Callable[[], EmailMessage]) -> None:
        with told(self._server, self._settings, self._language, to):
            await self._worker.call(lambda: self._do_send(to, letter()))
        self._worker.later(self._do_linger)

    # ------------------------------------------------------------ on the worker's thread

    def _do_send(self, to: str, letter: EmailMessage) -> None:
        data = letter.as_bytes()  # by its own policy
        client = self._do_kept() or self._do_connect()
        try:
            client.sendmail(self._settings.address, [to], data)
        except BaseException:
            self._do_leave(client)
            raise
        self._client = client

    def _do_kept(self) -> smtplib.SMTP | None:
        """The line of before, if it still stands."""
        client, self._client = self._client, None
        if client is None:
            return None
        with contextlib.suppress(smtplib.SMTPException):
            if client.noop()[0] == _FINE:
                return client
        self._do_leave(client)
        return None

    def _do_linger(self) -> None:
        """Keep the line for what comes next; without it, say good-bye."""
        if self._client is None:
            return
        ended = self._worker.wait_for(self._client.sock, LINGER_SECONDS)
        if ended or not self._worker.is_wanted:
            self._do_drop()

    def _do_drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            self._do_leave(client)

    def _do_probe(self) -> None:
        self._do_leave(self._do_connect())

    def _do_connect(self) -> smtplib.SMTP:
        if self._given_up:
            raise ConnectionAbortedError("closed")
        host, port = self._server.host, self._server.port
        client: smtplib.SMTP
        if self._server.security is Security.TLS:
            client = smtplib.SMTP_SSL(
                host,
                port,
                local_hostname=_OURSELVES,
                timeout=ANSWER_SECONDS,
                context=self._context,
            )
        else:
            client = smtplib.SMTP(host, port, local_hostname=_OURSELVES, timeout=ANSWER_SECONDS)
        try:
            if self._server.security is Security.STARTTLS:
                client.starttls(context=self._context)
            self._sock = client.sock
            client.login(self._settings.user, self._settings.password)
        except UnicodeError:
            client.close()
            about = {"host": host, "user": self._settings.user}
            raise failure(ChannelAuthFailed, "login", self._language, **about) from None
        except BaseException:
            client.close()
            raise
        return client

    def _do_leave(self, client: smtplib.SMTP) -> None:
        """What was taken is taken, whatever becomes of the good-bye."""
        self._sock = None
        with contextlib.suppress(OSError, smtplib.SMTPException):
            client.quit()
        client.close()
