"""Conversations are found, named, put away, thrown away and brought back; nothing else changes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StoreBusy, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId, SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sdk.sessions import ExportForm, Shelf
from moltbot_desktop.sessions.blotting import mentions
from moltbot_desktop.sessions.catalogue import catalogue_path, open_catalogue
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import Session, SessionStore

MAIN = main_session_key(DEFAULT_AGENT)
FAMILY = SessionKey("agent:main:telegram:group:7")


class House:
    """A state folder with conversations in it, and the library over them."""

    def __init__(self, root: Path) -> None:
        self.clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
        self.root = root
        self.store = SessionStore(root, self.clock)
        self.library = StoredSessions(self.store, self.clock)
        self.folder = root / "agents" / "main" / "sessions"

    def talk(self, *texts: str, key: SessionKey = MAIN) -> Session:
        """A conversation in which those things were said; it is closed."""
        session = self.store.new(key)
        for text in texts:
            self.clock.advance(1)
            run = RunId(text)
            session.transcript.append_user(text, run)
            said = ChatMessage(Role.ASSISTANT, f"about {text}")
            session.transcript.append_assistant(said, run)
            session.transcript.append_outcome(run, RunOutcome(OutcomeKind.ANSWERED, "ok"))
        self.clock.advance(1)
        self.store.close(session)
        return session

    def titles(self, shelf: Shelf = Shelf.KEPT) -> list[str]:
        return [one.title for one in self.library.sessions(shelf)]

    def found(self, words: str) -> list[str]:
        return [hit.line.text for hit in self.library.search(words)]


@pytest.fixture
def house(tmp_path) -> House:
    return House(tmp_path / "home")


def test_nothing_is_there_at_first(house):
    assert house.titles() == []
    assert house.found("x") == []
    assert not house.root.exists()


def test_the_latest_comes_first_with_its_beginning_as_its_title(house):
    house.talk("my dentist is Dr. Okafor", "and yours?")
    house.talk("dinner on Sunday", key=FAMILY)
    newest, oldest = house.library.sessions()
    assert (newest.title, newest.key, newest.asked, newest.current) == (
        *("dinner on Sunday", FAMILY, 1),
        True,
    )
    assert (oldest.title, oldest.asked, oldest.branches) == ("my dentist is Dr. Okafor", 2, 1)
    counts = house.library.counts()
    assert (counts.sessions, counts.messages, counts.deleted) == (2, 3, 0)


def test_what_stands_above_the_words_of_a_channels_message_is_no_title(house):
    session = house.store.new(FAMILY)
    above = "[Telegram g 2026-03-01 12:00 UTC] "
    session.transcript.append_user(f"{above}Ada (7): dinner?", RunId("r"), before=above)
    house.store.close(session)
    assert house.titles() == ["Ada (7): dinner?"]
    again = house.store.open(FAMILY)
    entry, *_ = again.transcript.entries()
    assert entry.text == f"{above}Ada (7): dinner?"  # what the model reads
    assert again.transcript.branches()[0].last == "Ada (7): dinner?"
    house.store.close(again)


def test_words_are_found_in_english_and_chinese(house):
    house.talk("my dentist is Dr. Okafor", "我明天下午去看牙医")
    house.talk("Ärzte in der Nähe")
    assert house.found("dent okafor") == [
        "about my dentist is Dr. Okafor",
        "my dentist is Dr. Okafor",
    ]
    assert house.found("牙医") == ["about 我明天下午去看牙医", "我明天下午去看牙医"]
    assert house.found("arzte")
    assert house.found("医牙") == []
    assert house.found("!?") == []


def test_a_message_with_files_is_found_without_the_line_that_the_agent_reads(house):
    line = "[media attached: media/inbound/3f2a9c1d-plan.pdf (application/pdf)]"
    house.talk(f"sum the plan up\n{line}")
    house.talk(line)
    found = [hit.snippet for hit in house.library.search("plan") if hit.line.who == "user"]
    assert found == ["plan.pdf", "sum the plan up plan.pdf"]


def test_what_is_said_later_is_found_and_what_was_forgotten_is_not(house):
    session = house.talk("the code is swordfish")
    assert house.found("swordfish")
    (mention,) = mentions(house.root, "swordfish")
    with open_catalogue(house.root):  # another window looks at it
        house.store.blot(mention, "swordfish")
        files = sorted(catalogue_path(house.root).parent.glob("search.sqlite*"))
        assert len(files) > 1
        assert not any(b"swordfish" in path.read_bytes() for path in files)
    again = house.store.open(MAIN)
    again.transcript.append_user("the code is pelican", RunId("later"))
    house.store.close(again)
    assert house.found("pelican") == ["the code is pelican"]
    assert house.found("swordfish") == []
    assert session.transcript.path.exists()


def test_the_cache_can_be_deleted_or_spoilt(house):
    house.talk("hello")
    assert house.found("hello")
    catalogue_path(house.root).write_bytes(b"not a database at all" * 100)
    assert house.found("hello")
    catalogue_path(house.root).unlink()
    assert house.titles() == ["hello"]


@pytest.mark.parametrize("current", [True, False])
def test_a_name_stays_with_its_conversation(house, current):
    session = house.talk("hello")
    if not current:
        house.talk("later")
    named = house.library.rename(session.session_id[:8], "  Trip to\nRome ")
    assert (named.label, named.title) == ("Trip to Rome", "Trip to Rome")
    (house.folder / "sessions.json").unlink()
    again = House(house.root)
    assert again.library.lines("trip to rome")[0].text == "hello"
    assert again.library.rename("Trip to Rome", "").title == "hello"


def test_a_conversation_that_is_put_away_is_found_all_the_same(house):
    session = house.talk("hello")
    assert house.library.archive(session.session_id, away=True).shelf is Shelf.ARCHIVED
    assert (house.titles(), house.titles(Shelf.ARCHIVED)) == ([], ["hello"])
    assert house.found("hello")
    house.library.archive(session.session_id, away=False)
    assert house.titles() == ["hello"]


def test_a_deleted_conversation_comes_back_as_it_was(house):
    session = house.talk("hello")
    before = session.transcript.path.read_bytes()
    house.library.delete(session.session_id)
    assert (house.titles(), house.titles(Shelf.DELETED), house.found("hello")) == (
        [],
        ["hello"],
        [],
    )
    assert [m.session_id for m in mentions(house.root, "hello")] == [session.session_id]
    house.library.restore(session.session_id)
    assert session.transcript.path.read_bytes() == before
    assert house.store.open(MAIN).session_id == session.session_id


def test_after_the_current_one_was_deleted_a_fresh_one_begins(house):
    house.talk("old")
    session = house.talk("new")
    house.library.delete(session.session_id)
    begun = house.store.open(MAIN)
    assert begun.transcript.entries() == ()
    house.store.close(begun)
    house.library.restore(session.session_id)
    assert house.library.go_on(session.session_id).current
    assert house.store.open(MAIN).session_id == session.session_id


def test_a_helper_s_conversation_leaves_nothing_in_the_index_and_comes_back(house):
    key = SessionKey("agent:main:subagent:7f")
    session = house.talk("look", key=key)
    house.talk("hello")
    index = house.folder / "sessions.json"
    house.library.delete(session.session_id)
    assert list(json.loads(index.read_text())) == [MAIN]
    assert house.titles(Shelf.DELETED) == ["look"]
    assert house.library.restore(session.session_id).current
    assert house.store.open(key).session_id == session.session_id


def test_one_that_is_open_is_neither_deleted_nor_taken_from_another_process(house):
    session = house.talk("hello")
    other = House(house.root)
    opened = other.store.open(MAIN)
    for changing in (house.library.delete, lambda name: house.library.rename(name, "x")):
        with pytest.raises(StoreBusy):
            changing(session.session_id)
    with pytest.raises(UserInputInvalid, match="open here"):
        other.library.delete(session.session_id)
    assert other.library.rename(session.session_id, "Mine").label == "Mine"
    assert house.library.lines("Mine")
    other.store.close(opened)


def test_older_ones_are_changed_while_the_key_is_open(house):
    first, second = house.talk("first"), house.talk("second")
    house.talk("current")
    other = House(house.root)
    opened = other.store.open(MAIN)
    for library, session in ((house.library, first), (other.library, second)):
        assert library.rename(session.session_id, "Mine").label == "Mine"
        library.turn_to(session.session_id, 1)
        library.delete(session.session_id)
        library.restore(session.session_id)
        assert not library.rename(session.session_id, "").current
    with pytest.raises(StoreBusy):
        house.library.go_on(first.session_id)
    assert len(other.library.sessions()) == 3
    other.store.close(opened)


def test_branches_are_turned_to_from_outside(house):
    session = house.talk("one", "two")
    opened = house.store.open(MAIN)
    opened.transcript.rewind()
    opened.transcript.append_user("other", RunId("other"))
    house.store.close(opened)
    ways = house.library.branches(session.session_id)
    assert [(way.number, way.last, way.current) for way in ways] == [
        (1, "two", False),
        (2, "other", True),
    ]
    assert house.library.turn_to(session.session_id, 1).last == "two"
    assert [line.text for line in house.library.lines(session.session_id)][-1] == "about two"
    assert house.found("other"), "branches that were left are searched too"
    with pytest.raises(UserInputInvalid):
        house.library.turn_to(session.session_id, 3)


def test_markdown_is_for_reading(house):
    session = house.store.open(MAIN)
    session.transcript.append_user("what is 2+2?", RunId("r"))
    call = ToolCall("c", "calc", {"expression": "2+2"})
    session.transcript.append_assistant(ChatMessage(Role.ASSISTANT, "", (call,)), RunId("r"))
    result = ChatMessage(Role.TOOL, "```4```", tool_call_id="c", tool_name="calc")
    session.transcript.append_tool_result(result, RunId("r"), ok=True, display="4")
    session.transcript.append_assistant(ChatMessage(Role.ASSISTANT, "Four."), RunId("r"))
    session.transcript.append_outcome(RunId("r"), RunOutcome(OutcomeKind.ANSWERED, "Four."))
    text = house.library.export(session.session_id, ExportForm.MARKDOWN, Language.ENGLISH)
    assert text.startswith("# what is 2+2?\n\n## You · 2026-03-01 00:00\n\nwhat is 2+2?")
    assert "<summary>Used calc</summary>" in text
    assert "````\n```4```\n````" in text
    assert text.rstrip().endswith("Four.")
    chinese = house.library.export(session.session_id, ExportForm.MARKDOWN, Language.CHINESE)
    assert "## 助手" in chinese


def test_in_markdown_files_of_a_message_are_a_list(house):
    line = "[media attached: media/inbound/3f2a9c1d-plan.pdf (application/pdf)]"
    session = house.talk(f"sum it up\n{line}")
    text = house.library.export(session.session_id, ExportForm.MARKDOWN, Language.ENGLISH)
    assert "\n\nsum it up\n\n- `plan.pdf`\n\n" in text


def test_what_was_exported_comes_in_as_a_conversation_of_its_own(house, tmp_path):
    session = house.talk("one", "二")
    text = house.library.export(session.session_id, ExportForm.JSON, Language.ENGLISH)
    elsewhere = House(tmp_path / "elsewhere")
    brought = elsewhere.library.bring_in(text)
    assert not brought.current
    assert [line.text for line in elsewhere.library.lines(brought.id)] == [
        *("one", "about one", "二", "about 二")
    ]
    written = [json.loads(line) for line in session.transcript.path.read_text().splitlines()]
    copied = (elsewhere.folder / f"{brought.id}.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in copied[1:-1]] == written[1:]
    assert json.loads(copied[-1])["data"] == {"untrusted": True, "private": True}


OF_CLAWDBOT = "\n".join(
    [
        '{"type":"session","version":3,"id":"old","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/"}',
        '{"type":"model_change","id":"m","parentId":null,"timestamp":"2026-01-01T10:00:00.000Z"}',
        '{"type":"message","id":"a","parentId":"m","timestamp":"2026-01-01T10:00:01.000Z",'
        '"message":{"role":"user","content":[{"type":"text","text":"hello \u2028 crab"}]}}',
        '{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T10:00:02.000Z",'
        '"message":{"role":"assistant","content":[{"type":"text","text":"hi"}]}}',
    ]
)


def test_files_of_the_reference_are_there_and_come_in(house):
    house.folder.mkdir(parents=True)
    (house.folder / "old.jsonl").write_text(OF_CLAWDBOT + "\n")
    entry = {"sessionId": "old", "updatedAt": 1, "label": "Crab", "thinkingLevel": "low"}
    (house.folder / "sessions.json").write_text(json.dumps({MAIN: entry}))
    (info,) = house.library.sessions()
    assert (info.id, info.key, info.title, info.current) == ("old", MAIN, "Crab", True)
    assert house.found("crab")
    assert house.store.open(MAIN).transcript.messages()[0].content == "hello \u2028 crab"
    assert house.store.settings(MAIN).think == "low"
    assert house.library.bring_in(OF_CLAWDBOT).asked == 1


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", "hello", '{"format":"moltbot-session"}', "[" * 99]
)
def test_what_is_no_conversation_does_not_come_in(house, text):
    with pytest.raises(UserInputInvalid):
        house.library.bring_in(text)
    assert not house.root.exists()


def test_names_that_fit_nothing_or_too_much_are_refused(house):
    first, second = house.talk("a"), house.talk("b")
    house.library.rename(first.session_id, "Twin")
    house.library.rename(second.session_id, "Twin")
    for name in ("Twin", "nobody", "", first.session_id[:3]):
        with pytest.raises(UserInputInvalid):
            house.library.lines(name)
    assert house.library.lines(MAIN)[0].text == "b"


def test_what_was_kept_long_enough_goes_to_the_trash_and_then_for_good(house):
    house.talk("old")
    house.clock.advance(20 * 86400)
    house.talk("current")
    assert house.library.tidy(None, 30) == 0
    assert house.library.tidy(30, 30) == 0
    house.clock.advance(20 * 86400)
    assert house.library.tidy(30, 30) == 1
    assert (house.titles(), house.titles(Shelf.DELETED)) == (["current"], ["old"])
    house.clock.advance(31 * 86400)
    assert house.library.tidy(None, 30) == 0
    assert house.titles(Shelf.DELETED) == []
    assert house.library.tidy(30, 30) == 0, "the one that goes on is kept"
    assert house.titles() == ["current"]


def test_a_damaged_conversation_stands_in_nobodys_way(house):
    house.talk("whole")
    (house.folder / "broken.jsonl").write_bytes(b"\xff\xfe\n{\n[[[")
    (house.folder / "empty.jsonl").write_bytes(b"")
    assert house.titles()[0] == "whole"
    assert house.found("whole")
    assert {one.id for one in house.library.sessions()} >= {"broken", "empty"}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=80) | st.text(max_size=40).map(str.encode))
def test_any_file_can_be_listed_searched_and_exported(tmp_path_factory, data):
    house = House(tmp_path_factory.mktemp("home"))
    house.folder.mkdir(parents=True)
    line = b'{"type":"message","id":"a","message":{"role":"user","content":"word"}}\n'
    (house.folder / "any.jsonl").write_bytes(data + b"\n" + line + data)
    assert house.found("word") == ["word"]
    for form in ExportForm:
        assert "word" in house.library.export("any", form, Language.ENGLISH)
    house.library.archive("any", away=True)
    assert house.found("word") == ["word"]


def test_a_restored_one_does_not_replace_another(house):
    session = house.talk("hello")
    house.library.delete(session.session_id)
    session.transcript.path.write_text("something else\n")
    with pytest.raises(UserInputInvalid, match="2 conversations"):
        house.library.restore(session.session_id)
    assert session.transcript.path.read_text() == "something else\n"
