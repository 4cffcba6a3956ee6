"""Persons on real servers for ten accounts at once: `channels_servers`.

    async with settled(folder) as houses:          # Matrix, e-mail, XMPP, MQTT, IRC
        side = houses[0].sides[0]
        await side.say("ada", "m17", 2)
        side.told()                                # {"ada": ["m17"]}: what was answered, in order

A house is a server with the accounts on it; its sides are these. What a platform itself shows
twice (the same id) counts once: clients do the same.
"""

from __future__ import annotations

import asyncio
import imaplib
import itertools
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiomqtt
from slixmpp.exceptions import IqTimeout
from slixmpp.jid import JID
from slixmpp.stanza import Message

from moltbot_desktop.gateway.texts import PHRASES
from tests.fakes.chat_servers import (
    HOST,
    ChatServer,
    dovecot,
    inspircd,
    mosquitto,
    prosody,
    synapse,
)
from tests.fakes.instant import WORD
from tests.fakes.irc_people import Person as IrcPerson
from tests.fakes.mail_people import ASSISTANT, MailPlatform, post_of
from tests.fakes.mail_people import USERS as MAILBOXES
from tests.fakes.matrix_platform import MatrixPlatform, people
from tests.fakes.xmpp_people import USERS as JABBER_USERS
from tests.fakes.xmpp_people import Hears
from tests.fakes.xmpp_people import Person as XmppPerson

_UID = re.compile(r"\bUID ([0-9]+)\b")
_NUMBERS = itertools.count()
_TRIES = 4
_LEFT = PHRASES.english["left"].partition("{")[0]
Say = Callable[[str, str, int], Awaitable[None]]
Heard = Mapping[str, str]
"""Texts by the platform's ids, in the order in which they were first seen."""


@dataclass
class Side:
    """One account and those who write to it.

    Attributes:
        settings: of the account.
        say: person, text, how many times.
        repeats: the platform lets a message come twice.
        said: words in their order, by person.
        at: when each was said, seconds since 1970.
        heard: by person.
        most_open: how many wait for an answer at most; the slow ones get fewer.
        numbered: words by the number that the server gave them, where it is not who spoke first.
    """

    channel: str
    account: str
    settings: Mapping[str, object]
    people: Sequence[str]
    say: Say
    heard: Callable[[str], Heard]
    idempotent: bool
    repeats: bool = True
    most_open: int = 8
    numbered: Callable[[], Mapping[str, int]] | None = None
    said: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    at: dict[str, float] = field(default_factory=dict)
    answered: int = 0

    @property
    def asked(self) -> int:
        return sum(map(len, self.said.values()))

    def told(self) -> dict[str, list[str]]:
        """Words of what was said to them, by person."""
        return {who: _words(self.heard(who).values()) for who in self.people}

    def left(self) -> dict[str, list[str]]:
        """Those of which they heard that a new conversation left them, by person."""
        return {
            who: _words(text for text in tuple(self.heard(who).values()) if _LEFT in text)
            for who in self.people
        }

    def count(self) -> None:
        """Bring `answered` up to date; not at every message, because all is looked through."""
        self.answered = sum(len(set(words)) for words in self.told().values())

    def wrong(self) -> tuple[int, int, int]:
        """Lost, doubled, conversations out of order; what was left has no place in the order."""
        lost = doubled = disordered = 0
        left, numbers = self.left(), self.numbered() if self.numbered is not None else {}
        for who, told in self.told().items():
            first = list(dict.fromkeys(told))
            lost += len(set(self.said[who]) - set(first))
            doubled += len(told) - len(first)
            answered = [one for one in first if one not in left[who]]
            said = sorted(self.said[who], key=lambda one: numbers.get(one, 0))
            disordered += answered != [one for one in said if one in set(answered)]
        return lost, doubled, disordered

    def lost(self) -> list[tuple[str, str]]:
        """Persons and words of theirs that nobody answered."""
        told = self.told()
        return [(who, one) for who in self.people for one in self.said[who] if one not in told[who]]


def _words(texts: Iterable[str]) -> list[str]:
    return [one for text in tuple(texts) for one in WORD.findall(text)]


@dataclass
class House:
    """A server and the accounts on it.

    Attributes:
        quietly: it keeps nothing for those who are away, so it restarts when all is answered.
        gone, back: it goes and comes back, and with it its people.
    """

    name: str
    sides: list[Side]
    gone: Callable[[], Awaitable[None]]
    back: Callable[[], Awaitable[None]]
    quietly: bool = False


@asynccontextmanager
async def settled(folder: Path) -> AsyncIterator[list[House]]:
    """Ten accounts on five servers; each has its people there."""
    async with AsyncExitStack() as stack:
        # The slowest first: while one starts nobody answers a PING.
        yield [
            await stack.enter_async_context(make(folder))
            for make in (_matrix, _mail, _xmpp, _mqtt, _irc)
        ]


def _id_for(text: str) -> str:
    """Words come once each, so that one said again has the id that it had; /new comes often."""
    return text if WORD.fullmatch(text) else f"n{next(_NUMBERS)}"


# ------------------------------------------------------------------ IRC


@asynccontextmanager
async def _irc(folder: Path) -> AsyncIterator[House]:
    with inspircd(folder) as server:
        names, here = ("ada", "ben"), dict[str, IrcPerson]()
        before: dict[str, list[tuple[str, str, str]]] = defaultdict(list)

        async def back() -> None:
            if server.process is None:
                await asyncio.to_thread(server.start)
            for name in names:
                here[name] = await IrcPerson.come(name, server.port)

        async def gone() -> None:
            for name, one in here.items():
                before[name] += one.lines
                await one.go()
            here.clear()
            await asyncio.to_thread(server.kill)

        def side(number: int) -> Side:
            nick = f"molty{number}"

            async def say(who: str, text: str, times: int) -> None:
                here[who].write("PRIVMSG", nick, text)  # IRC has no ids: twice is two messages
                await here[who].writer.drain()

            def heard(who: str) -> Heard:
                lines = [*before[who], *(here[who].lines if who in here else ())]
                found = [text for nick_, to, text in lines if nick_ == nick and to == who]
                return {str(at): text for at, text in enumerate(found)}

            account = {
                "host": HOST,
                "port": server.port,
                "tls": False,
                "nick": nick,
                "identify": "nick",
                "channels": [],
                "lineDelaySeconds": 0,
            }
            return Side("irc", f"irc{number}", account, names, say, heard, False, repeats=False)

        await back()
        try:
            yield House("irc", [side(n) for n in range(3)], gone, back, quietly=True)
        finally:
            await gone()


# ------------------------------------------------------------------ XMPP


class _Bodies(Hears):
    """Texts by the id of the stanza, corrections in their place; by account and person."""

    def __init__(self) -> None:
        super().__init__()
        self.bodies: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)

    def __call__(self, name: str, stanza: Message) -> None:
        text = str(stanza["body"])
        if text and stanza["type"] != "groupchat":
            known = str(stanza["replace"]["id"]) or str(stanza["id"])
            self.bodies[stanza["from"].user, name][known] = text


@asynccontextmanager
async def _xmpp(folder: Path) -> AsyncIterator[House]:
    names, bots = ("alice", "eve"), [f"molty{n}" for n in range(3)]
    users = {**JABBER_USERS, **dict.fromkeys(bots, "pw0")}
    with prosody(folder, users) as server:
        heard, here = _Bodies(), dict[str, XmppPerson]()

        async def back() -> None:
            if server.process is None:
                await asyncio.to_thread(server.start)
            for name in names:
                here[name] = await _jabber_person(name, server, heard)

        async def gone() -> None:
            for one in here.values():
                if server.process is not None:
                    await one.taken()
                await one.go()
            here.clear()
            await asyncio.to_thread(server.stop)

        def side(number: int) -> Side:
            bot = bots[number]

            async def say(who: str, text: str, times: int) -> None:
                name = f"{bot}-{who}-{_id_for(text)}"
                for _ in range(times):
                    stanza = here[who].make_message(
                        mto=JID(f"{bot}@localhost"), mbody=text, mtype="chat"
                    )
                    stanza["id"] = name
                    stanza.send()

            account = {
                "jid": f"{bot}@localhost",
                "password": "pw0",
                "host": HOST,
                "port": server.port,
                "caFile": server.more["certificate"],
            }

            def texts(who: str) -> Heard:
                return heard.bodies[bot, who]

            return Side("xmpp", f"xmpp{number}", account, names, say, texts, idempotent=False)

        await back()
        try:
            yield House("xmpp", [side(n) for n in range(3)], gone, back)
        finally:
            await gone()


async def _jabber_person(name: str, server: ChatServer, heard: Hears) -> XmppPerson:
    """One who is there; a server that has just come back may let the first tries lie."""
    for left in reversed(range(_TRIES)):
        person = XmppPerson(name, server, heard)
        try:
            await person.come(server.port)
        except (TimeoutError, IqTimeout):
            await person.go()
            if not left:
                raise
        else:
            return person
    raise AssertionError  # the last try raises


# ------------------------------------------------------------------ MQTT


@asynccontextmanager
async def _mqtt(folder: Path) -> AsyncIterator[House]:
    names = ("ada", "ben")
    with mosquitto(folder, {"molty": "pw0", "ada": "pw1", "ben": "pw2"}) as server:
        lines, stack = dict[str, aiomqtt.Client](), AsyncExitStack()
        texts: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)

        async def listen(name: str, line: aiomqtt.Client) -> None:
            async for message in line.messages:
                said = json.loads(bytes(message.payload))
                texts[str(message.topic).partition("/")[0], name][said["id"]] = said["text"]

        @asynccontextmanager
        async def person(name: str) -> AsyncIterator[aiomqtt.Client]:
            password = {"ada": "pw1", "ben": "pw2"}[name]
            line = aiomqtt.Client(
                *(HOST, server.port),
                username=name,
                password=password,
                identifier=f"person-{name}",
                clean_session=False,
            )
            async with line:
                await line.subscribe([(f"mqtt{n}/out/{name}", 1) for n in range(2)])
                task = asyncio.get_running_loop().create_task(listen(name, line))
                yield line
            # What this side took from the server and did not read yet will not come again: it
            # reads on to the end of what it has, and then says that the line is gone.
            with suppress(aiomqtt.MqttError):
                await task

        async def back() -> None:
            if server.process is None:
                await asyncio.to_thread(server.start)
            for name in names:
                lines[name] = await stack.enter_async_context(person(name))

        async def gone() -> None:
            await stack.aclose()
            lines.clear()
            await asyncio.to_thread(server.stop)

        def side(number: int) -> Side:
            account = f"mqtt{number}"

            async def say(who: str, text: str, times: int) -> None:
                known = _id_for(text)
                payload = json.dumps({"text": text, "id": known})
                for _ in range(times):
                    await lines[who].publish(f"{account}/in/{who}", payload, qos=1)

            settings = {
                "host": HOST,
                "port": server.port,
                "tls": False,
                "username": "molty",
                "password": "pw0",
                "format": "json",
                "listenTopic": f"{account}/in/+",
                "answerTopic": f"{account}/out/+",
            }

            def heard(who: str) -> Heard:
                return texts[account, who]

            return Side("mqtt", account, settings, names, say, heard, idempotent=False)

        await back()
        try:
            yield House("mqtt", [side(n) for n in range(2)], gone, back)
        finally:
            await gone()


# ------------------------------------------------------------------ e-mail


@asynccontextmanager
async def _mail(folder: Path) -> AsyncIterator[House]:
    with dovecot(folder, MAILBOXES) as server:
        platform = MailPlatform(server)
        texts, read = dict[str, dict[str, str]](), 0

        async def say(who: str, text: str, times: int) -> None:
            known = _id_for(text)
            await platform.say(f"{who[:3]}-{known}", text, sender=who, times=times)
            del platform.threads[who][1:-1]

        def heard(who: str) -> Heard:
            nonlocal read
            for letter in platform.border.taken[read:]:
                post = post_of(letter)
                own = [line for line in post.text.splitlines() if not line.startswith(">")]
                texts.setdefault(post.to, {})[post.id] = "\n".join(own)
                read += 1
            return texts.get(who, {})

        def numbered() -> dict[str, int]:
            """Two that take in mail side by side may number it in another order than it came."""
            found: dict[str, int] = {}
            with imaplib.IMAP4(HOST, server.port) as client:
                client.login(ASSISTANT, MAILBOXES[ASSISTANT])
                client.select("INBOX", readonly=True)
                _, answers = client.uid("FETCH", "1:*", "(BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")
            for one in answers:
                line = b" ".join(one).decode() if isinstance(one, tuple) else ""
                if (uid := _UID.search(line)) and (word := WORD.search(line)):
                    found.setdefault(word[0], int(uid[1]))
            return found

        side = Side(
            *("email", "email0", platform.account(), (platform.owner, platform.stranger)),
            *(say, heard),
            idempotent=False,
            most_open=4,
            numbered=numbered,
        )
        await platform.start()
        try:
            yield House("email", [side], platform.stop, platform.start)
        finally:
            await platform.stop()


# ------------------------------------------------------------------ Matrix


@asynccontextmanager
async def _matrix(folder: Path) -> AsyncIterator[House]:
    with synapse(folder, users={}) as server, people(server, folder / _made(folder)) as them:
        platform = MatrixPlatform(server, them)
        texts: dict[str, dict[str, str]] = defaultdict(dict)
        read: dict[str, int] = defaultdict(int)
        there: set[str] = set()

        async def say(who: str, text: str, times: int) -> None:
            room = platform.rooms[who]
            if who not in there:
                await them.asked(them.joined(room, who, platform.bot))
                there.add(who)
            key = f"{who}-{_id_for(text)}"
            for _ in range(times):
                content: dict[str, Any] = {"msgtype": "m.text", "body": text}
                await them.asked(them.write(who, room, content, key))

        def heard(who: str) -> Heard:
            events = them.persons[who].events.get(platform.rooms[who], [])
            for event in events[read[who] :]:
                read[who] += 1
                content = event.get("content", {})
                if event.get("sender") != platform.bot or "body" not in content:
                    continue
                relation = content.get("m.relates_to", {})
                edits = relation.get("rel_type") == "m.replace"
                known = relation["event_id"] if edits else event["event_id"]
                body = content["m.new_content"]["body"] if edits else content["body"]
                texts[who][known] = str(body)
            return texts[who]

        side = Side(
            *("matrix", "matrix0", {}, (platform.owner, platform.stranger), say, heard),
            idempotent=platform.capabilities.idempotent,
            most_open=4,
        )
        await platform.start()
        side.settings = platform.account()
        try:
            yield House("matrix", [side], platform.gate.shut, platform.gate.open)
        finally:
            await platform.stop()


def _made(folder: Path) -> str:
    (folder / "people").mkdir()
    return "people"
