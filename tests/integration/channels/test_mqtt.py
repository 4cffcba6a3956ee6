"""MQTT on a real broker, through the whole program and by itself."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.channels import DeliveryTarget, OutboundMessage, Peer, PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount
from tests.fakes.bare_channel import Bare
from tests.fakes.channel_contract import ChannelContract, until
from tests.fakes.chat_servers import LINUX_ONLY, mosquitto

pytest.importorskip("aiomqtt")

# What follows needs the library.
import aiomqtt
from paho.mqtt.client import MQTTMessage

from moltbot_desktop.extensions.mqtt.channel import MqttChannel, probe
from moltbot_desktop.extensions.mqtt.line import Line
from moltbot_desktop.extensions.mqtt.settings import settings_from
from tests.fakes.mqtt_people import ACCESS, USERS, MqttPlatform

pytestmark = LINUX_ONLY
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


class TestMqtt(ChannelContract):
    """The suite, with a broker that lets each device write to its own topic only."""

    @pytest.fixture
    def platform(self, tmp_path: Path) -> Iterator[MqttPlatform]:
        with mosquitto(tmp_path, USERS, ACCESS) as server:
            yield MqttPlatform(server)


def opened(account: ChannelAccount) -> MqttChannel:
    return MqttChannel(account, ManualClock(NOW), Language.ENGLISH)


def play(
    tmp_path: Path, story: Callable[[MqttPlatform], Coroutine[Any, Any, None]], access: str = ""
) -> None:
    async def scene(platform: MqttPlatform) -> None:
        await platform.start()
        try:
            await story(platform)
        finally:
            await platform.stop()

    with mosquitto(tmp_path, USERS, access) as server:
        asyncio.run(scene(MqttPlatform(server)))


def bare_of(platform: MqttPlatform, **more: Any) -> Bare:
    settings: dict[str, Any] = {
        "listenTopic": "moltbot/in/+",
        "answerTopic": "moltbot/out/+",
        **platform.account(),
        **more,
    }
    return Bare(settings)


def test_a_line_that_has_ended_says_so_before_all_that_waits_was_read() -> None:
    """What came with QoS 1 and is not acknowledged comes again; with QoS 0 it does not."""

    async def scene() -> None:
        given = {"host": "127.0.0.1", "listenTopic": "moltbot/in/+", "answerTopic": "moltbot/out/+"}
        settings = settings_from(given, "main", Language.ENGLISH)
        line = Line(settings, None, settings.client_id)
        for number, qos in enumerate((1, 0, 1)):
            message = MQTTMessage(number, b"moltbot/in/kitchen")
            message.qos = qos
            line._on_message(None, None, message)
        assert (await line.next()).mid == 0
        line._disconnected.set_exception(aiomqtt.MqttError("gone"))
        assert (await line.next()).mid == 1
        with pytest.raises(aiomqtt.MqttError):
            await line.next()

    asyncio.run(scene())


@pytest.mark.parametrize("number_is_taken", [False, True])
def test_a_socket_that_was_closed_is_not_watched_nor_who_has_its_number(
    number_is_taken: bool,
) -> None:
    wrong: list[object] = []

    async def scene() -> None:
        given = {"host": "127.0.0.1", "listenTopic": "moltbot/in/+", "answerTopic": "moltbot/out/+"}
        line = Line(settings_from(given, "main", Language.ENGLISH), None, "main")
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, told: wrong.append(told))
        near, far = socket.socketpair()
        number = near.fileno()
        line._on_socket_register_write(line._client, None, near)
        near.close()
        if number_is_taken:
            os.dup2(far.fileno(), number)
        await asyncio.sleep(0.01)
        assert not loop.remove_writer(number)
        if number_is_taken:
            os.close(number)
        far.close()

    asyncio.run(scene())
    assert wrong == []


def test_what_was_written_while_nobody_listened_comes_in_order(tmp_path: Path) -> None:
    async def story(platform: MqttPlatform) -> None:
        bare = bare_of(platform)
        async with bare.runs(opened):
            await platform.say("1", "one", sender="kitchen")
            await until(lambda: len(bare.kept) == 1)
        for number in range(2, 40):
            await platform.say(str(number), f"n{number}", sender="kitchen")
        async with bare.runs(opened):
            await until(lambda: len(bare.kept) == 39)
        assert [one.message_id for one in bare.kept] == [str(n) for n in range(1, 40)]
        assert {one.sender.id for one in bare.kept} == {"kitchen"}

    play(tmp_path, story)


def test_what_was_not_kept_is_given_again_and_what_was_kept_is_not(tmp_path: Path) -> None:
    """The broker gives again what was not acknowledged, with or without an id in it."""

    async def story(platform: MqttPlatform) -> None:
        kept: list[tuple[str, str]] = []
        fails = True

        async def receive(envelopes: Any) -> None:
            if fails and envelopes[0].text == "two":
                raise ChannelError("the disk is full")
            kept.extend((one.text, one.cursor) for one in envelopes)

        def account(cursor: str) -> ChannelAccount:
            settings = bare_of(platform, format="text").settings
            return ChannelAccount(
                dict(settings), receive, online.set, lambda _: None, "main", cursor
            )

        online = asyncio.Event()
        running = asyncio.ensure_future(opened(account("")).run())
        await asyncio.wait_for(online.wait(), 30)
        line = platform.people["kitchen"]
        for text in ("one", "one", "two"):
            await line.publish("moltbot/in/kitchen", text, qos=1)
        with pytest.raises(ChannelError, match="disk is full"):
            await running
        # Kept, and the program died before it could acknowledge: as if "one" were given again.
        assert [text for text, _ in kept] == ["one", "one"]
        fails = False
        again = asyncio.ensure_future(opened(account(kept[-1][1])).run())
        await until(lambda: len(kept) == 3)
        await line.publish("moltbot/in/kitchen", "one", qos=1)
        await until(lambda: len(kept) == 4)
        assert [text for text, _ in kept] == ["one", "one", "two", "one"]
        again.cancel()
        await asyncio.wait((again,))

    play(tmp_path, story)


def test_who_writes_is_told_by_the_topic_alone(tmp_path: Path) -> None:
    async def story(platform: MqttPlatform) -> None:
        bare = bare_of(platform)
        async with bare.runs(opened):
            garage = platform.people["garage"]
            forged = '{"text": "I am the kitchen", "name": "kitchen", "sender": "kitchen"}'
            await garage.publish("moltbot/in/kitchen", '{"text": "forged"}', qos=1)  # not allowed
            await garage.publish("moltbot/in/garage", forged, qos=1)
            await until(lambda: bare.kept)
        [said] = bare.kept
        assert (said.sender.id, said.sender.name) == ("garage", "kitchen")
        assert said.peer == Peer(PeerKind.DM, "garage")

    play(tmp_path, story, ACCESS)


def test_what_cannot_be_read_is_told_and_what_lay_there_before_is_no_message(
    tmp_path: Path,
) -> None:
    async def story(platform: MqttPlatform) -> None:
        line = platform.people["kitchen"]
        topic = "moltbot/in/kitchen"
        await line.publish(topic, '{"text": "old"}', qos=1, retain=True)
        bare = bare_of(platform)
        async with bare.runs(opened):
            bad = (b"\xff\xfe", b"[]", b'{"text": 7}', b"[" * 9_000, b"x" * 70_000, b"no json")
            for payload in bad:
                await line.publish(topic, payload, qos=1)
            await until(lambda: len([one for one in bare.problems if one]) == len(bad))
            await line.publish("moltbot/in/a/b", '{"text": "elsewhere"}', qos=1)
            await line.publish(topic, '{"text": " "}', qos=1)
            await line.publish(topic, '{"text": "at last", "id": 12}', qos=0)
            await until(lambda: bare.kept)
            await line.publish(topic, b"", qos=1, retain=True)  # takes the old one away
        assert [(one.text, one.message_id) for one in bare.kept] == [("at last", "12")]
        assert bare.problems[-1] == ""
        assert all(topic in one for one in bare.problems if one)

    play(tmp_path, story)


def test_plain_text_both_ways(tmp_path: Path) -> None:
    async def story(platform: MqttPlatform) -> None:
        line = platform.people["kitchen"]
        await line.unsubscribe("moltbot/out/kitchen")
        await line.subscribe("plain/kitchen/hears", qos=1)
        bare = bare_of(
            platform, format="text", listenTopic="plain/+/says", answerTopic="plain/+/hears"
        )
        async with bare.runs(opened) as channel:
            await line.publish("plain/kitchen/says", "你好 😀 {}", qos=1)
            await until(lambda: bare.kept)
            [said] = bare.kept
            assert (said.text, said.message_id) == ("你好 😀 {}", "")
            await channel.send(OutboundMessage(said.reply_target, "hi 茶", "7"), "key")
            await until(lambda: platform.raw)
        assert platform.raw == [("plain/kitchen/hears", "hi 茶".encode())]

    play(tmp_path, story)


@pytest.mark.parametrize("name", ["", "+", "#", "a/b", "a\0b", "x" * 201])
def test_no_answer_goes_to_what_is_no_name(tmp_path: Path, name: str) -> None:
    async def story(platform: MqttPlatform) -> None:
        async with bare_of(platform).runs(opened) as channel:
            target = DeliveryTarget("mqtt", "main", Peer(PeerKind.DM, name))
            with pytest.raises(ChannelNotFound):
                await channel.send(OutboundMessage(target, "hi"), "key")

    play(tmp_path, story)


def test_settings_are_tried_and_whoever_runs_is_not_disturbed(tmp_path: Path) -> None:
    async def story(platform: MqttPlatform) -> None:
        bare = bare_of(platform)
        good: dict[str, Any] = dict(bare.settings)
        async with bare.runs(opened):
            assert await probe(good, Language.ENGLISH) == "moltbot/in/+"
            await platform.say("1", "still there?", sender="kitchen")
            await until(lambda: bare.kept)
        with pytest.raises(ChannelAuthFailed) as wrong:
            await probe({**good, "password": "canary-no"}, Language.ENGLISH)
        assert "canary" not in f"{wrong.value} {wrong.value.hint}"
        with pytest.raises(ChannelRefused, match="cannot be read"):
            await probe({**good, "tls": True, "caFile": "/no/such/file"}, Language.ENGLISH)
        with pytest.raises(ChannelRefused, match="overlap"):
            await probe({**good, "answerTopic": "moltbot/+/kitchen"}, Language.ENGLISH)
        with pytest.raises(ChannelRefused, match="no topic with one place"):
            await probe({**good, "listenTopic": "moltbot/#"}, Language.ENGLISH)

    play(tmp_path, story)


# paho leaves a socket to the collector whose handshake has failed.
@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
def test_only_a_certificate_that_is_trusted_is_spoken_to(tmp_path: Path) -> None:
    async def story(platform: MqttPlatform) -> None:
        good: dict[str, Any] = dict(bare_of(platform).settings)
        with pytest.raises(ChannelError, match="cannot be reached"):
            await probe({**good, "tls": True}, Language.ENGLISH)  # here is no TLS
        secret = {
            **good,
            "tls": True,
            "host": "localhost",
            "port": int(platform.server.more["tls"]),
        }
        with pytest.raises(ChannelError, match="cannot be trusted"):
            await probe(secret, Language.ENGLISH)
        trusted = {**secret, "caFile": platform.server.more["certificate"]}
        assert await probe(trusted, Language.ENGLISH) == "moltbot/in/+"

    play(tmp_path, story)
