"""The client's side of IRC, without a socket: lines come in, events and lines to write come out.

    talk = Dialogue(settings, language, clock)
    writer.writelines(talk.hello())
    for event in talk.take(line):          # Online(), Said(...), Noted(...), Answered(...)
        ...
    writer.writelines(talk.to_write())

What ends the connection is raised. Joining, logging in, a nick that is taken and what was said
while we were away (``CHATHISTORY``) are all here; who sends when is `connection`'s.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.irc.lines import IrcLine, write_line
from moltbot_desktop.extensions.irc.people import People
from moltbot_desktop.extensions.irc.settings import IrcSettings
from moltbot_desktop.extensions.irc.text import action_in, folded, names, unformatted
from moltbot_desktop.extensions.irc.words import PHRASES

CAPABILITIES = (
    "message-tags server-time account-tag echo-message batch account-notify extended-join chghost"
    " draft/chathistory sasl"
).split()
HISTORY_LINES = 100
_HISTORIES = ("chathistory", "znc.in/playback", "playback")
_NOT_JOINED = frozenset("403 405 471 473 474 475 476 477 489 520".split())
_NOT_SENT = frozenset("401 402 403 404 407 408 411 412 413 414 415 477 486 531 716".split())
_NICK_TAKEN = frozenset("433 436 437".split())
_LOGIN_FAILED = frozenset("902 904 905 906 908".split())
_MOST_NICK_TRIES = 4


@dataclass(frozen=True)
class Online:
    """We are there, and in every channel that lets us in."""


@dataclass(frozen=True)
class Said:
    """Somebody said something to us, or where we hear it.

    Attributes:
        person: their id (`people`).
        channel: as the server compares names; "" when it was said to us alone.
        time: the server's, as it wrote it; "" when it tells none.
    """

    person: str
    nick: str
    channel: str
    text: str
    named: bool
    message_id: str = ""
    time: str = ""


@dataclass(frozen=True)
class Noted:
    """Something that does not work, for the owner; "" when it works again."""

    problem: str


@dataclass(frozen=True)
class Answered:
    """The server has come to our PING of that token: it has taken all that we wrote before."""

    token: str


@dataclass(frozen=True)
class NotSent:
    """The server did not take a message to `target`; `command` is the number of its reason."""

    command: str
    target: str
    reason: str


@dataclass(frozen=True)
class Echoed:
    """What we said to `target` has this id."""

    target: str
    message_id: str


@dataclass(frozen=True)
class Found:
    """The end of a WHOIS: who has `nick`; `person` "" for nobody."""

    nick: str
    person: str


Event = Online | Said | Noted | Answered | NotSent | Echoed | Found


class Dialogue:
    """One connection, from its first line on.

    Attributes:
        nick: ours, as it is now.
    """

    def __init__(
        self, settings: IrcSettings, language: Language, clock: Clock, cursor: str = ""
    ) -> None:
        """`cursor`: the time of the last message that was kept, "" when none ever was."""
        self.nick = settings.nick
        self.people = People(by_nick=settings.by_nick)
        self._settings = settings
        self._language = language
        self._clock = clock
        self._cursor = cursor
        self._lines: list[bytes] = []
        self._offered: set[str] = set()
        self._caps: set[str] = set()
        self._server: dict[str, str] = {}
        self._welcome = self._online = False
        self._nick_tries = 0
        self._joining: set[str] = set()
        self._joined: set[str] = set()
        self._problems: dict[str, str] = {}
        self._batches: dict[str, tuple[str, str]] = {}
        self._replayed: dict[str, tuple[int, str]] = {}
        self._whois: dict[str, tuple[str, str]] = {}

    # ------------------------------------------------------------ what others ask

    def hello(self) -> list[bytes]:
        """The first lines of a connection."""
        if self._settings.password:
            self._write("PASS", self._settings.password)
        self._write("CAP", "LS", "302")
        self._write("NICK", self.nick)
        self._write("USER", _user(self._settings.nick), "0", "*", self._settings.realname)
        return self.to_write()

    def to_write(self) -> list[bytes]:
        """What is to be written now; it is told once."""
        lines, self._lines = self._lines, []
        return lines

    @property
    def mapping(self) -> str:
        """How the server compares names."""
        return self._server.get("CASEMAPPING", "rfc1459")

    @property
    def prefix_bytes(self) -> int:
        """At most what the server puts before a line of ours."""

        def most(name: str, otherwise: int) -> int:
            given = self._server.get(name, "")
            return min(int(given), 256) if given.isascii() and given.isdigit() else otherwise

        return len(self.nick) + len(":!@") + most("USERLEN", 12) + most("HOSTLEN", 64)

    def is_channel(self, target: str) -> bool:
        return target[:1] in self._server.get("CHANTYPES", "#&") and target != ""

    def is_joined(self, channel: str) -> bool:
        return self._fold(channel) in self._joined

    def is_wanted(self, channel: str) -> bool:
        """Whether it is one that we join by ourselves."""
        name = self._fold(channel)
        return any(self._fold(one) == name for one, _ in self._settings.channels)

    def again(self) -> None:
        """Once a minute: what did not go may go now."""
        if not self._welcome:
            return
        for name, _ in self._settings.channels:
            if not self.is_joined(name):
                self._join(name)
        if self._fold(self.nick) != self._fold(self._settings.nick):
            self._write("NICK", self._settings.nick)

    # ------------------------------------------------------------ what the server says

    def take(self, line: IrcLine) -> Iterator[Event]:
        """Raises:
        ChannelAuthFailed, ChannelRefused: we are not let in.
        ChannelError: the server ends the connection.
        """
        match line.command:
            case "PING":
                self._write("PONG", line.param(-1))
            case "PONG":
                yield Answered(line.param(-1))
            case "PRIVMSG":
                yield from self._said(line)
            case "CAP" | "AUTHENTICATE" | "903":
                self._login(line)
            case "001":
                self._welcome, self.nick = True, line.param(0) or self.nick
            case "005":
                self._supported(line)
            case "376" | "422":
                yield from self._registered()
            case "JOIN" | "PART" | "KICK" | "NICK" | "QUIT" | "ACCOUNT" | "CHGHOST" | "KILL":
                yield from self._moved(line)
            case "366":
                yield from self._in_channel(line.param(1))
            case "BATCH":
                self._batch(line)
            case "CHATHISTORY":
                if line.param(0) == "TARGETS" and not self.is_channel(line.param(1)):
                    self._ask_history(line.param(1), self._cursor)
            case "INVITE":
                person = self.people.seen(line, self.mapping)
                if person in self._settings.invited_by and self.is_channel(line.param(1)):
                    self._write("JOIN", line.param(1).partition(",")[0])
            case "NOTICE":
                yield from self._noticed(line)
            case "311" | "318" | "330" | "401":
                yield from self._looked_up(line)
            case "ERROR":
                raise self._ended(line.param(-1)[:200] or "?")
            case _:
                yield from self._refused(line)

    def _refused(self, line: IrcLine) -> Iterator[Event]:
        command, reason = line.command, line.param(-1)[:200]
        if command in _LOGIN_FAILED:
            raise self._auth("login")
        if command == "464":
            raise self._auth("password")
        if command == "465":
            raise ChannelRefused(
                self._say("banned", reason=reason), hint=PHRASES.say("banned_hint", self._language)
            )
        if command == "432" and not self._welcome:
            raise self._auth("bad_nick", nick=self.nick)
        if command in _NICK_TAKEN and not self._welcome:
            self._another_nick()
        elif command in _NOT_JOINED and self._fold(line.param(1)) in self._joining:
            problem = self._say("not_joined", channel=line.param(1), reason=reason)
            yield from self._tried(line.param(1), problem)
        elif command in _NOT_SENT:
            yield NotSent(command, line.param(1), reason)

    def _another_nick(self) -> None:
        self._nick_tries += 1
        if self._nick_tries > _MOST_NICK_TRIES:
            raise self._error("nick_taken", nick=self._settings.nick)
        # Short first, since a server may cut a long nick to the one that is taken.
        self.nick = f"{self._settings.nick[:8]}{'_' * self._nick_tries}"
        self._write("NICK", self.nick)

    # ------------------------------------------------------------ getting in

    def _login(self, line: IrcLine) -> None:
        verb = line.param(1).upper()
        if line.command == "AUTHENTICATE":
            if line.param(0) == "+":
                self._authenticate()
        elif line.command == "903" or (line.command == "CAP" and verb == "NAK"):
            self._write("CAP", "END")
        elif verb == "LS":
            self._offered |= {one.partition("=")[0] for one in line.param(-1).split()}
            if line.param(2) != "*":  # a star: more of the list comes
                self._request()
        elif verb == "ACK":
            self._caps |= set(line.param(-1).split())
            if self._settings.account and "sasl" in self._caps:
                self._write("AUTHENTICATE", "PLAIN")
            else:
                self._write("CAP", "END")

    def _request(self) -> None:
        log_in = bool(self._settings.account)
        if log_in and "sasl" not in self._offered:
            raise self._auth("no_sasl")
        wanted = [one for one in CAPABILITIES if one in self._offered and (log_in or one != "sasl")]
        if wanted:
            self._write("CAP", "REQ", " ".join(wanted))
        else:
            self._write("CAP", "END")

    def _authenticate(self) -> None:
        name, password = self._settings.account, self._settings.account_password
        whole = base64.b64encode(f"\0{name}\0{password}".encode()).decode()
        for start in range(0, len(whole), 400):
            self._write("AUTHENTICATE", whole[start : start + 400])
        if len(whole) % 400 == 0:
            self._write("AUTHENTICATE", "+")

    def _supported(self, line: IrcLine) -> None:
        for one in line.params[1:-1]:
            name, _, value = one.partition("=")
            self._server[name.upper()] = value

    def _registered(self) -> Iterator[Event]:
        settings = self._settings
        if self._server.get("BOT"):
            self._write("MODE", self.nick, f"+{self._server['BOT'][:1]}")
        if settings.nickserv_password:
            if self._fold(self.nick) != self._fold(settings.nick):
                ghost = f"GHOST {settings.nick} {settings.nickserv_password}"
                self._write("PRIVMSG", "NickServ", ghost)
                self._write("NICK", settings.nick)
            # With the name, so that it is taken under another nick too.
            told = f"IDENTIFY {settings.nick} {settings.nickserv_password}"
            self._write("PRIVMSG", "NickServ", told)
        for name, _ in settings.channels:
            self._join(name)
        if self._has_history and self._cursor:
            now = self._clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            times = (f"timestamp={self._cursor}", f"timestamp={now}")
            self._write("CHATHISTORY", "TARGETS", *times, str(HISTORY_LINES))
        yield from self._whether_online()

    def _join(self, name: str) -> None:
        key = next((key for one, key in self._settings.channels if one == name), "")
        self._joining.add(self._fold(name))
        self._write("JOIN", name, *([key] if key else []))

    def _in_channel(self, name: str) -> Iterator[Event]:
        if self._fold(name) in self._joining:
            self._joined.add(self._fold(name))
            self._ask_history(name, self._cursor)
            yield from self._tried(name, "")

    def _tried(self, channel: str, problem: str) -> Iterator[Event]:
        """Joining a channel has ended, with a `problem` or with ""."""
        self._joining.discard(self._fold(channel))
        yield from self._whether_online()
        yield from self._problem(channel, problem)

    def _whether_online(self) -> Iterator[Event]:
        if not self._joining and not self._online:
            self._online = True
            yield Online()

    def _problem(self, about: str, problem: str) -> Iterator[Event]:
        before = dict(self._problems)
        self._problems.pop(self._fold(about), None)
        if problem:
            self._problems[self._fold(about)] = problem
        if self._problems != before:
            yield Noted(" ".join(self._problems.values()))

    # ------------------------------------------------------------ who is where

    def _moved(self, line: IrcLine) -> Iterator[Event]:
        ours = self._fold(line.nick) == self._fold(self.nick)
        match line.command:
            case "NICK" if ours:
                self.nick = line.param(0) or self.nick
            case "NICK":
                self.people.moved(line.nick, line.param(0), self.mapping)
            case "JOIN" if ours and not self._joining & {self._fold(line.param(0))}:
                self._joined.add(self._fold(line.param(0)))  # somebody invited us
            case "PART" if ours:
                self._joined.discard(self._fold(line.param(0)))
            case "KICK" if self._fold(line.param(1)) == self._fold(self.nick):
                self._joined.discard(self._fold(line.param(0)))
                told = self._say(
                    "kicked", by=line.nick, channel=line.param(0), reason=line.param(2)[:200]
                )
                yield from self._problem(line.param(0), told)
            case "QUIT" | "ACCOUNT" | "CHGHOST" | "KILL" if not ours:
                self.people.gone(line.nick, self.mapping)

    def _looked_up(self, line: IrcLine) -> Iterator[Event]:
        nick = self._fold(line.param(1))
        address, account = self._whois.get(nick, ("", ""))
        if line.command == "311":
            source = f"{line.param(1)}!{line.param(2)}@{line.param(3)}"
            self._whois = {nick: (source, account)}
        elif line.command == "330":
            self._whois = {nick: (address, line.param(2))}
        elif line.command == "318":
            self._whois = {}
            yield Found(nick, self.people.id_of(address, account, self.mapping) if address else "")
        else:
            yield NotSent(line.command, line.param(1), line.param(-1)[:200])

    # ------------------------------------------------------------ what is said

    def _said(self, line: IrcLine) -> Iterator[Event]:
        target, nick = line.param(0), line.nick
        time = line.tags.get("time", "")
        replayed = self._counted(line, time)
        message_id = line.tags.get("msgid", "")
        channel = self._fold(target) if self.is_channel(target) else ""
        if self._fold(nick) == self._fold(self.nick):
            yield Echoed(self._fold(target), message_id)
            return
        # Not ours: what a bot says, and what goes to part of a channel ("@#lab") only.
        if "bot" in line.tags or not (channel or self._fold(target) == self._fold(self.nick)):
            return
        if "!" not in line.source:
            return  # a server, or what plays history back as nobody
        # Played back: it was answered, or was said before we were ever here.
        if replayed and (not self._cursor or not time or time <= self._cursor):
            return
        text = action_in(line.param(1))
        text = unformatted(text).strip() if text is not None else ""
        if not text:
            return
        if line.param(1).startswith("\x01"):
            text = f"* {nick} {text}"
        person = self.people.seen(line, self.mapping)
        named = not channel or names(text, self.nick) or names(text, self._settings.nick)
        yield Said(person, nick, channel, text, named, message_id, time)

    def _counted(self, line: IrcLine, time: str) -> bool:
        """Whether it is played back; so much of its batch has come."""
        kind, target = self._batches.get(line.tags.get("batch", ""), ("", ""))
        if kind in _HISTORIES:
            count, _ = self._replayed.get(self._fold(target), (0, ""))
            self._replayed[self._fold(target)] = (count + 1, time)
        return kind in _HISTORIES

    def _noticed(self, line: IrcLine) -> Iterator[Event]:
        """Nobody answers a notice; what NickServ says of the password is for the owner."""
        if self._settings.nickserv_password and self._fold(line.nick) == "nickserv":
            said = unformatted(line.param(1)).lower()
            if "invalid password" in said or "password incorrect" in said:
                yield from self._problem("nickserv", PHRASES.say("nickserv", self._language))

    # ------------------------------------------------------------ what was said meanwhile

    @property
    def _has_history(self) -> bool:
        return "draft/chathistory" in self._caps and "batch" in self._caps

    def _ask_history(self, target: str, after: str) -> None:
        if self._has_history and after and target:
            wanted = f"timestamp={after}"
            self._write("CHATHISTORY", "AFTER", target, wanted, str(HISTORY_LINES))

    def _batch(self, line: IrcLine) -> None:
        sign, name = line.param(0)[:1], line.param(0)[1:]
        if sign == "+" and len(self._batches) < 50:
            self._batches[name] = (line.param(1), line.param(2))
        elif sign == "-":
            kind, target = self._batches.pop(name, ("", ""))
            if kind == "chathistory":
                count, last = self._replayed.pop(self._fold(target), (0, ""))
                if count >= HISTORY_LINES:
                    self._ask_history(target, last)

    # ------------------------------------------------------------ small things

    def _write(self, command: str, *params: str) -> None:
        self._lines.append(write_line(command, *params))

    def _fold(self, name: str) -> str:
        return folded(name, self.mapping)

    def _say(self, phrase: str, **slots: object) -> str:
        return PHRASES.say(phrase, self._language, **{"host": self._settings.host, **slots})

    def _error(self, phrase: str, **slots: object) -> ChannelError:
        return ChannelError(self._say(phrase, **slots))

    def _ended(self, reason: str) -> ChannelError:
        """Some servers have no number for a password that is wrong."""
        closed = any(one in reason.lower() for one in ("password", "access denied"))
        if closed and self._settings.password and not self._welcome:
            return self._auth("password")
        return self._error("ended", reason=reason)

    def _auth(self, phrase: str, **slots: object) -> ChannelAuthFailed:
        hint = PHRASES.say(f"{phrase}_hint", self._language)
        return ChannelAuthFailed(self._say(phrase, **slots), hint=hint)


def _user(nick: str) -> str:
    return "".join(one for one in nick if one.isascii() and one.isalnum())[:9] or "moltbot"
