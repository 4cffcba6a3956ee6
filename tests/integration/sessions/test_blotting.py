"""What a person has forgotten stands in no conversation any more, and the rest stays as it was."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.memories import Use, UsedMemory, words_digest
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.blotting import mentions
from moltbot_desktop.sessions.entries import MemoriesEntry
from moltbot_desktop.sessions.store import Session, SessionStore

KEY, FACT = SessionKey("agent:main:main"), "My dentist is Dr. Okafor"


def store_at(home: Path) -> SessionStore:
    return SessionStore(home, ManualClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC)))


def talked(store: SessionStore, key: SessionKey = KEY) -> Session:
    """A conversation in which the fact stands in every kind of field."""
    session = store.open(key)
    log, run = session.transcript, RunId("r1")
    log.append_user(f"Hello! {FACT}. And the sky is blue.", run)
    call = ToolCall("c1", "memory_store", {"text": FACT.lower()})
    log.append_assistant(ChatMessage(Role.ASSISTANT, "", (call,), f"So {FACT}"), run)
    found = json.dumps(
        {"results": [{"file": "MEMORY.md", "text": '"My dentist\nis Dr. Okafor"\nnext'}]}
    )
    result = ChatMessage(Role.TOOL, found, tool_call_id="c1", tool_name="memory_store")
    log.append_tool_result(result, run, ok=True, display=f"I will remember: “{FACT}”")
    digest = words_digest(FACT)
    other = UsedMemory("MEMORY.md", 2, 2, 0.7, "0" * 16, Use.FOUND)
    text = "Your dentist is\nDr. Okafor."
    log.append_end(
        run,
        RunOutcome(OutcomeKind.ANSWERED, text),
        ChatMessage(Role.ASSISTANT, text),
        (UsedMemory("MEMORY.md", 1, 1, 0.9, digest, Use.FOUND), other),
    )
    log.append_user("我的车牌号是沪A12345", RunId("r2"))
    log.append_outcome(RunId("r2"), RunOutcome(OutcomeKind.CANCELLED))
    return session


def test_the_words_go_and_the_entries_stay(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    session = talked(store)
    before = session.transcript.path.read_bytes().splitlines()
    (mention,) = mentions(tmp_path, FACT)
    assert (mention.key, mention.day, mention.places) == (KEY, "2026-11-20", 7)
    store.blot(mention, FACT)
    after = session.transcript.path.read_bytes().splitlines()
    assert b"okafor" not in b"\n".join(after).lower()
    assert len(after) == len(before)
    unchanged = [number for number, line in enumerate(before) if line in after]
    assert unchanged == [0, 7, 8]
    record = json.loads(after[1])
    assert record["message"]["content"][0]["text"] == ("Hello! [forgotten]. And the sky is blue.")
    inner = json.loads(json.loads(after[3])["message"]["content"][0]["text"])
    assert inner["results"][0] == {"file": "MEMORY.md", "text": '"[forgotten]"\nnext'}
    store.close(session)


def test_an_open_conversation_goes_on_without_the_words(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    session = talked(store)
    (mention,) = mentions(tmp_path, FACT)
    store.blot(mention, FACT)
    entries = session.transcript.entries()
    assert "Okafor" not in str(entries)
    (used,) = [entry.memories for entry in entries if isinstance(entry, MemoriesEntry)]
    assert [one.start_line for one in used] == [2]
    session.transcript.append_user("still here", RunId("r3"))
    store.close(session)
    again = store.open(KEY)
    assert [message.content for message in again.transcript.messages()][-1] != ""
    assert again.transcript.repaired == ("1 interrupted runs closed",)
    store.close(again)


def test_chinese_words_get_a_chinese_mark(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    session = talked(store)
    (mention,) = mentions(tmp_path, "我的车牌号是沪A12345。")
    store.blot(mention, "我的车牌号是沪A12345。")
    assert session.transcript.messages()[-2].content == "[已忘记]"
    store.close(session)


def test_one_that_another_program_has_open_is_told_and_left(tmp_path: Path) -> None:
    store, other = store_at(tmp_path), store_at(tmp_path)
    session = talked(store)
    before = session.transcript.path.read_bytes()
    (mention,) = mentions(tmp_path, FACT)
    with pytest.raises(StoreBusy):
        other.blot(mention, FACT)
    assert session.transcript.path.read_bytes() == before
    store.close(session)
    other.blot(mention, FACT)
    assert mentions(tmp_path, FACT) == ()


def test_damaged_lines_lose_the_words_too_and_nothing_else(tmp_path: Path) -> None:
    store = store_at(tmp_path)
    session = talked(store)
    store.close(session)
    with session.transcript.path.open("ab") as file:
        file.write(f'{{"torn": "{FACT}\n\xff kept '.encode("latin-1"))
    (mention,) = mentions(tmp_path, FACT)
    assert mention.places == 8
    store.blot(mention, FACT)
    kept = session.transcript.path.with_name(session.transcript.path.name + ".bad").read_bytes()
    assert kept == b'{"torn": "[forgotten]\n\xff kept \n'
    assert mentions(tmp_path, FACT) == ()


def test_old_conversations_of_all_agents_are_found_the_latest_first(tmp_path: Path) -> None:
    clock = ManualClock(datetime(2026, 11, 18, 9, 0, tzinfo=UTC))
    store = SessionStore(tmp_path, clock)
    for key in (KEY, SessionKey("agent:work:main")):
        clock.advance(86_400)
        store.close(talked(store, key))
    clock.advance(86_400)
    store.close(store.new(KEY))
    assert [(one.key, one.day) for one in mentions(tmp_path, FACT)] == [
        ("agent:work:main", "2026-11-20"),
        (KEY, "2026-11-19"),
    ]


def test_nothing_is_found_where_nothing_was_said(tmp_path: Path) -> None:
    assert mentions(tmp_path, FACT) == ()
    store = store_at(tmp_path)
    store.close(talked(store))
    assert mentions(tmp_path, "My dentist is Dr. Lee") == ()


@settings(max_examples=50)
@given(st.text(min_size=1, max_size=20), st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner,
                                                                max_size=3),
    max_leaves=8,
))  # fmt: skip
def test_any_record_can_be_blotted_and_stays_a_record(
    tmp_path_factory: pytest.TempPathFactory, words: str, content: object
) -> None:
    home = tmp_path_factory.mktemp("home")
    path = home / "agents" / "main" / "sessions" / "s.jsonl"
    path.parent.mkdir(parents=True)
    lines = [{"type": "session", "id": "s"}, {"type": "mine", "id": "1", "x": content, "y": words}]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    store = store_at(home)
    for mention in mentions(home, words):
        store.blot(mention, words)
    assert mentions(home, words) == ()
    kept = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [(one["type"], one["id"]) for one in kept] == [("session", "s"), ("mine", "1")]
