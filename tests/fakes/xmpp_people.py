"""Persons on a real XMPP server, for the suite of channels: each a slixmpp client.

platform = XmppPlatform(server)
await platform.start()
await platform.say("1", "hello", sender=platform.owner)
platform.posts(platform.owner)
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree as ET

from slixmpp import ClientXMPP
from slixmpp.jid import JID
from slixmpp.stanza import Message
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

from moltbot_desktop.extensions.xmpp.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import PATIENCE_SECONDS, Post
from tests.fakes.chat_servers import HOST, ChatServer

USERS = {"molty": "canary-pw0", "alice": "pw1", "eve": "pw2"}
ASSISTANT = "molty"
GROUP = "lab@muc.localhost"
_REACTION = "{urn:xmpp:reactions:0}reaction"
_REPLY = "{urn:xmpp:reply:0}reply"
_RETRACT = "{urn:xmpp:message-retract:1}retract"


class Person(ClientXMPP):
    """A client that keeps what comes."""

    def __init__(self, name: str, server: ChatServer, hear: Hears) -> None:
        super().__init__(f"{name}@localhost", USERS[name])
        self.enable_direct_tls = False
        self.ca_certs = Path(server.more["certificate"])
        for plugin in ("xep_0045", "xep_0199", "xep_0308", "xep_0359", "xep_0444", "xep_0461"):
            self.register_plugin(plugin)
        self.there: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.add_event_handler("session_start", lambda _: self.there.set_result(None))
        everything = MatchXPath("{jabber:client}message")
        self.register_handler(Callback("all", everything, lambda stanza: hear(name, stanza)))

    async def come(self, port: int) -> None:
        self.connect(HOST, port)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.there
        self.send_presence()
        name = self.boundjid.user
        await self.plugin["xep_0045"].join_muc_wait(
            JID(GROUP), name, maxstanzas=0, timeout=PATIENCE_SECONDS
        )

    async def taken(self) -> None:
        """Until the server has all that was written."""
        ping = self.plugin["xep_0199"].send_ping(JID("localhost"), timeout=PATIENCE_SECONDS)
        await ping

    async def go(self) -> None:
        await self.disconnect(0.5, ignore_send_queue=True)
        self.abort()
        if self._run_out_filters is not None:
            self._run_out_filters.cancel()


class Hears:
    """What the assistant wrote: posts, their versions, its reactions."""

    def __init__(self) -> None:
        self.posts: dict[str, Post] = {}
        self.history: dict[str, list[str]] = {}
        self.reactions: dict[str, list[str]] = {}

    def __call__(self, name: str, stanza: Message) -> None:
        xml: ET.Element = stanza.xml
        group = stanza["type"] == "groupchat"
        writer = stanza["from"].resource if group else stanza["from"].user
        if writer != ASSISTANT or (group and name != "alice"):  # all in it hear the same
            return
        if (retracted := xml.find(_RETRACT)) is not None:
            self.posts.pop(retracted.get("id", ""), None)
            return
        if stanza["reactions"]["id"]:
            found = [one.text or "" for one in xml.iter(_REACTION)]
            self.reactions[stanza["reactions"]["id"]] = found
            return
        text = str(stanza["body"])
        if not text:
            return
        if old := str(stanza["replace"]["id"]):
            self.posts[old] = replace(self.posts[old], text=text)
            self.history[old].append(text)
            return
        reply = xml.find(_REPLY)
        to = GROUP if group else f"{name}@localhost"
        post = Post(str(stanza["id"]), to, text, reply.get("id", "") if reply is not None else "")
        self.posts[post.id] = post
        self.history[post.id] = [text]


def _answer(stanza: Message, message_id: str, words: str) -> None:
    """As programs do: with the words for those that know no answers.
    https://xmpp.org/extensions/xep-0461.html#compat"""
    quote = "".join(f"> {line}\n" for line in words.split("\n"))
    stanza["body"] = f"{quote}{stanza['body']}"
    somebody = f"{stanza['to'].bare}/somebody"
    stanza.append(ET.Element(_REPLY, {"to": somebody, "id": message_id}))
    fallback = ET.Element("{urn:xmpp:fallback:0}fallback", {"for": "urn:xmpp:reply:0"})
    place = {"start": "0", "end": str(len(quote))}
    ET.SubElement(fallback, "{urn:xmpp:fallback:0}body", place)
    stanza.append(fallback)


@dataclass
class XmppPlatform:
    """Implements `channel_contract.Platform` on a real server."""

    server: ChatServer
    channel: str = "xmpp"
    capabilities: Capabilities = CAPABILITIES
    owner: str = "alice@localhost"
    stranger: str = "eve@localhost"
    group: str = GROUP
    people: dict[str, Person] = field(default_factory=dict)
    heard: Hears = field(default_factory=Hears)
    said: dict[str, str] = field(default_factory=dict)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"xmpp": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return {
            "jid": f"{ASSISTANT}@localhost",
            "password": USERS[ASSISTANT] if token_is_right else "wrong",
            "host": HOST,
            "port": self.server.port,
            "caFile": self.server.more["certificate"],
            "nick": ASSISTANT,
            "rooms": [GROUP] if token_is_right else [],
        }

    async def start(self) -> None:
        if self.server.process is None:
            await asyncio.to_thread(self.server.start)
        for name in ("alice", "eve"):
            person = self.people[f"{name}@localhost"] = Person(name, self.server, self.heard)
            await person.come(self.server.port)

    async def stop(self) -> None:
        self.server.go_on()
        for person in self.people.values():
            if self.server.process is not None:
                await person.taken()
            await person.go()
        self.people = {}
        await asyncio.to_thread(self.server.stop)

    async def hold(self) -> None:
        self.server.hold()

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
        answers: str = "",
    ) -> None:
        person = self.people[sender]
        for _ in range(times):
            stanza = person.make_message(
                mto=JID(group or f"{ASSISTANT}@localhost"),
                mbody=f"{ASSISTANT}: {text}" if mentioned else text,
                mtype="groupchat" if group else "chat",
            )
            stanza["id"] = message_id
            if answers:
                _answer(stanza, answers, self._words_of(answers))
            self.said[message_id] = text
            stanza.send()

    def _words_of(self, message_id: str) -> str:
        post = self.heard.posts.get(message_id)
        return post.text if post is not None else self.said[message_id]

    def posts(self, to: str) -> Sequence[Post]:
        return [one for one in self.heard.posts.values() if one.to == to]

    def versions(self, post_id: str) -> Sequence[str]:
        return self.heard.history[post_id]

    def reactions(self, message_id: str) -> Sequence[str]:
        return self.heard.reactions.get(message_id, [])
