"""A forgotten note is nowhere on the disk: every part of the program that may hold it is real."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from moltbot_desktop.app.forgetting import Forgetter
from moltbot_desktop.app.inbox import open_inbox
from moltbot_desktop.app.memory_plan import configured_memory
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.helper_book import HelperBook, HelperRecord
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.gateway.mail_items import Accepted
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.inbox import FileInbox
from moltbot_desktop.models.states import SequenceState
from moltbot_desktop.models.warm import WarmStates, saved_states, state_key
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.notices import NewNotice, Notices
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.channels import OutboundMessage
from moltbot_desktop.sdk.forgetting import Elsewhere, Place
from moltbot_desktop.sdk.inbox import Heard
from moltbot_desktop.sdk.schedule import AgentTurn, Cron, JobDraft
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.tools.undo_journal import UNDO_FOLDER
from tests.fakes.mail import envelope
from tests.fakes.memory import ConceptEmbedder
from tests.fakes.tool_context import FakeCancel

KEY, FACT = SessionKey("agent:main:main"), "My dentist is Dr. Okafor"


@dataclass
class Home:
    """A state folder in which the fact stands wherever it can."""

    paths: Paths
    clock: ManualClock
    memory: MarkdownMemory
    inbox: FileInbox
    store: SessionStore
    forgetter: Forgetter
    open_books: list[Callable[[], None]] = field(default_factory=list)

    def holding(self, words: str) -> list[str]:
        """Files below the state folder with `words` in their bytes, in any case."""
        wanted = words.lower().encode()
        files = [path for path in sorted(self.paths.home.rglob("*")) if path.is_file()]
        holding = [path for path in files if wanted in path.read_bytes().lower()]
        return [path.relative_to(self.paths.home).as_posix() for path in holding]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    clock = ManualClock(datetime(2026, 11, 20, 9, 0, tzinfo=UTC))
    paths = Paths(tmp_path / "home", tmp_path, tmp_path)
    workspace = paths.home / "workspace"
    (workspace / "memory").mkdir(parents=True)
    config, embedder = MemoryConfig(), ConceptEmbedder("dentist teeth")
    memory = configured_memory(paths, config, workspace, clock, embedder, "")
    inbox = open_inbox(paths.home, config, workspace, memory, None, clock)
    store = SessionStore(paths.home, clock)
    made = Home(
        paths, clock, memory, inbox, store, Forgetter(paths, workspace, clock, memory, inbox, store)
    )
    yield made
    for close in made.open_books:
        close()
    memory.close()


def fill(home: Home) -> None:
    session = home.store.open(KEY)
    run = RunId("r1")
    session.transcript.append_user(f"Remember that {FACT}.", run)
    call = ToolCall("c1", "memory_store", {"text": FACT})
    session.transcript.append_assistant(ChatMessage(Role.ASSISTANT, "", (call,)), run)
    session.transcript.append_outcome(run, RunOutcome(OutcomeKind.ANSWERED, f"Noted: {FACT}"))
    home.store.close(session)
    home.inbox.hear(Heard(f"By the way, {FACT}.", KEY, home.clock.now()))
    home.memory.store(FACT)
    home.memory.store("The garage is on Elm Street")
    home.memory.refresh()
    kept = home.paths.default_workspace / UNDO_FOLDER / "20261119-000000-000001"
    (kept / "memory").mkdir(parents=True)
    for name in ("MEMORY.md", "memory/a.md"):
        (kept / name).write_text(f"# Old\n\n- {FACT}\n- I like tea\n- {FACT}.\n")
    folder = saved_states(home.paths.model_state)
    data = np.frombuffer(FACT.encode(), np.uint8).copy()
    states = WarmStates(folder, 1_000_000, state_key("model"))
    assert states.save("other conversation", SequenceState((1, 2), data), FakeCancel())


def test_after_forgetting_and_blotting_no_file_has_the_words(home: Home) -> None:
    fill(home)
    assert len(home.holding("okafor")) >= 4
    hit = home.memory.search("Who is my dentist?").hits[0]
    home.forgetter.forget(hit, undo=False)
    (said,) = home.forgetter.said_in(FACT)
    left = home.holding("okafor")
    assert left == [f"agents/main/sessions/{said.session}.jsonl"]
    assert home.forgetter.blot([said], FACT) == ("",)
    assert home.holding("okafor") == []
    assert home.inbox.proposals() == ()
    assert home.memory.search("dentist").hits == ()
    assert home.memory.search("garage").hits
    copies = home.paths.default_workspace.glob(f"{UNDO_FOLDER}/*/**/*.md")
    assert [copy.read_text() for copy in copies] == ["# Old\n\n- I like tea\n"] * 2


def test_only_the_private_file_keeps_it_and_only_for_ten_minutes(home: Home) -> None:
    fill(home)
    (said,) = home.forgetter.said_in(FACT)
    assert home.forgetter.blot([said], FACT) == ("",)
    file = home.memory.search("Who is my dentist?").hits[0].path
    before = (home.paths.home / "workspace" / file).read_bytes()
    home.forgetter.forget(home.memory.search("Who is my dentist?").hits[0])
    assert home.holding("okafor") == []  # base64, for what it is worth
    assert home.paths.memory_forgotten.stat().st_mode & 0o777 == 0o600
    assert home.forgetter.last_words == FACT
    assert home.forgetter.bring_back().line == 3
    assert (home.paths.home / "workspace" / file).read_bytes() == before
    assert home.memory.search("Who is my dentist?").hits[0].snippet == FACT
    assert (home.forgetter.last_words, home.paths.memory_forgotten.exists()) == ("", False)

    home.forgetter.forget(home.memory.search("Who is my dentist?").hits[0])
    home.clock.advance(601)
    home.forgetter.expire()
    assert not home.paths.memory_forgotten.exists()
    with pytest.raises(UserInputInvalid, match="no forgotten note"):
        home.forgetter.bring_back()


CHINESE = "我的牙医是欧阳医生"


def fill_elsewhere(home: Home, fact: str) -> None:
    """The fact in all that keeps words beside memory and conversations, and in their journals."""
    paths, clock = home.paths, home.clock
    reminders = ReminderStore(paths.state_database, clock)
    reminders.add(clock.now() + timedelta(days=1), f"Ring him, {fact}!")
    reminders.mark_told([reminders.add(clock.now(), fact).id])
    schedule = ScheduleDatabase(paths.home / "cron" / "jobs.sqlite", clock)
    book = JobStore(schedule, lambda: "abcdefgh", "agent:main:main", True, lambda: False)
    asks = AgentTurn(f"Look up the way. {fact}.", to="okafor")
    job = book.add(JobDraft(f"{fact}", Cron("0 9 * * *"), asks))
    Notices(schedule).add(NewNotice("agent:main:main", f"Missed: {fact}"))
    with schedule.writing():
        schedule.do(
            "INSERT INTO runs (job, slot, status, ended, summary) VALUES (?, 1, 'ok', 2, ?)",
            *(job.id, f"He said {fact}"),
        )
    ids = iter("abcdefgh")
    mail = MailBook(paths.mail_database, clock, lambda: next(ids))
    waits, done = mail.receive(
        [envelope("1", f"Do you know that {fact}?"), envelope("2", f"So {fact}")]
    )
    mail.finish(done.run_id, [])
    assert isinstance(waits, Accepted)
    target = waits.envelope.reply_target
    mail.finish(RunId("other"), [OutboundMessage(target, f"Yes: {fact}")])
    helpers = HelperBook(paths.home / "subagents" / "runs.json")
    helpers.put(HelperRecord(RunId("r"), SessionKey("agent:main:subagent:x"), KEY, fact, "l", 1))
    session = home.store.open(KEY)
    home.store.change_settings(KEY, lambda old: replace(old, label=fact))
    home.store.close(session)
    (paths.logs).mkdir()
    (paths.logs / "moltbot.log").write_text(f"run failed: {fact}\nthe next line\n")
    kept = paths.default_workspace / UNDO_FOLDER / "20261119-000000-000002"
    kept.mkdir(parents=True)
    (kept / "list.txt").write_text(f"milk\n{fact}\n")
    page = paths.home / "plugins" / "webchat" / "default" / "b1.words.jsonl"
    page.parent.mkdir(parents=True)
    said: dict[str, object] = {"id": "a", "who": "you", "text": f"Do you know? {fact}", "at": ""}
    file = {"id": "okafor", "name": f"{fact}.pdf", "type": "", "size": 1}
    told = {**said, "id": "b", "who": "assistant", "text": f"Yes: {fact}", "files": [file]}
    lines = [json.dumps(one, ensure_ascii=False) for one in (said, told, {"gone": "c"})]
    page.write_text("\n".join([*lines, f'{{"text": "torn {fact}']), encoding="utf-8")
    # Held open, as a running assistant holds them.
    home.open_books += [reminders.close, schedule.close, mail.close]


@pytest.mark.parametrize(("fact", "telling"), [(FACT, "okafor"), (CHINESE, "欧阳")])
def test_words_go_from_every_file_that_the_program_writes(
    home: Home, fact: str, telling: str
) -> None:
    fill_elsewhere(home, fact)
    escaped = telling.encode("ascii", "backslashreplace").decode()
    for (said,) in [home.forgetter.said_in(fact)]:
        assert home.forgetter.blot([said], fact) == ("",)
    assert len({*home.holding(telling), *home.holding(escaped)}) >= 7
    found = dict(home.forgetter.elsewhere(fact).places)
    assert found == {
        Place.HELPERS: 1, Place.MAIL: 6, Place.JOBS: 4, Place.REMINDERS: 2, Place.NAMES: 1,
        Place.COPIES: 1, Place.LOG: 1,
    }  # fmt: skip
    gone = home.forgetter.blot_elsewhere(fact)
    assert (dict(gone.places), gone.problems, gone.files) == (found, (), ())
    left = {*home.holding(telling), *home.holding(escaped)}
    # An address is not words: the job still goes where it went.
    page = "plugins/webchat/default/b1.words.jsonl"
    assert left == ({"cron/jobs.sqlite", page} if fact == FACT else set())
    lines = (home.paths.home / page).read_text(encoding="utf-8").split("\n")
    assert json.loads(lines[1])["files"][0]["id"] == "okafor" and len(lines) == 4
    assert home.forgetter.elsewhere(fact) == Elsewhere()


def test_what_is_over_leaves_the_journal_too(home: Home) -> None:
    mail = MailBook(home.paths.mail_database, home.clock, lambda: "a")
    home.open_books.append(mail.close)
    [one] = mail.receive([envelope("1", FACT)])
    mail.finish(one.run_id, [])
    assert home.holding("okafor") == ["mail.sqlite-wal"]
    assert home.forgetter.blot_elsewhere(FACT) == Elsewhere()
    assert home.holding("okafor") == []


def test_the_books_are_sound_afterwards(home: Home) -> None:
    fill_elsewhere(home, FACT)
    home.forgetter.blot_elsewhere(FACT)
    schedule = ScheduleDatabase(home.paths.home / "cron" / "jobs.sqlite", home.clock)
    [job] = JobStore(schedule, lambda: "x", "k", True, lambda: False).jobs()
    assert job.draft.name == "[forgotten]"
    assert job.draft.payload == AgentTurn("Look up the way. [forgotten].", to="okafor")
    schedule.close()
    mail = MailBook(home.paths.mail_database, home.clock, lambda: "z")
    [waits] = mail.unfinished()
    assert waits.envelope.text == "Do you know that [forgotten]?"
    [head] = mail.heads()
    [row] = mail.load(head.id)
    assert row.message.text == "Yes: [forgotten]"
    mail.close()


def test_what_a_person_wrote_is_told_and_left_alone(home: Home) -> None:
    notes = home.paths.default_workspace / "people.md"
    notes.write_text(f"# Doctors\n\n{FACT}, near the station.\n")
    (home.paths.home / "moltbot.json.damaged-1").write_bytes(b"\0\xff" + FACT.encode())
    found = home.forgetter.blot_elsewhere(FACT)
    assert found.files == ("moltbot.json.damaged-1", "workspace/people.md")
    assert FACT in notes.read_text()


def test_a_book_that_is_damaged_is_told_and_the_others_are_seen_to(home: Home) -> None:
    home.paths.mail_database.write_bytes(b"no database at all" * 300)
    reminders = ReminderStore(home.paths.state_database, home.clock)
    home.open_books.append(reminders.close)
    reminders.add(home.clock.now(), FACT)
    gone = home.forgetter.blot_elsewhere(FACT)
    assert gone.places == ((Place.REMINDERS, 1),)
    [problem] = gone.problems
    assert "damaged" in problem


def test_a_running_model_is_told(home: Home) -> None:
    fill(home)
    told = []
    home.forgetter.after = lambda: told.append(True)
    home.forgetter.forget(home.memory.search("Who is my dentist?").hits[0])
    assert told == [True]


def test_a_note_that_stands_in_several_files_goes_from_all_and_comes_back_to_all(
    home: Home,
) -> None:
    workspace = home.paths.home / "workspace"
    texts = {
        "MEMORY.md": f"# Me\n\n- {FACT}.\n- I like tea\n- {FACT.upper()}\n",
        "memory/2026-01-02.md": f"- 09:00 · {FACT}\n",
        "memory/people.md": f"# Anna\n\nHer dentist is Dr. Lee\n\n{FACT}\n",
    }
    for name, text in texts.items():
        (workspace / name).write_text(text)
    gone = home.forgetter.forget(home.memory.search("Who is my dentist?").hits[0])
    assert sorted(gone.paths) == sorted(texts)
    assert home.holding("okafor") == []
    assert "tea" in (workspace / "MEMORY.md").read_text()
    home.forgetter.bring_back()
    assert {name: (workspace / name).read_text() for name in texts} == texts


def test_what_was_kept_too_long_goes_at_the_next_start(home: Home) -> None:
    home.memory.store(FACT)
    home.forgetter.forget(home.memory.search("dentist").hits[0])
    home.clock.advance(601)
    assert home.paths.memory_forgotten.exists()
    Forgetter(
        home.paths, home.paths.default_workspace, home.clock, home.memory, home.inbox, home.store
    )
    assert not home.paths.memory_forgotten.exists()


def test_a_conversation_that_is_open_elsewhere_is_left_and_the_others_are_not(home: Home) -> None:
    fill(home)
    other = home.store.open(SessionKey("agent:main:cli"))
    other.transcript.append_user(f"Once more: {FACT}", RunId("r9"))
    said = home.forgetter.said_in(FACT)
    elsewhere = SessionStore(home.paths.home, home.clock)
    forgetter = Forgetter(
        home.paths,
        home.paths.default_workspace,
        home.clock,
        home.memory,
        home.inbox,
        elsewhere,
    )
    problems = dict(zip([one.session for one in said], forgetter.blot(said, FACT), strict=True))
    assert problems.pop(other.session_id).startswith("This conversation is open in another")
    assert list(problems.values()) == [""]
    assert [one.session for one in home.forgetter.said_in(FACT)] == [other.session_id]
    home.forgetter.blot(said, FACT)
    assert FACT not in str(other.transcript.entries())
    home.store.close(other)
