"""A connection to a broker, on which nothing is acknowledged before it was kept.

async with connected(settings, language) as line:
    async for message in line.messages:      # paho's own; `dup`: it was given before
        ...
        line.acknowledge(message)
"""

from __future__ import annotations

import contextlib
import re
import secrets
import ssl
from collections.abc import AsyncIterator
from typing import Any, Final, cast

import aiomqtt
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.client import MQTTMessage
from paho.mqtt.reasoncodes import ReasonCode

from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.mqtt.settings import MqttSettings
from moltbot_desktop.extensions.mqtt.words import PHRASES

ANSWER_SECONDS: Final = 15.0
_CONNECT_SECONDS: Final = 5.0
_END_SECONDS: Final = 1.0
_PING_SECONDS: Final = 30
_MOST_WAITING: Final = 2_000
_LOGIN: Final = frozenset({134, 135})
"""Bad user name or password, not authorized: MQTT 5, 2.4, which paho also gives for MQTT 3."""


class Line(aiomqtt.Client):
    """aiomqtt acknowledges what comes before anybody has read it, and does not say whether it was
    given before: what came when the program died would be lost. paho beneath it can do both."""

    def __init__(self, settings: MqttSettings, context: ssl.SSLContext | None, client_id: str):
        super().__init__(
            settings.host,
            settings.port,
            username=settings.username or None,
            password=settings.password or None,
            identifier=client_id,
            clean_session=client_id != settings.client_id,
            keepalive=_PING_SECONDS,
            timeout=ANSWER_SECONDS,
            tls_context=context,
        )
        self._client.connect_timeout = _CONNECT_SECONDS
        self._client.manual_ack_set(True)

    def _on_message(self, client: Any, userdata: Any, message: MQTTMessage) -> None:
        """What is too much stays unacknowledged, and comes again with the next connection."""
        if self._queue.qsize() < _MOST_WAITING:
            self._queue.put_nowait(message)  # type: ignore[arg-type]

    def _on_socket_register_write(self, client: Any, userdata: Any, sock: Any) -> None:
        """The library would watch whatever has the socket's number when the loop comes to it, which
        may be none any more, or another connection of the program, and then for good."""

        def write() -> None:
            try:
                client.loop_write()
            except Exception as error:  # noqa: BLE001 - border: whoever reads or waits gets it
                if not self._disconnected.done():
                    self._disconnected.set_exception(error)

        def watch() -> None:
            if sock.fileno() >= 0:
                self._loop.add_writer(sock.fileno(), write)

        self._loop.call_soon_threadsafe(watch)

    async def next(self) -> MQTTMessage:
        """Raises aiomqtt.MqttError: the connection has ended. The library would first give all that
        waits, however long that takes; what the broker tells again is left to the next line."""
        while True:
            message = cast("MQTTMessage", await self.messages.__anext__())
            if not (message.qos and self._disconnected.done()):
                return message

    def acknowledge(self, message: MQTTMessage) -> None:
        self._client.ack(message.mid, message.qos)


@contextlib.asynccontextmanager
async def connected(
    settings: MqttSettings, language: Language, *, trial: bool = False
) -> AsyncIterator[Line]:
    """A line that reads the settings' topic; a `trial` takes nothing away from the running one.

    Raises:
        ChannelAuthFailed: user name and password are not taken.
        ChannelRefused: what the settings say cannot work.
        ChannelError: not now.
    """

    def say(phrase: str, **slots: object) -> str:
        return PHRASES.say(phrase, language, host=settings.host, **slots)

    context = _context(settings, language) if settings.encrypted else None
    client_id = settings.client_id + (f"-{secrets.token_hex(4)}" if trial else "")
    line = Line(settings, context, client_id)
    try:
        await line.__aenter__()
    except MqttConnectError as error:
        code = error.rc.value if isinstance(error.rc, ReasonCode) else error.rc
        if code in _LOGIN:
            raise ChannelAuthFailed(say("login"), hint=say("login_hint")) from error
        raise ChannelRefused(say("refused", reason=error.rc), hint=say("refused_hint")) from error
    except aiomqtt.MqttError as error:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):  # all that aiomqtt leaves of it
            raise ChannelError(say("certificate"), hint=say("certificate_hint")) from error
        told = say("unreachable", reason=re.sub(r"^\[Errno -?\d+\] ", "", str(error)))
        raise ChannelError(told, hint=say("unreachable_hint")) from error
    try:
        await _listen(line, settings, language)
        yield line
    except aiomqtt.MqttError as error:
        raise ChannelError(say("ended")) from error
    finally:
        line.timeout = _END_SECONDS
        with contextlib.suppress(aiomqtt.MqttError):
            await line.__aexit__(None, None, None)


async def _listen(line: Line, settings: MqttSettings, language: Language) -> None:
    topic = settings.listen.filter
    granted = await line.subscribe(topic, qos=1)
    codes = [one.value if isinstance(one, ReasonCode) else one for one in granted]
    if any(code >= 128 for code in codes):
        raise ChannelRefused(
            PHRASES.say("not_allowed", language, host=settings.host, topic=topic),
            hint=PHRASES.say("not_allowed_hint", language),
        )


def _context(settings: MqttSettings, language: Language) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if settings.ca_file:
        try:
            context.load_verify_locations(settings.ca_file)
        except OSError as error:
            raise ChannelRefused(
                PHRASES.say("ca_file", language, file=settings.ca_file),
                hint=PHRASES.say("ca_file_hint", language),
            ) from error
    return context
