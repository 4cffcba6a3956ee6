"""`sessions` in the shell does what it says, in both languages and as JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.sessions_command import run_sessions_command
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import SessionStore

MAIN = main_session_key(DEFAULT_AGENT)


class Shell:
    """What a person types and reads."""

    def __init__(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.paths = Paths(tmp_path / "home", tmp_path, tmp_path)
        self.clock = ManualClock(datetime(2026, 3, 1, 9, tzinfo=UTC))
        self._capsys = capsys

    def types(self, *words: str, language: Language = Language.ENGLISH) -> tuple[int, str]:
        loaded = load_config(self.paths.home)
        arguments = parse(["sessions", *words])
        code = run_sessions_command(self.paths, loaded, self.clock, arguments, language)
        return code, self._capsys.readouterr().out

    def talks(self, *texts: str) -> str:
        """A conversation in which those things were said; its id."""
        store = SessionStore(self.paths.home, self.clock)
        session = store.new(MAIN)
        for text in texts:
            run = RunId(text)
            session.transcript.append_user(text, run)
            session.transcript.append_assistant(ChatMessage(Role.ASSISTANT, "yes"), run)
            session.transcript.append_outcome(run, RunOutcome(OutcomeKind.ANSWERED, "yes"))
            self.clock.advance(60)
        store.close(session)
        return session.session_id


@pytest.fixture
def shell(tmp_path, capsys) -> Shell:
    return Shell(tmp_path, capsys)


def test_the_list_shows_what_there_is(shell):
    first, second = shell.talks("a trip to Rome"), shell.talks("dinner", "dessert")
    _, listed = shell.types("list")
    assert listed.splitlines() == [
        f"{second[:8]}  2026-03-01 09:02     2  dinner  ← goes on here",
        f"{first[:8]}  2026-03-01 09:00     1  a trip to Rome",
        "Conversations: 2. Your messages: 3. In the trash: 0.",
    ]
    whole = json.loads(shell.types("list", "--json")[1])
    assert [one["id"] for one in whole["sessions"]] == [second, first]
    assert whole["counts"]["messages"] == 3
    assert "你的消息 3 条" in shell.types("list", language=Language.CHINESE)[1]


def test_words_are_found_with_their_conversation(shell):
    session = shell.talks("我想去罗马旅行")
    code, told = shell.types("search", "罗马", language=Language.CHINESE)
    assert (code, told.splitlines()[1]) == (0, "  你: 我想去罗马旅行")
    found = json.loads(shell.types("search", "罗马", "--json")[1])
    assert found["results"][0]["session"]["id"] == session
    code, told = shell.types("search", "Paris")
    assert (code, told) == (1, "Nobody said “Paris” in any conversation.\n")


def test_a_conversation_is_read_named_thrown_away_and_brought_back(shell):
    session = shell.talks("a trip to Rome")
    assert shell.types("show", session[:8])[1].startswith("You · 2026-03-01 09:00\na trip to Rome")
    assert "“Rome 2026” now" in shell.types("rename", session, "Rome 2026")[1]
    assert session[:8] in shell.types("delete", "Rome 2026")[1]
    assert "There are no conversations here." in shell.types("list")[1]
    assert "Rome 2026" in shell.types("list", "--deleted")[1]
    assert "It is back" in shell.types("restore", session)[1]
    assert "Put away" in shell.types("archive", session)[1]
    assert "Rome 2026" in shell.types("list", "--archived")[1]
    assert "again" in shell.types("unarchive", session)[1]
    later = shell.talks("later")
    assert MAIN in shell.types("resume", "Rome 2026")[1]
    assert json.loads(shell.types("resume", later, "--json")[1])["current"] is True


def test_an_exported_conversation_comes_in_again(shell, tmp_path):
    session = shell.talks("a trip to Rome")
    assert shell.types("export", session)[1].startswith("# a trip to Rome\n")
    file = tmp_path / "rome.json"
    assert str(file) in shell.types("export", session, "--format", "json", "--out", str(file))[1]
    told = shell.types("import", str(file), language=Language.CHINESE)[1]
    assert told.startswith("已导入为 ")
    assert shell.types("list")[1].count("a trip to Rome") == 2
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UserInputInvalid):
        shell.types("import", str(file))


def test_branches_are_listed_and_turned_to(shell):
    session = shell.talks("one", "two")
    store = SessionStore(shell.paths.home, shell.clock)
    store.open(MAIN).transcript.rewind()
    store.close(store.open(MAIN))
    assert shell.types("branch", session)[1].splitlines() == [
        "1. two (messages: 2)",
        "2. one (messages: 1)  ← goes on here",
    ]
    assert shell.types("branch", session, "1")[1] == "The conversation stands at “two” now.\n"
    assert json.loads(shell.types("branch", session, "--json")[1])[0]["current"] is True


def test_retention_is_off_until_it_is_set(shell):
    shell.talks("old")
    shell.talks("current")
    shell.clock.advance(100 * 86400)
    assert "Conversations: 2." in shell.types("list")[1]
    shell.paths.home.joinpath("moltbot.json").write_text("{session: {retention: {days: 30}}}")
    assert "Conversations: 1. Your messages: 1. In the trash: 1." in shell.types("list")[1]
