"""What the client says to a server, and what it makes of what the server says."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.irc.dialogue import (
    Answered,
    Dialogue,
    Echoed,
    Event,
    Found,
    Noted,
    NotSent,
    Online,
    Said,
)
from moltbot_desktop.extensions.irc.lines import read_line
from moltbot_desktop.extensions.irc.settings import IrcSettings, settings_from

NOW = datetime(2026, 11, 22, 13, 0, tzinfo=UTC)
CANARY = "s3cret-canary"
WELCOME = (":srv 001 molty :hi", ":srv 005 molty CASEMAPPING=ascii CHANTYPES=# :ok", ":srv 376 m :")


def settings(**more: object) -> IrcSettings:
    return settings_from({"host": "irc.example", "nick": "molty", **more})  # type: ignore[dict-item]


class Talk:
    """A dialogue and its lines as text."""

    def __init__(self, cursor: str = "", **more: object) -> None:
        self.there = Dialogue(settings(**more), Language.ENGLISH, ManualClock(NOW), cursor)
        self.wrote = [one.decode().rstrip() for one in self.there.hello()]

    def hears(self, *lines: str) -> list[Event]:
        return [event for one in lines for event in self._take(one)]

    def _take(self, text: str) -> Iterator[Event]:
        line = read_line(text.encode())
        assert line is not None
        yield from self.there.take(line)
        self.wrote += [one.decode().rstrip() for one in self.there.to_write()]


def in_lab(cursor: str = "", **more: object) -> Talk:
    talk = Talk(cursor, **{"channels": ["#Lab"], **more})
    caps = "message-tags server-time account-tag echo-message batch draft/chathistory"
    talk.hears(f":srv CAP * LS :{caps}", f":srv CAP * ACK :{caps}")
    assert Online() not in talk.hears(*WELCOME)
    assert Online() in talk.hears(":molty!m@h JOIN #Lab", ":srv 366 molty #Lab :End")
    return talk


def test_it_comes_in_without_capabilities() -> None:
    talk = Talk()
    assert talk.wrote == ["CAP LS 302", "NICK molty", "USER molty 0 * :Moltbot Desktop"]
    assert talk.hears(":srv 421 molty CAP :Unknown command") == []
    assert talk.hears(*WELCOME) == [Online()]


def test_it_logs_in_with_an_account() -> None:
    """https://ircv3.net/specs/extensions/sasl-3.1"""
    talk = Talk(account="ada", accountPassword=CANARY)
    talk.hears(":srv CAP * LS * :batch", ":srv CAP * LS :sasl=PLAIN,EXTERNAL")
    assert talk.wrote[-1] == "CAP REQ :batch sasl"
    talk.hears(":srv CAP * ACK :batch sasl", "AUTHENTICATE +")
    assert base64.b64decode(talk.wrote[-1].split()[1]) == f"\0ada\0{CANARY}".encode()
    talk.hears(":srv 903 molty :ok")
    assert talk.wrote[-1] == "CAP END"


@pytest.mark.parametrize("lines", [[":srv CAP * LS :sasl", ":srv 904 * :no"], [":srv CAP * LS :"]])
def test_a_wrong_password_is_told_without_it(lines: list[str]) -> None:
    talk = Talk(account="ada", accountPassword=CANARY)
    with pytest.raises(ChannelAuthFailed) as told:
        talk.hears(*lines)
    assert CANARY not in f"{told.value} {told.value.hint}" and told.value.hint


def test_a_password_is_not_told_in_the_open() -> None:
    assert settings(tls=False, password="x").tells_secrets
    assert not settings(tls=False, password="x", host="127.0.0.1").tells_secrets
    assert not settings(password="x").tells_secrets


def test_a_nick_that_is_taken_becomes_another_and_is_tried_again() -> None:
    talk = Talk(nickservPassword=CANARY)
    talk.hears(":srv 433 * molty :in use")
    assert talk.wrote[-1] == "NICK molty_"
    talk.hears(":srv 001 molty_ :hi", ":srv 376 molty_ :")
    assert f"PRIVMSG NickServ :GHOST molty {CANARY}" in talk.wrote and "NICK molty" in talk.wrote
    talk.there.again()
    assert talk.there.to_write() == [b"NICK molty\r\n"]
    talk.hears(":molty_!m@h NICK molty")
    talk.there.again()
    assert talk.there.to_write() == [] and talk.there.nick == "molty"


def test_five_nicks_that_are_taken_are_enough() -> None:
    talk = Talk()
    with pytest.raises(ChannelError, match="taken"):
        talk.hears(*[":srv 433 * molty :in use"] * 5)


def test_who_is_known_by_an_account_and_who_is_not() -> None:
    talk = in_lab()
    told = talk.hears(
        "@account=Ada :Ada|away!a@host PRIVMSG molty :one",
        ":ada!e@EVIL.example PRIVMSG molty :two",
        "@account=* :ada!e@evil.example PRIVMSG molty :three",
    )
    people = [one.person for one in told if isinstance(one, Said)]
    assert people == ["ada", "ada!e@evil.example", "ada!e@evil.example"]


def test_by_nick_only_where_the_owner_wants_it() -> None:
    talk = in_lab(identify="nick")
    [said] = talk.hears("@account=Ada :Eve!a@host PRIVMSG molty :one")
    assert isinstance(said, Said) and said.person == "eve"


def test_what_is_said_in_a_channel() -> None:
    talk = in_lab()
    told = talk.hears(
        "@msgid=m1;time=2026-11-22T12:00:00.000Z :eve!e@h PRIVMSG #LAB :\x02molty\x02, hi",
        ":eve!e@h PRIVMSG #lab :moltys are birds",
        ":eve!e@h PRIVMSG #lab :\x01ACTION waves\x01",
    )
    first, second, third = [one for one in told if isinstance(one, Said)]
    assert (first.channel, first.text, first.named) == ("#lab", "molty, hi", True)
    assert (first.message_id, first.time) == ("m1", "2026-11-22T12:00:00.000Z")
    assert not second.named and third.text == "* eve waves"


@pytest.mark.parametrize(
    "line",
    [
        ":eve!e@h NOTICE molty :hello",
        ":eve!e@h PRIVMSG molty :\x01VERSION\x01",
        ":eve!e@h PRIVMSG @#lab :for the operators",
        "@bot :eve!e@h PRIVMSG molty :I am one too",
        ":srv PRIVMSG molty :a server",
        ":eve!e@h PRIVMSG molty :\x02\x02",
        ":eve!e@h PRIVMSG someone :else",
        ":srv NOTICE * :looking up your hostname",
        ":srv 999",
    ],
)
def test_what_is_not_for_us_is_left(line: str) -> None:
    talk = in_lab()
    before = list(talk.wrote)
    assert talk.hears(line) == [] and talk.wrote == before


def test_our_own_words_come_back_as_their_id() -> None:
    assert in_lab().hears("@msgid=x :molty!m@h PRIVMSG #Lab :hello") == [Echoed("#lab", "x")]


def test_a_channel_that_lets_nobody_in_is_told_and_tried_again() -> None:
    talk = Talk(channels=["#lab", "#secret key"])
    talk.hears(*WELCOME)
    assert talk.wrote[-2:] == ["JOIN #lab", "JOIN #secret key"]
    told = talk.hears(":srv 475 molty #secret :bad key", ":srv 366 molty #lab :End")
    assert Online() in told
    assert any(isinstance(one, Noted) and "#secret" in one.problem for one in told)
    talk.there.again()
    assert talk.there.to_write() == [b"JOIN #secret key\r\n"]
    assert talk.hears(":srv 366 molty #secret :End") == [Noted("")]


def test_who_is_put_out_says_so_and_comes_back() -> None:
    talk = in_lab()
    [told] = talk.hears(":op!o@h KICK #lab molty :enough")
    assert isinstance(told, Noted) and "op" in told.problem and not talk.there.is_joined("#lab")
    talk.there.again()
    assert talk.there.to_write() == [b"JOIN #Lab\r\n"]


def test_an_invitation_is_taken_from_those_who_may_write() -> None:
    talk = in_lab(joinOnInvite=True, allowFrom=["ada"])
    talk.hears("@account=eve :eve!e@h INVITE molty #trap", ":ada!a@h INVITE molty #trap")
    assert not any("#trap" in one for one in talk.wrote)
    talk.hears("@account=ada :ada!a@h INVITE molty #tea")
    assert talk.wrote[-1] == "JOIN #tea"
    talk.hears(":molty!m@h JOIN #tea")
    assert talk.there.is_joined("#tea")


def test_what_was_said_while_we_were_away_is_asked_for_and_heard_once() -> None:
    """https://ircv3.net/specs/extensions/chathistory"""
    since = "2026-11-22T12:00:00.000Z"
    talk = in_lab(since)
    assert f"CHATHISTORY AFTER #Lab timestamp={since} 100" in talk.wrote
    assert any(one.startswith("CHATHISTORY TARGETS") for one in talk.wrote)
    talk.hears(":srv CHATHISTORY TARGETS ada 2026-11-22T12:01:00.000Z")
    assert talk.wrote[-1] == f"CHATHISTORY AFTER ada timestamp={since} 100"
    told = talk.hears(
        ":srv BATCH +b chathistory #Lab",
        f"@batch=b;time={since};msgid=old :eve!e@h PRIVMSG #lab :answered",
        "@batch=b;time=2026-11-22T12:01:00.000Z;msgid=new :eve!e@h PRIVMSG #lab :missed",
        ":srv BATCH -b",
    )
    assert [one.text for one in told if isinstance(one, Said)] == ["missed"]


def test_much_that_was_said_is_asked_for_page_by_page() -> None:
    talk = in_lab("2026-11-22T12:00:00.000Z")
    page = [
        f"@batch=b;time=2026-11-22T12:01:00.{n:03}Z :eve!e@h PRIVMSG #lab :{n}" for n in range(100)
    ]
    told = talk.hears(":srv BATCH +b chathistory #lab", *page, ":srv BATCH -b")
    assert len(told) == 100
    assert talk.wrote[-1] == "CHATHISTORY AFTER #lab timestamp=2026-11-22T12:01:00.099Z 100"


def test_what_is_played_back_at_the_first_visit_is_not_for_us() -> None:
    line = "@batch=b;time=2026-11-22T12:01:00.000Z :eve!e@h PRIVMSG #lab :molty: long ago"
    assert in_lab().hears(":srv BATCH +b chathistory #lab", line) == []


def test_the_server_is_asked_who_has_a_nick() -> None:
    talk = in_lab()
    told = talk.hears(
        ":srv 311 molty Ada a host * :Ada", ":srv 330 molty Ada ada :is", ":srv 318 molty Ada :End"
    )
    assert told == [Found("ada", "ada")]
    told = talk.hears(":srv 401 molty Bob :No such nick", ":srv 318 molty Bob :End")
    assert told == [NotSent("401", "Bob", "No such nick"), Found("bob", "")]


def test_pings_are_answered_and_answers_are_told() -> None:
    talk = in_lab()
    assert talk.hears("PING :abc", ":srv PONG srv t-1") == [Answered("t-1")]
    assert talk.wrote[-1] == "PONG abc"


@pytest.mark.parametrize("reason", ["Excess Flood", "Killed (op (bye))", ""])
def test_what_ends_the_connection_is_tried_again(reason: str) -> None:
    with pytest.raises(ChannelError) as told:
        in_lab().hears(f"ERROR :Closing Link: {reason}")
    assert told.value.retryable


@given(
    st.lists(
        st.sampled_from(
            "NICK JOIN PART KICK QUIT BATCH CAP INVITE PRIVMSG AUTHENTICATE CHATHISTORY ACCOUNT"
            " 001 005 311 318 330 366 401 433 475 903".split()
        ).flatmap(
            lambda command: st.lists(
                st.sampled_from("molty #lab +b -b * LS ACK : :x a= :+".split()),
                max_size=4,
            ).map(lambda rest: " ".join([":molty!m@h", command, *rest]))
        ),
        max_size=12,
    )
)
@examples(max_examples=150, deadline=None)
def test_a_server_may_say_anything(lines: list[str]) -> None:
    talk = in_lab("2026-11-22T12:00:00.000Z")
    with contextlib.suppress(MoltbotError):
        talk.hears(*lines)
