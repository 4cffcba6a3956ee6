"""The inbox beside a real memory: proposals, decisions, undo, and a second process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.memory import inbox_log
from moltbot_desktop.memory.engine import MarkdownMemory, open_memory
from moltbot_desktop.memory.inbox import FileInbox, InboxParts
from moltbot_desktop.memory.long_term import LongTerm
from moltbot_desktop.sdk.inbox import ChangeKind, Heard, Judged

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
MAIN = SessionKey("agent:main:main")


class Home:
    """A workspace with a memory and as many inboxes as a test opens."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock(NOON)
        self.workspace = folder / "workspace"
        self.log = folder / "memory-inbox.jsonl"
        (self.workspace / "memory").mkdir(parents=True)
        self.memory: MarkdownMemory = open_memory(
            self.workspace, folder / "index", None, self.clock
        )

    def inbox(
        self, *, listens: bool = True, proposes: bool = True, budget: int = 24_000
    ) -> FileInbox:
        long_term = LongTerm(self.workspace, budget, self.memory.freshness.wrote)
        return FileInbox(
            InboxParts(self.log, long_term, self.memory, None, self.clock, listens, proposes)
        )

    def heard(self, text: str, *stored: str, handled: bool = False) -> Heard:
        return Heard(text, MAIN, self.clock.now(), stored, handled)

    @property
    def long_term(self) -> str:
        path = self.workspace / "MEMORY.md"
        return path.read_text() if path.exists() else ""

    @property
    def today(self) -> str:
        path = self.workspace / "memory" / "2026-01-05.md"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.memory.close()


def test_what_was_mentioned_waits_and_nothing_is_kept_without_a_yes(home: Home) -> None:
    inbox = home.inbox()
    judged = inbox.hear(home.heard("By the way, I'm allergic to peanuts. Any ideas for lunch?"))
    (proposal,) = judged.proposed
    assert judged.stored == ()
    assert (proposal.id, proposal.text) == ("1", "Allergic to peanuts")
    assert proposal.quote == "By the way, I'm allergic to peanuts."
    assert home.inbox().proposals() == (proposal,)
    assert home.long_term == ""
    assert not home.memory.search("peanuts").hits


def test_a_yes_makes_a_line_that_is_found_without_its_comment(home: Home) -> None:
    inbox = home.inbox()
    inbox.hear(home.heard("By the way, I'm allergic to peanuts."))
    change = inbox.accept("1")
    assert (change.kind, change.path) == (ChangeKind.KEPT, "MEMORY.md")
    assert inbox.proposals() == ()
    assert 'quote: "By the way, I\'m allergic to peanuts." -->' in home.long_term
    (hit, *_) = home.memory.search("what am I allergic to?").hits
    assert hit.snippet == "Allergic to peanuts"
    assert not home.memory.search("quote from").hits
    assert "<!--" not in home.memory.get("MEMORY.md").text


def test_a_yes_in_other_words_keeps_those(home: Home) -> None:
    inbox = home.inbox()
    inbox.hear(home.heard("I'm allergic to peanuts"))
    assert inbox.accept("1", "badly allergic\nto all nuts.").text == "Badly allergic to all nuts"
    assert "- Badly allergic to all nuts <!--" in home.long_term


def test_undo_brings_the_bytes_and_the_proposal_back(home: Home) -> None:
    (home.workspace / "MEMORY.md").write_text("# Me\n")
    inbox = home.inbox()
    inbox.hear(home.heard("I'm allergic to peanuts"))
    inbox.accept("1")
    assert inbox.recent()[0].id == "1"
    assert inbox.undo().kind is ChangeKind.UNDONE
    assert home.long_term == "# Me\n"
    assert [one.id for one in inbox.proposals()] == ["1"]
    assert inbox.recent() == ()
    with pytest.raises(UserInputInvalid, match="nothing to undo"):
        inbox.undo()


def test_a_no_is_remembered_and_can_be_taken_back(home: Home) -> None:
    inbox = home.inbox()
    inbox.hear(home.heard("I love strong black tea"))
    inbox.reject("1")
    assert inbox.hear(home.heard("Oh, I love strong black tea!")).proposed == ()
    inbox.undo("1")
    assert [one.text for one in inbox.proposals()] == ["I love strong black tea"]


def test_what_is_known_or_waits_already_is_not_proposed(home: Home) -> None:
    (home.workspace / "MEMORY.md").write_text("I love strong black tea.\n")
    home.memory.store("I always use vim")
    inbox = home.inbox()
    for text in ("I love strong black tea", "I always use vim!", "I never eat meat"):
        inbox.hear(home.heard(text))
    assert inbox.hear(home.heard("I never eat meat.")).proposed == ()
    assert [one.text for one in inbox.proposals()] == ["I never eat meat"]


def test_a_new_address_says_what_it_replaces_and_strikes_it(home: Home) -> None:
    inbox = home.inbox()
    for number, text in (("1", "I live in Leeds"), ("2", "I live in York")):
        (proposal,) = inbox.hear(home.heard(text)).proposed
        change = inbox.accept(number)
        home.clock.advance(86_400)
    assert proposal.replaces == "I live in Leeds"
    assert change.replaced == ("I live in Leeds",)
    assert "~~I live in Leeds~~ (until 2026-01-06) <!--" in home.long_term
    first, second = home.memory.search("where do I live").hits
    assert {first.snippet, second.snippet} == {
        "I live in York",
        "~~I live in Leeds~~ (until 2026-01-06)",
    }


def test_remember_is_stored_at_once_where_the_assistant_did_not(home: Home) -> None:
    inbox = home.inbox(proposes=False)
    judged = inbox.hear(home.heard("remember that my dentist is Dr. Okafor"))
    assert [change.kind for change in judged.stored] == [ChangeKind.STORED]
    assert "- 12:00 · My dentist is Dr. Okafor\n" in home.today
    inbox.undo()
    assert home.today == ""
    assert inbox.proposals() == ()


def test_remember_is_not_stored_twice_nor_where_the_assistant_asked_back(home: Home) -> None:
    inbox = home.inbox()
    text = "remember that my dentist is Dr. Okafor"
    assert inbox.hear(home.heard(text, handled=True)).stored == ()
    home.memory.store("my dentist is Dr. Okafor")
    (change,) = inbox.hear(home.heard(text, "my dentist is Dr. Okafor")).stored
    assert home.today.count("Okafor") == 1
    assert inbox.proposals() == ()
    inbox.undo(change.id)
    assert home.today == ""


def test_a_note_from_before_is_not_taken_away_by_undo(home: Home) -> None:
    home.memory.store("my dentist is Dr. Okafor")
    home.clock.advance(3_600)
    home.memory.store("my dentist is Dr. Okafor")
    inbox = home.inbox()
    judged = inbox.hear(
        home.heard("remember: my dentist is Dr. Okafor", "my dentist is Dr. Okafor")
    )
    assert judged.stored == ()


def test_what_was_asked_to_be_remembered_strikes_what_it_replaces(home: Home) -> None:
    inbox = home.inbox()
    home.memory.store("My dentist is Dr. Okafor")
    home.clock.advance(60)
    home.memory.store("My dentist is Dr. Lee")
    heard = home.heard("remember my dentist is Dr. Lee", "My dentist is Dr. Lee")
    (change,) = inbox.hear(heard).stored
    assert change.replaced == ("My dentist is Dr. Okafor",)
    assert "- 12:00 · ~~My dentist is Dr. Okafor~~ (until 2026-01-05)\n" in home.today
    inbox.undo()
    assert "- 12:00 · My dentist is Dr. Okafor\n" in home.today
    assert "Lee" not in home.today


def test_switched_off_nothing_is_proposed(home: Home) -> None:
    assert home.inbox(proposes=False).hear(home.heard("I love strong black tea")).proposed == ()


def test_with_memory_switched_off_not_even_an_order_is_stored(home: Home) -> None:
    inbox = home.inbox(listens=False)
    assert inbox.hear(home.heard("remember that my dentist is Dr. Okafor")) == Judged()
    assert home.today == ""


def test_over_the_budget_the_fact_is_found_in_the_days_notes(home: Home) -> None:
    (home.workspace / "MEMORY.md").write_text("x" * 990)
    inbox = home.inbox(budget=1_000)
    inbox.hear(home.heard("I love strong black tea"))
    change = inbox.accept("1")
    assert change.over_budget
    assert change.path == "memory/2026-01-05.md"
    assert home.memory.search("which tea do I love").hits[0].snippet == "I love strong black tea"
    inbox.undo()
    assert home.today == ""


def test_two_inboxes_on_one_log_lose_no_decision(home: Home) -> None:
    window, terminal = home.inbox(), home.inbox()
    facts = [f"I always use tool number {number}" for number in range(12)]
    with ThreadPoolExecutor(4) as threads:
        heard = [home.heard(fact) for fact in facts]
        list(threads.map(lambda one: window.hear(one), heard[::2]))
        list(threads.map(lambda one: terminal.hear(one), heard[1::2]))
        ids = [one.id for one in window.proposals()]
        assert ids == [str(number + 1) for number in range(12)]
        decide = [window.accept if number % 2 else terminal.reject for number in range(12)]
        list(threads.map(lambda pair: pair[0](pair[1]), zip(decide, ids, strict=True)))
    assert window.proposals() == ()
    assert len(terminal.recent()) == 12
    assert home.long_term.count("<!-- from:") == 6
    with pytest.raises(UserInputInvalid, match="Nothing waits"):
        terminal.accept(ids[0])


def test_a_torn_last_line_costs_that_line_only(home: Home) -> None:
    inbox = home.inbox()
    inbox.hear(home.heard("I love strong black tea"))
    with home.log.open("ab") as log:
        log.write(b'{"event":"proposed","id":"2","te')
    assert [one.id for one in inbox.proposals()] == ["1"]
    inbox.hear(home.heard("I always use vim"))
    assert [one.id for one in home.inbox().proposals()] == ["1", "2"]


def test_a_long_log_is_shortened_and_numbers_are_not_used_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moltbot_desktop.memory.inbox.MOST_RECORDS", 8)
    monkeypatch.setattr(inbox_log, "_REMEMBERED_DECISIONS", 1)
    inbox = home.inbox()
    for number in range(6):
        inbox.hear(home.heard(f"I always use tool number {number}"))
        inbox.reject(str(number + 1))
    inbox.hear(home.heard("I love strong black tea"))
    assert [one.id for one in inbox.proposals()] == ["7"]
    assert len(home.log.read_text().splitlines()) < 10


def test_forgetting_leaves_no_trace_in_the_log(home: Home) -> None:
    inbox = home.inbox()
    for text in ("I live in Leeds", "I live in York", "I love strong black tea"):
        inbox.hear(home.heard(text))
    inbox.accept("1")
    inbox.accept("2")
    assert inbox.forget("~~I live in Leeds~~ (until 2026-01-05)") == 1
    assert "Leeds" not in home.log.read_text()
    assert [change.text for change in inbox.recent()] == ["I live in York"]
    assert [one.text for one in inbox.proposals()] == ["I love strong black tea"]
    inbox.undo()
    assert "I live in York" in home.inbox().proposals()[0].text


def test_events_that_nobody_understands_are_passed_over(home: Home) -> None:
    odd = [{"event": "kept", "id": "9"}, {"id": "x"}, {"event": 3, "id": "1"}, {"event": "undone"}]
    home.log.write_text("".join(json.dumps(one) + "\n" for one in odd))
    inbox = home.inbox()
    inbox.hear(home.heard("I love strong black tea"))
    assert [one.id for one in inbox.proposals()] == ["10"]


def test_what_is_carried_out_late_strikes_nothing_that_was_said_later(home: Home) -> None:
    inbox = home.inbox()
    first = home.heard("remember my dentist is Dr. Okafor", "My dentist is Dr. Okafor")
    home.memory.store("My dentist is Dr. Okafor")
    second = home.heard("remember my dentist is Dr. Lee", "My dentist is Dr. Lee")
    home.memory.store("My dentist is Dr. Lee")
    assert inbox.hear(first).stored[0].replaced == ()
    assert inbox.hear(second).stored[0].replaced == ("My dentist is Dr. Okafor",)
    assert "~~My dentist is Dr. Okafor~~" in home.today
    assert "- 12:00 · My dentist is Dr. Lee\n" in home.today
    inbox.undo("1")
    assert home.today == "# 2026-01-05\n\n- 12:00 · My dentist is Dr. Lee\n"


def test_a_crash_between_file_and_log_keeps_one_line(home: Home) -> None:
    inbox = home.inbox()
    inbox.hear(home.heard("I love strong black tea"))
    before = home.log.read_bytes()
    inbox.accept("1")
    home.log.write_bytes(before)  # as if the machine had stopped before the log was written
    assert inbox.accept("1").already_known
    assert home.long_term.count("tea <!--") == 1


_OTHER_PROCESS = """
import sys
from datetime import datetime
from pathlib import Path
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.memory.engine import open_memory
from moltbot_desktop.memory.inbox import FileInbox, InboxParts
from moltbot_desktop.memory.long_term import LongTerm

home, numbers = Path(sys.argv[1]), sys.argv[2:]
clock, workspace = SystemClock(), home / "workspace"
memory = open_memory(workspace, home / "index", None, clock)
long_term = LongTerm(workspace, 24_000, memory.freshness.wrote)
inbox = FileInbox(InboxParts(home / "memory-inbox.jsonl", long_term, memory, None, clock))
print("ready", flush=True)
sys.stdin.readline()
for number in numbers:
    inbox.accept(number)
memory.close()
"""


def test_two_processes_lose_neither_decision_nor_line(home: Home) -> None:
    inbox = home.inbox()
    for number in range(12):
        inbox.hear(home.heard(f"I always use tool number {number}"))
    folder = home.log.parent
    others = [
        subprocess.Popen(
            [sys.executable, "-c", _OTHER_PROCESS, str(folder), *map(str, numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for numbers in (range(1, 13, 2), range(2, 13, 2))
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
    for other in others:
        assert other.stdin is not None
        other.stdin.write(b"go\n")
        other.stdin.flush()
    for other in others:
        other.communicate(timeout=60)
    assert [other.returncode for other in others] == [0, 0]
    assert inbox.proposals() == ()
    assert len(inbox.recent()) == 12
    assert home.long_term.count("tool number") == 24  # in the fact and in its quote
