"""The desk of the place "Memory" on real files and the real memory, and the fake beside it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.forgetting import Forgetter
from moltbot_desktop.app.inbox import open_inbox
from moltbot_desktop.app.memory_desk import MemoryBooks, RunningMemory
from moltbot_desktop.app.memory_plan import configured_memory
from moltbot_desktop.app.memory_slot import MemorySlot, SlotNeeds, SlottedMemory, memory_way
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import (
    MoltbotError,
    NobodyListens,
    PathRefused,
    StorageError,
    UserInputInvalid,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId, SessionKey
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.inbox import FileInbox
from moltbot_desktop.sdk.inbox import ChangeKind, Heard
from moltbot_desktop.sdk.memory_desk import GONE, Clash, MemoryDesk, Saved
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.sessions.store import SessionStore
from tests.fakes.memory_desk import FakeMemoryDesk

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
KEY = SessionKey("agent:main:main")


@dataclass(frozen=True)
class House:
    """A desk with the memory it is lent."""

    desk: MemoryBooks
    paths: Paths
    memory: MarkdownMemory
    answering: SlottedMemory
    inbox: FileInbox
    forgetter: Forgetter

    @property
    def workspace(self) -> Path:
        return self.paths.home / "workspace"


@pytest.fixture
def paths(tmp_path: Path, checkout: Path) -> Paths:
    return Paths(tmp_path / "home", tmp_path, checkout)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever)
    thread.start()
    yield made
    made.call_soon_threadsafe(made.stop)
    thread.join()
    made.close()


@pytest.fixture
def house(paths: Paths, loop: asyncio.AbstractEventLoop) -> Iterator[House]:
    clock, workspace = ManualClock(NOW), paths.home / "workspace"
    (workspace / "memory").mkdir(parents=True)
    config = MemoryConfig()
    memory = configured_memory(paths, config, workspace, clock, None, "")
    inbox = open_inbox(paths.home, config, workspace, memory, None, clock)
    store = SessionStore(paths.home, clock)
    forgetter = Forgetter(paths, workspace, clock, memory, inbox, store)
    desk = MemoryBooks(paths, lambda: load_config(paths.home).config, clock, Language.ENGLISH)
    with Seal(paths.home, clock) as seal:
        index = paths.memory_index(DEFAULT_AGENT)
        needs = SlotNeeds(
            DEFAULT_AGENT, workspace, index, clock, Language.ENGLISH, memory_way(seal)
        )
        answering = SlottedMemory(memory, MemorySlot(), needs)
        made = House(desk, paths, memory, answering, inbox, forgetter)
        desk.attach(RunningMemory(loop, made, lambda _: made))
        yield made
        desk.detach()
        answering.close()
        memory.close()


@pytest.fixture(params=["real", "fake"])
def desk(request: pytest.FixtureRequest) -> MemoryDesk:
    """Both promise the same."""
    if request.param == "fake":
        return FakeMemoryDesk()
    house: House = request.getfixturevalue("house")
    return house.desk


# ---------------------------------------------------------------------- what both promise


def test_a_file_is_written_whole_and_as_it_was_before(desk: MemoryDesk) -> None:
    nothing = desk.read("main", "MEMORY.md")
    assert (nothing.text, nothing.digest, nothing.editable) == ("", GONE, True)
    saved = desk.write("main", "MEMORY.md", "- I like tea\n", GONE)
    assert isinstance(saved, Saved) and saved.before is None
    again = desk.write("main", "MEMORY.md", "- I like coffee\n", saved.digest)
    assert isinstance(again, Saved) and again.before == "- I like tea\n"
    assert desk.read("main", "MEMORY.md").digest == again.digest
    gone = desk.write("main", "MEMORY.md", None, again.digest)
    assert isinstance(gone, Saved) and (gone.digest, desk.notes("main")) == (GONE, ())


def test_nothing_is_written_over_what_somebody_else_wrote(desk: MemoryDesk) -> None:
    first = desk.write("main", "memory/tea.md", "one\n", GONE)
    assert isinstance(first, Saved)
    desk.write("main", "memory/tea.md", "two\n", first.digest)
    for digest in (first.digest, GONE):
        clash = desk.write("main", "memory/tea.md", "three\n", digest)
        assert isinstance(clash, Clash) and clash.theirs.text == "two\n"
    assert desk.read("main", "memory/tea.md").text == "two\n"


def test_a_note_goes_into_the_file_of_the_day(desk: MemoryDesk) -> None:
    desk.add("main", "I like tea")
    saved = desk.add("main", "Anna likes coffee")
    assert saved.path == "memory/2026-11-23.md" and "I like tea" in (saved.before or "")
    assert saved.text == desk.read("main", saved.path).text
    assert saved.text.endswith("- 09:00 · I like tea\n- 09:00 · Anna likes coffee\n")
    known = desk.add("main", "I like tea")
    assert known.before == known.text == saved.text


def test_files_are_listed_with_what_they_begin_with(desk: MemoryDesk) -> None:
    desk.write("main", "MEMORY.md", "- I like tea\n- I like coffee\n", GONE)
    [one] = desk.notes("main")
    assert (one.path, one.own, one.begins, one.count) == ("MEMORY.md", True, "I like tea", 2)
    before = one.stamp
    desk.write("main", "MEMORY.md", "- tea\n", desk.read("main", "MEMORY.md").digest)
    assert desk.notes("main")[0].stamp != before


# ---------------------------------------------------------------------- the real one


def test_encoding_line_ends_and_mark_of_a_file_stay(house: House) -> None:
    path = house.workspace / "MEMORY.md"
    path.write_bytes("\ufeff- ä\r\n".encode())
    found = house.desk.read("main", "MEMORY.md")
    house.desk.write("main", "MEMORY.md", found.text + "- ö\n", found.digest)
    assert path.read_bytes() == "\ufeff- ä\r\n- ö\r\n".encode()


def test_bytes_that_are_no_text_are_shown_and_not_written(house: House) -> None:
    path = house.workspace / "MEMORY.md"
    path.write_bytes(b"- tea \xff\xfe\xfa\n" + "ä".encode())
    found = house.desk.read("main", "MEMORY.md")
    assert not found.editable
    with pytest.raises(StorageError):
        house.desk.write("main", "MEMORY.md", "x", found.digest)
    assert path.read_bytes().startswith(b"- tea \xff")


@pytest.mark.parametrize("path", ["../secret.md", "moltbot.json", "/etc/passwd", "memory/x.txt"])
def test_other_files_are_neither_read_nor_written(house: House, path: str) -> None:
    tries: tuple[Callable[[], object], ...] = (
        lambda: house.desk.read("main", path),
        lambda: house.desk.write("main", path, "x", GONE),
    )
    for one in tries:
        with pytest.raises(PathRefused):
            one()


def test_a_link_is_not_followed(house: House, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (house.workspace / "MEMORY.md").symlink_to(tmp_path / "secret")
    with pytest.raises(StorageError):
        house.desk.write("main", "MEMORY.md", "x", GONE)
    assert (tmp_path / "secret").read_text() == "secret"


def test_what_is_written_here_is_found_at_once(house: House) -> None:
    assert house.desk.search("main", "dentist").hits == ()
    house.desk.add("main", "My dentist is Dr. Okafor")
    [hit] = house.desk.search("main", "dentist").hits
    assert hit.snippet == "My dentist is Dr. Okafor"


def test_a_fact_is_kept_dropped_and_taken_back(house: House) -> None:
    house.inbox.hear(Heard("By the way, I'm allergic to peanuts.", KEY, NOW))
    assert house.desk.waiting() == 1
    [one] = house.desk.inbox("main").waiting
    kept = house.desk.keep("main", one.id, "Allergic to peanuts and nuts")
    assert "peanuts and nuts" in house.desk.read("main", "MEMORY.md").text
    [decided] = house.desk.inbox("main").recent
    assert decided.kind is ChangeKind.KEPT and house.desk.waiting() == 0
    house.desk.undo("main", kept.id)
    assert [one.id for one in house.desk.inbox("main").waiting] == [one.id]
    house.desk.drop("main", one.id)
    with pytest.raises(UserInputInvalid):
        house.desk.drop("main", one.id)


def test_without_the_assistant_files_are_there_and_the_rest_says_why_not(house: House) -> None:
    house.desk.add("main", "I like tea")
    house.desk.detach()
    assert [one.begins for one in house.desk.notes("main")] == ["I like tea"]
    assert isinstance(house.desk.write("main", "MEMORY.md", "x", GONE), Saved)
    assert house.desk.waiting() == 0
    with pytest.raises(NobodyListens):
        house.desk.inbox("main")


def test_each_agent_has_its_own(house: House) -> None:
    settings = '{"agents": {"list": [{"id": "main"}, {"id": "work", "name": "Work"}]}}'
    (house.paths.home / "moltbot.json").write_text(settings)
    assert [(one.id, one.name) for one in house.desk.agents()] == [
        ("main", "main"),
        ("work", "Work"),
    ]
    house.desk.add("work", "The office is on Elm Street")
    assert house.desk.notes("main") == () and len(house.desk.notes("work")) == 1
    with pytest.raises(MoltbotError):
        house.desk.notes("nobody")


def test_what_forgetting_takes_is_foreseen_and_it_comes_back(house: House) -> None:
    house.desk.add("main", "My dentist is Dr. Okafor")
    house.desk.write("main", "MEMORY.md", "- My dentist is Dr. Okafor\n", GONE)
    hit = house.desk.search("main", "dentist").hits[0]
    paths = {"MEMORY.md", "memory/2026-11-23.md"}
    assert set(house.desk.foresee("main", hit).paths) == paths
    gone = house.desk.forget("main", hit, everywhere=False)
    assert set(gone.forgotten.paths) == paths
    assert house.desk.search("main", "dentist").hits == ()
    house.desk.bring_back("main")
    assert all("Okafor" in house.desk.read("main", path).text for path in paths)


def test_everywhere_takes_it_out_of_conversations_too(house: House) -> None:
    store = SessionStore(house.paths.home, ManualClock(NOW))
    session = store.open(KEY)
    session.transcript.append_user("Remember: My dentist is Dr. Okafor", RunId("r1"))
    store.close(session)
    house.desk.add("main", "My dentist is Dr. Okafor")
    hit = house.desk.search("main", "dentist").hits[0]
    assert len(house.desk.foresee("main", hit).said) == 1
    assert house.desk.forget("main", hit, everywhere=True).problems == ()
    assert house.forgetter.said_in("My dentist is Dr. Okafor") == ()


def test_how_it_is_searched_is_told_without_a_search(house: House) -> None:
    found = house.desk.search("main", "")
    assert (found.hits, found.by_meaning) == ((), False) and "words only" in found.note
