"""An MQTT account as a channel: `RunningChannel`.

    channel = MqttChannel(account, clock, Language.ENGLISH)
    await channel.run()

Who writes is told by the topic alone, which the broker's access list gives to them; a name inside a
message is only shown. What lies on a topic from before (retained) is no message.
"""

from __future__ import annotations

import hashlib

import aiomqtt
from paho.mqtt.client import MQTTMessage

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, ChannelNotFound
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.mqtt.kept import Kept, mark_of
from moltbot_desktop.extensions.mqtt.line import Line, connected
from moltbot_desktop.extensions.mqtt.payloads import NotReadable, read_payload, write_payload
from moltbot_desktop.extensions.mqtt.settings import settings_from
from moltbot_desktop.extensions.mqtt.words import PHRASES
from moltbot_desktop.sdk.channels import Envelope, OutboundMessage, Peer, PeerKind, Sender
from moltbot_desktop.sdk.plugins import ChannelAccount


class MqttChannel:
    """Belongs to the account's event loop."""

    def __init__(self, account: ChannelAccount, clock: Clock, language: Language) -> None:
        self._account = account
        self._clock = clock
        self._language = language
        self._settings = settings_from(account.settings, account.name, language)
        self._kept = Kept.parsed(account.cursor)
        self._line: Line | None = None

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        self._account.reaches(self._settings.host)
        async with connected(self._settings, self._language) as line:
            self._line = line
            self._account.online()
            try:
                while True:
                    message = await line.next()
                    self._account.heard()
                    await self._take(message)
                    line.acknowledge(message)
            finally:
                self._line = None

    async def _take(self, message: MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            return
        name, payload = self._settings.listen.name_in(topic), bytes(message.payload)
        mark = mark_of(message.mid, topic, payload) if message.qos else ""
        # Nothing at all is what takes away a message that lies on a topic.
        if not name or not payload or message.retain:
            return
        if message.dup and mark in self._kept.marks:
            return
        try:
            said = read_payload(payload, as_json=self._settings.as_json)
        except NotReadable as error:
            self._account.problem(self._say(error.phrase, topic=topic))
            return
        self._account.problem("")
        if not said.text.strip():
            return
        kept = self._kept.with_one(mark) if mark else self._kept
        envelope = Envelope(
            "mqtt",
            said.id,
            Sender(name, said.name),
            said.text,
            self._clock.now(),
            peer=Peer(PeerKind.DM, name),
            mentioned=True,
            cursor=kept.text,
        )
        await self._account.receive([envelope])
        self._kept = kept

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`. MQTT 3.1.1 does not tell whether anybody was allowed to hear it."""
        peer, line = message.target.peer, self._line
        topic = self._settings.answer.filled(peer.id) if peer is not None else ""
        if not topic:
            raise ChannelNotFound(self._say("no_target", to=peer.id[:80] if peer else ""))
        if line is None:
            raise ChannelError(self._say("ended"))
        own_id = hashlib.sha256(idempotency_key.encode()).hexdigest()[:24]
        payload = write_payload(
            message.text, own_id, message.reply_to, as_json=self._settings.as_json
        )
        try:
            await line.publish(topic, payload, qos=1)
        except aiomqtt.MqttError as error:
            raise ChannelError(self._say("slow")) from error
        return own_id

    def _say(self, phrase: str, **slots: object) -> str:
        return PHRASES.say(phrase, self._language, **{"host": self._settings.host, **slots})


async def probe(raw: JsonObject, language: Language) -> str:
    """Where we listen there; whoever runs already is not disturbed.

    Raises:
        ChannelError: we are not let in.
    """
    settings = settings_from(raw, "", language)
    async with connected(settings, language, trial=True):
        return settings.listen.filter
