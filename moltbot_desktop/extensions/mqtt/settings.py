"""One account's settings, as the manifest's schema has let them through.

    settings = settings_from(account.settings, "main")
    settings.listen, settings.answer     # Address("moltbot/in/+"), Address("moltbot/out/+")

Raises ChannelRefused for topics that cannot work together.
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.mqtt.topics import Address, address, overlap
from moltbot_desktop.extensions.mqtt.words import PHRASES


@dataclass(frozen=True)
class MqttSettings:
    """Attributes:
    client_id: by which the broker knows us again, and keeps for us what comes while we are away.
    encrypted: TLS from the first byte.
    ca_file: certificates that are trusted besides the system's; "" for none.
    listen, answer: where messages come from and answers go to, by the sender's name.
    as_json: messages are JSON objects both ways, else plain text.
    """

    host: str
    port: int
    username: str
    password: str
    client_id: str
    encrypted: bool
    ca_file: str
    listen: Address
    answer: Address
    as_json: bool


def settings_from(raw: JsonObject, account: str, language: Language) -> MqttSettings:
    """`raw` fits the schema in the manifest, with its defaults filled in.

    Raises:
        ChannelRefused: a topic has not exactly one place for the sender, or answers would come
            back as messages.
    """

    def text(name: str) -> str:
        return str(raw.get(name) or "").strip()

    def topic(name: str) -> Address:
        found = address(text(name))
        if found is None:
            raise ChannelRefused(
                PHRASES.say("topic", language, setting=name),
                hint=PHRASES.say("topic_hint", language, setting=name),
            )
        return found

    encrypted, port = raw.get("tls") is not False, raw.get("port")
    listen, answer = topic("listenTopic"), topic("answerTopic")
    if overlap(listen, answer):
        raise ChannelRefused(
            PHRASES.say("circle", language), hint=PHRASES.say("circle_hint", language)
        )
    return MqttSettings(
        host=text("host"),
        port=port if isinstance(port, int) and port else 8883 if encrypted else 1883,
        username=text("username"),
        password=str(raw.get("password") or ""),
        client_id=text("clientId") or f"moltbot-{account or 'default'}",
        encrypted=encrypted,
        ca_file=text("caFile"),
        listen=listen,
        answer=answer,
        as_json=raw.get("format") == "json",
    )
