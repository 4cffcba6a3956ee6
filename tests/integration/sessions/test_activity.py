"""Every run is listed, newest first, and found by its words; whatever the transcripts went through.

The index is a cache: what it says after any number of looks in between is what it says after one.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, RunId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.core.run_facts import NO_RULING, CallFacts, Ruling, RunFacts
from moltbot_desktop.sdk.activity import Origin, RunFilter, RunSummary
from moltbot_desktop.sdk.permissions import Deed
from moltbot_desktop.sdk.sessions import ExportForm
from moltbot_desktop.sdk.tools import Effect, ToolResult
from moltbot_desktop.sessions import run_index
from moltbot_desktop.sessions.activity import StoredRuns
from moltbot_desktop.sessions.blotting import mentions
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    OutcomeEntry,
    RunEntry,
    ToolResultEntry,
    TranscriptHeader,
    UserEntry,
    encode_entry,
)
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.run_index import run_index_path
from moltbot_desktop.sessions.store import Session, SessionStore
from moltbot_desktop.sessions.transcript import write_transcript
from moltbot_desktop.storage import jsonl
from moltbot_desktop.storage.jsonl import Line
from tests.fakes.chat_model import ScriptedChatModel, calls, says
from tests.fakes.talk import MAIN, Talk
from tests.fakes.tools import FakeTool, spec

START = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
WORK = main_session_key(AgentId("work"))


def ran(
    session: Session,
    clock: ManualClock,
    run: str,
    words: str,
    *,
    kind: OutcomeKind = OutcomeKind.ANSWERED,
    tools: Sequence[str] = (),
    model: str = "tiny",
) -> None:
    """A run as the runner writes it, a minute after the one before."""
    clock.advance(60)
    transcript, run_id = session.transcript, RunId(run)
    transcript.append_user(words, run_id, durable=False)
    transcript.append_run(run_id, RunFacts(model, 2048, "full", channel="desktop"))
    for tool in tools:
        transcript.append_assistant(
            ChatMessage(Role.ASSISTANT, "", (ToolCall("c", tool, {"text": words}),)), run_id
        )
        message = ChatMessage(Role.TOOL, "{}", tool_call_id="c", tool_name=tool)
        facts = CallFacts("ok", Ruling("ask", "exec", "owner"), 0.5)
        transcript.append_tool_result(message, run_id, ok=True, display="Done.", facts=facts)
    outcome = RunOutcome(kind, f"About {words}", "" if kind is OutcomeKind.ANSWERED else "why")
    outcome = replace(outcome, usage=Usage(100, 40, 7), seconds=1.5)
    transcript.append_end(run_id, outcome, ChatMessage(Role.ASSISTANT, f"About {words}"))


def listed(root: Path, wanted: RunFilter | None = None) -> list[str]:
    return [one.id for one in StoredRuns(root).runs(wanted or RunFilter(), limit=1_000).runs]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock) -> SessionStore:
    return SessionStore(tmp_path, clock)


def test_all_agents_runs_are_there_newest_first_with_what_is_known(
    tmp_path: Path, store: SessionStore, clock: ManualClock
) -> None:
    main, work = store.open(MAIN), store.open(WORK)
    ran(main, clock, "one", "Weather in Rome?", tools=("web_search", "calc", "calc"))
    ran(work, clock, "two", "Send it", kind=OutcomeKind.FAILED)
    ran(main, clock, "three", "Thanks")
    page = StoredRuns(tmp_path).runs()
    assert [(one.id, one.agent) for one in page.runs] == [
        ("three", "main"),
        ("two", "work"),
        ("one", "main"),
    ]
    first = page.runs[-1]
    assert first == RunSummary(
        "one",
        AgentId("main"),
        MAIN,
        main.session_id,
        Origin.OWNER,
        "2026-01-05T12:01:00.000+00:00",
        1.5,
        OutcomeKind.ANSWERED,
        "",
        "tiny",
        Usage(100, 40, 7),
        ("web_search", "calc"),
        3,
        "Weather in Rome?",
        "desktop",
    )
    assert page.older == ""


def test_a_list_is_narrowed_and_goes_on_page_by_page(
    tmp_path: Path, store: SessionStore, clock: ManualClock
) -> None:
    main, work = store.open(MAIN), store.open(WORK)
    for number in range(10):
        kind = OutcomeKind.TIMED_OUT if number % 3 == 0 else OutcomeKind.ANSWERED
        ran(work if number % 2 else main, clock, f"run-{number}", f"Question {number}", kind=kind)
    ran(main, clock, "last", "我的医生是谁")
    assert listed(tmp_path, RunFilter(agent="work")) == [f"run-{n}" for n in (9, 7, 5, 3, 1)]
    assert listed(tmp_path, RunFilter(failed=True)) == [f"run-{n}" for n in (9, 6, 3, 0)]
    assert listed(tmp_path, RunFilter(words="医生")) == ["last"]
    assert listed(tmp_path, RunFilter(words="about questi 4")) == ["run-4"]  # the answer, too
    assert listed(tmp_path, RunFilter(words="nowhere")) == []
    assert listed(tmp_path, RunFilter(words="?!")) == []
    assert listed(tmp_path, RunFilter(origin=Origin.SCHEDULE)) == []
    since = START + timedelta(minutes=9)
    assert listed(tmp_path, RunFilter(since=since)) == ["last", "run-9", "run-8"]
    runs, found, place = StoredRuns(tmp_path), [], ""
    while True:
        page = runs.runs(RunFilter(), place, 4)
        found += [one.id for one in page.runs]
        if not (place := page.older):
            break
    assert found == listed(tmp_path)
    with pytest.raises(UserInputInvalid, match="no place in the list"):
        runs.runs(RunFilter(), "yesterday")


def test_what_a_run_did_is_shown_step_by_step(tmp_path: Path) -> None:
    tool = FakeTool(spec("note", Effect.NONE), lambda _: ToolResult({"a": 1}, "Noted."))

    async def scenario() -> None:
        script = [calls("note", {"text": "x"}, before="One moment."), says("Done.")]
        async with Talk(tmp_path, ScriptedChatModel(script), (tool,)) as talk:
            await talk.say("Note x")

    asyncio.run(scenario())
    detail = StoredRuns(tmp_path).detail("run-0")
    (step,) = detail.steps
    assert (step.tool, dict(step.arguments), step.said) == ("note", {"text": "x"}, "One moment.")
    assert (step.outcome, step.result, step.display) == ("ok", '{"a":1}', "Noted.")
    assert step.ruling == Ruling("auto", "none, clean", "policy")
    assert (detail.request, detail.answer) == ("Note x", "Done.")
    facts = detail.facts
    assert (facts.model, facts.window, facts.presence) == ("scripted", 8192, "present")
    assert {"persona", "tools", "request"} == {one.name for one in facts.pieces}
    assert "You are Moltbot." not in str(facts)  # sizes and digests alone
    assert detail.summary.seconds >= 0 and detail.summary.words == "Note x"


def test_a_run_is_found_by_the_beginning_of_its_id_if_that_is_its_alone(
    tmp_path: Path, store: SessionStore, clock: ManualClock
) -> None:
    session = store.open(MAIN)
    ran(session, clock, "abcd1", "one")
    ran(session, clock, "abcd2", "two")
    runs = StoredRuns(tmp_path)
    assert runs.detail("abcd1").request == "one"
    for name, why in (("abcd", "More than one"), ("zzzz", "no run"), ("", "no run"), ("a", "no")):
        with pytest.raises(UserInputInvalid, match=why):
            runs.detail(name)


def test_verdicts_of_before_come_from_the_book_where_it_is_certain_whose_they_are(
    tmp_path: Path, store: SessionStore, clock: ManualClock
) -> None:
    transcript, run = store.open(MAIN).transcript, RunId("old")
    transcript.append_user("Do it", run)
    for name in ("exec", "read", "write", "write"):
        call = ToolCall("c", name, {})
        transcript.append_assistant(ChatMessage(Role.ASSISTANT, "", (call,)), run)
        message = ChatMessage(Role.TOOL, "{}", tool_call_id="c", tool_name=name)
        transcript.append_tool_result(message, run, ok=True, display="")
    transcript.append_end(run, RunOutcome(OutcomeKind.ANSWERED, "x"), None)

    def deed(tool: str, by: str) -> Deed:
        return Deed(START, "old", MAIN, tool, "", "", "ask", "rule", by, "ok")

    newest_first = [deed("write", "owner"), deed("exec", "grant 1")]
    asked: list[str] = []

    def deeds(run: str) -> Sequence[Deed]:
        asked.append(run)
        return newest_first

    steps = StoredRuns(tmp_path, deeds).detail("old").steps
    rulings = [one.ruling for one in steps]
    assert rulings == [Ruling("ask", "rule", "grant 1"), NO_RULING, NO_RULING, NO_RULING]
    assert asked == ["old"]
    ran(store.open(MAIN), clock, "new", "again", tools=("exec",))
    assert StoredRuns(tmp_path, deeds).detail("new").steps[0].ruling.by == "owner"
    assert asked == ["old"]  # what stands in the transcript needs no book


def test_words_that_waited_belong_to_the_run_that_answered_them(
    tmp_path: Path, store: SessionStore, clock: ManualClock
) -> None:
    session = store.open(MAIN)
    session.transcript.append_user("First", RunId("a"))
    assert listed(tmp_path) == ["a"]
    clock.advance(1)
    session.transcript.append_user("Second", RunId("b"))
    session.transcript.append_outcome(RunId("a"), RunOutcome(OutcomeKind.JOINED, "", "b"))
    session.transcript.append_end(RunId("b"), RunOutcome(OutcomeKind.ANSWERED, "Both"), None)
    assert listed(tmp_path) == ["b"]
    detail = StoredRuns(tmp_path).detail("b")
    assert detail.request == "First\n\nSecond"
    assert detail.summary.words == "First"
    assert listed(tmp_path, RunFilter(words="second first")) == ["b"]


def test_a_run_stays_as_it_was_when_the_conversation_goes_another_way(
    tmp_path: Path, store: SessionStore, clock: ManualClock
) -> None:
    session = store.open(MAIN)
    ran(session, clock, "one", "First", tools=("calc",))
    ran(session, clock, "two", "Second", tools=("calc",))
    before = StoredRuns(tmp_path).runs().runs
    session.transcript.rewind()
    ran(session, clock, "three", "Second, better")
    after = StoredRuns(tmp_path).runs().runs
    assert after[1:] == before
    runs = StoredRuns(tmp_path)
    assert [one.request for one in map(runs.detail, ("one", "two", "three"))] == [
        "First",
        "Second",
        "Second, better",
    ]
    past = runs.past("three").path
    assert "Second" not in [one.text for one in past if isinstance(one, UserEntry)]
    run_index_path(tmp_path).unlink()
    assert StoredRuns(tmp_path).runs().runs == after


def test_what_was_forgotten_deleted_or_brought_in_is_so_here_too(
    tmp_path: Path, store: SessionStore, clock: ManualClock
) -> None:
    session = store.open(MAIN)
    fact = "My dentist is Dr. Okafor"
    ran(session, clock, "one", fact)
    ran(session, clock, "two", "Thanks")
    assert listed(tmp_path, RunFilter(words="okafor")) == ["one"]
    for mention in mentions(tmp_path, fact):
        store.blot(mention, fact)
    assert b"Okafor" not in b"".join(
        path.read_bytes() for path in run_index_path(tmp_path).parent.glob("runs.sqlite*")
    )
    assert listed(tmp_path) == ["two", "one"]
    library = StoredSessions(store, clock)
    exported = library.export(session.session_id, ExportForm.JSON, Language.ENGLISH)
    store.close(session)
    brought = library.bring_in(exported)
    assert len(listed(tmp_path)) == 4  # the same run in two conversations has two names
    copied = [one.id for one in StoredRuns(tmp_path).runs().runs if one.origin is Origin.OTHER]
    assert StoredRuns(tmp_path).detail(copied[0]).summary.session_id == brought.id
    library.delete(session.session_id)
    assert sorted(listed(tmp_path)) == sorted(copied)


def test_a_damaged_or_missing_cache_is_made_anew_and_a_home_without_runs_has_none(
    tmp_path: Path, store: SessionStore, clock: ManualClock
) -> None:
    assert StoredRuns(tmp_path / "nothing").runs().runs == ()
    assert not (tmp_path / "nothing").exists()
    ran(store.open(MAIN), clock, "one", "First")
    assert listed(tmp_path) == ["one"]
    run_index_path(tmp_path).write_bytes(b"this is no database" * 100)
    for suffix in ("-wal", "-shm"):
        run_index_path(tmp_path).with_name(f"runs.sqlite{suffix}").unlink(missing_ok=True)
    assert listed(tmp_path) == ["one"]


# ----------------------------------------------------------------------------- torn and killed

KEY = SessionKey("agent:main:main")
RUNS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "model", "call", "result", "say", "end", "fail", "branch"]),
        st.integers(0, 3),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    ),
    max_size=25,
)


def record(number: int, kind: str, run: int, text: str) -> JsonObject:
    """Any entry of any run, whether it makes sense there or not."""
    at = (START + timedelta(seconds=number)).isoformat()
    base, run_id = (f"e{number}", f"e{number - 1}" if number else "", at), RunId(f"r{run}")
    if kind == "branch":
        told: JsonObject = {"type": "custom", "customType": "branch", "data": {}}
        return {**told, "id": base[0], "parentId": base[1], "timestamp": at}
    call = ChatMessage(Role.ASSISTANT, text, (ToolCall("c", text or "t", {"a": text}),))
    result = ChatMessage(Role.TOOL, text, tool_call_id="c", tool_name="t")
    entries = {
        "ask": UserEntry(*base, run_id, text),
        "model": RunEntry(*base, run_id, RunFacts(text)),
        "call": AssistantEntry(*base, run_id, call),
        "result": ToolResultEntry(*base, run_id, result, True, text),
        "say": AssistantEntry(*base, run_id, ChatMessage(Role.ASSISTANT, text)),
        "end": OutcomeEntry(*base, run_id, RunOutcome(OutcomeKind.ANSWERED, text)),
        "fail": OutcomeEntry(*base, run_id, RunOutcome(OutcomeKind.JOINED, "", f"r{run - 1}")),
    }
    return encode_entry(entries[kind])


@settings(deadline=None, max_examples=10)
@given(RUNS, st.lists(st.floats(0, 1), max_size=4), st.binary(max_size=30))
def test_however_a_transcript_was_cut_all_that_is_whole_is_read_and_nothing_fails(
    entries: list[tuple[str, int, str]], looks: list[float], torn: bytes
) -> None:
    """Looked at in between at any byte, and with a torn end, it is as if looked at once."""
    root = Path(tempfile.mkdtemp())
    try:
        folder = root / "agents" / "main" / "sessions"
        folder.mkdir(parents=True)
        path = folder / "one.jsonl"
        header = TranscriptHeader(SessionId("one"), KEY, START.isoformat(), "")
        records = [record(number, *entry) for number, entry in enumerate(entries)]
        write_transcript(path, header, records)
        whole = path.read_bytes()
        for cut in sorted(int(share * len(whole)) for share in looks):
            with path.open("r+b") as file:  # the same file, as when it is written to
                file.truncate(0)
                file.write(whole[:cut])
            StoredRuns(root).runs()
        with path.open("r+b") as file:
            file.truncate(0)
            file.write(whole + torn.replace(b"\n", b" "))
        after = StoredRuns(root).runs().runs
        run_index_path(root).unlink()
        assert StoredRuns(root).runs().runs == after
        for one in after:
            assert StoredRuns(root).detail(one.id).summary == one
    finally:
        shutil.rmtree(root)


WRITER = """
import itertools, pathlib, sys
from datetime import datetime, timezone
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.run_facts import RunFacts
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import SessionStore

clock = ManualClock(datetime(2026, 3, 1, tzinfo=timezone.utc))
transcript = SessionStore(pathlib.Path(sys.argv[1]), clock).open(
    main_session_key(DEFAULT_AGENT)
).transcript
for number in itertools.count():
    run = RunId(f"run-{number}")
    transcript.append_user(f"message {number}", run)
    print(number, flush=True)
    transcript.append_run(run, RunFacts("tiny", 2048))
    transcript.append_assistant(ChatMessage(Role.ASSISTANT, "half " * 5_000), run)
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_run_that_the_program_was_killed_in_is_listed_before_and_after_it_is_closed(
    tmp_path: Path, clock: ManualClock
) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    with writer:
        assert writer.stdout is not None
        for _ in range(3):
            writer.stdout.readline()
        listed(tmp_path)  # while it writes
        writer.send_signal(signal.SIGKILL)
        writer.stdout.read()
    runs = StoredRuns(tmp_path)
    before = {one.id: one for one in runs.runs(limit=1_000).runs}
    assert {"run-0", "run-1", "run-2"} <= set(before)
    assert {one.outcome for one in before.values()} == {None}
    assert before["run-0"].model == "tiny"
    store = SessionStore(tmp_path, clock)
    store.close(store.open(MAIN))  # the next start closes them
    after = {one.id: one for one in runs.runs(limit=1_000).runs}
    assert set(after) >= set(before)
    assert {one.outcome for one in after.values()} == {OutcomeKind.CANCELLED}
    assert runs.detail("run-0").answer.startswith("half")


# ----------------------------------------------------------------------------- many


def many(root: Path, transcripts: int, each: int) -> None:
    """So many runs, each transcript written last when its last run was."""
    number = 0
    for name in range(transcripts):
        folder = root / "agents" / ("work" if name % 4 == 0 else "main") / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        lines = []
        for _ in range(each):
            number += 1
            at = (START + timedelta(seconds=number)).isoformat()
            run = f"{number:032x}"
            told: JsonObject = {"role": "user", "content": f"Question {number}"}
            base: JsonObject = {"timestamp": at, "runId": run, "parentId": None}
            lines.append({"type": "message", "id": f"u{number}", **base, "message": told})
            done: JsonObject = {"kind": "answered", "text": "Yes", "seconds": 1}
            custom: JsonObject = {"type": "custom", "customType": "outcome", "data": done}
            lines.append({**custom, "id": f"o{number}", **base})
        path = folder / f"s{name:05}.jsonl"
        header = {"type": "session", "id": path.stem, "sessionKey": f"agent:main:k{name}"}
        path.write_text("".join(json.dumps(one) + "\n" for one in [header, *lines]))
        written = (START + timedelta(seconds=number)).timestamp()
        os.utime(path, (written, written))


def test_of_ten_thousand_runs_the_first_page_reads_only_the_newest_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(tmp_path, 100, 100)
    read: list[Path] = []
    real = jsonl.lines_from

    def lines_from(path: Path, start: int) -> Iterator[Line]:
        read.append(path)
        return real(path, start)

    monkeypatch.setattr(run_index, "lines_from", lines_from)
    runs = StoredRuns(tmp_path)
    page = runs.runs()
    assert [int(one.id, 16) for one in page.runs] == list(range(10_000, 9_950, -1))
    assert len(read) <= 8  # of a hundred
    read.clear()
    assert runs.runs() == page
    assert read == []  # what has not changed is not read again
    assert len(runs.runs(RunFilter(words="question 9999")).runs) == 1
    assert len(read) <= 100  # a search has to have read the rest, once
    read.clear()
    deep = runs.runs(RunFilter(agent="work"), f"{int(START.timestamp() + 105) * 1000}:", 1_000)
    assert [int(one.id, 16) for one in deep.runs] == list(range(100, 0, -1))
    assert read == []
