"""Notes change on the disk, the keeper notices, and a search finds them: with real everything."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.errors import DiskFull, ModelError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.memory import freshness
from moltbot_desktop.memory.engine import MarkdownMemory, open_memory
from moltbot_desktop.memory.keeper import KeeperPlan, MemoryKeeper
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.memory.scan import scan_folder
from moltbot_desktop.sdk.conversations import Conversations, SpokenLine
from moltbot_desktop.storage.changes import WatchHealth
from tests.fakes.memory import ConceptEmbedder

PATIENCE = 30.0
Open = Callable[..., MarkdownMemory]
Keep = Callable[..., MemoryKeeper]


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    return tmp_path / "ws"


@pytest.fixture
def opened(tmp_path: Path, ws: Path) -> Iterator[Open]:
    engines: list[MarkdownMemory] = []

    def make(
        embedder: ConceptEmbedder | None = None,
        plan: MemoryPlan | None = None,
        conversations: Conversations | None = None,
    ) -> MarkdownMemory:
        index = tmp_path / "index"
        engines.append(open_memory(ws, index, embedder, SystemClock(), "", plan, conversations))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()


@pytest.fixture
def kept(opened: Open) -> Iterator[Keep]:
    """Starts a keeper; depends on `opened`, so that it stops before the engine closes."""
    keepers: list[MemoryKeeper] = []

    def make(memory: MarkdownMemory, **plan: float | bool) -> MemoryKeeper:
        settings: dict[str, float | bool] = {"debounce_seconds": 0.05, **plan}
        keepers.append(MemoryKeeper(memory, SystemClock(), KeeperPlan(**settings)))  # type: ignore[arg-type]
        keepers[-1].start()
        return keepers[-1]

    yield make
    for one in keepers:
        one.stop()


def until(holds: Callable[[], bool]) -> None:
    """Waits for what other threads do."""
    for _ in range(int(PATIENCE / 0.01)):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def watching(memory: MarkdownMemory) -> bool:
    return memory.freshness.health is WatchHealth.WATCHING


def snippets(memory: MarkdownMemory, question: str) -> list[str]:
    return [hit.snippet for hit in memory.search(question).hits]


class Looks:
    """Counts how often the memory folder is walked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0

        def counted(*arguments: object) -> None:
            self.count += 1
            scan_folder(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr("moltbot_desktop.memory.sources.scan_folder", counted)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    monkeypatch.setattr(freshness, "FEW_FILES", 2)
    return Looks(monkeypatch)


def many_notes(ws: Path) -> None:
    for number in range(5):
        (ws / "memory" / f"old-{number}.md").write_text(f"The garage number {number} is green\n")


def test_at_the_start_everything_is_read_without_a_search(
    opened: Open, kept: Keep, ws: Path
) -> None:
    (ws / "MEMORY.md").write_text("My dentist is Dr. Okafor\n")
    embedder = ConceptEmbedder("dentist teeth")
    kept(opened(embedder))
    until(lambda: "My dentist is Dr. Okafor" in embedder.asked)


def test_a_saved_note_is_read_without_a_search(opened: Open, kept: Keep, ws: Path) -> None:
    embedder = ConceptEmbedder("dentist teeth")
    memory = opened(embedder)
    kept(memory)
    until(lambda: watching(memory))
    beside = ws / "memory" / ".tmp"
    beside.write_text("My dentist is Dr. Okafor\n")
    beside.replace(ws / "memory" / "a.md")
    until(lambda: "My dentist is Dr. Okafor" in embedder.asked)


def test_without_a_watch_or_a_look_at_the_start_nothing_is_read_until_somebody_asks(
    opened: Open, kept: Keep, ws: Path
) -> None:
    (ws / "MEMORY.md").write_text("My dentist is Dr. Okafor\n")
    embedder = ConceptEmbedder("dentist teeth")
    memory = opened(embedder)
    one = kept(memory, at_start=False, watch=False)
    one.session_started()
    assert not watching(memory)
    assert embedder.asked == []
    assert snippets(memory, "dentist") == ["My dentist is Dr. Okafor"]


def test_by_the_clock_it_looks_again_and_again(opened: Open, kept: Keep, ws: Path) -> None:
    embedder = ConceptEmbedder("dentist teeth")
    kept(opened(embedder), at_start=False, watch=False, interval_seconds=0.05)
    (ws / "MEMORY.md").write_text("My dentist is Dr. Okafor\n")
    until(lambda: "My dentist is Dr. Okafor" in embedder.asked)


def test_a_watched_search_walks_no_folder_and_finds_what_was_just_saved(
    opened: Open, kept: Keep, ws: Path, looks: Looks
) -> None:
    many_notes(ws)
    memory = opened()
    kept(memory, at_start=False, debounce_seconds=600.0)  # so that only the search itself looks
    until(lambda: watching(memory))
    assert len(snippets(memory, "garage")) == 5
    walked = looks.count
    note = ws / "memory" / "new.md"
    note.write_text("My dentist is Dr. Okafor\n")
    until(lambda: _touched(memory, note))
    assert snippets(memory, "dentist") == ["My dentist is Dr. Okafor"]
    note.unlink()
    until(lambda: _touched(memory, note))
    assert snippets(memory, "dentist") == []
    assert looks.count == walked


def _touched(memory: MarkdownMemory, path: Path) -> bool:
    return path in memory.freshness._touched


def test_what_was_stored_here_is_found_at_once_whatever_the_watch_says(
    opened: Open, kept: Keep, ws: Path, looks: Looks
) -> None:
    many_notes(ws)
    memory = opened()
    kept(memory, at_start=False, debounce_seconds=600.0)
    until(lambda: watching(memory))
    snippets(memory, "garage")
    for colour in ("crimson", "yellow", "violet", "white", "purple", "orange"):
        memory.store(f"The {colour} locker holds the skis")
        assert f"The {colour} locker holds the skis" in snippets(memory, f"{colour} locker")
    hit = memory.search("violet locker").hits[0]
    memory.forget(hit)
    assert hit.snippet not in snippets(memory, "violet locker")


def test_what_was_stored_here_is_found_where_searches_do_not_sync(opened: Open, ws: Path) -> None:
    (ws / "MEMORY.md").write_text("The garage is green\n")
    memory = opened(plan=MemoryPlan(sync_on_search=False))
    assert snippets(memory, "garage") == ["The garage is green"], "nothing was known yet"
    memory.store("My dentist is Dr. Okafor")
    (ws / "memory" / "other.md").write_text("The dentist moved to Elm Street\n")
    assert snippets(memory, "dentist") == ["My dentist is Dr. Okafor"]
    memory.refresh()
    assert len(snippets(memory, "dentist")) == 2


def test_extra_folders_are_watched_too(opened: Open, kept: Keep, ws: Path, looks: Looks) -> None:
    many_notes(ws)
    extra = ws.parent / "notes"
    extra.mkdir()
    memory = opened(plan=MemoryPlan(extra_paths=(extra,)))
    kept(memory, at_start=False, debounce_seconds=600.0)
    until(lambda: watching(memory))
    snippets(memory, "garage")
    note = extra / "plan.md"
    note.write_text("My dentist is Dr. Okafor\n")
    until(lambda: _touched(memory, note))
    hits = memory.search("dentist").hits
    assert [hit.path for hit in hits] == [note.as_posix()]


class OneConversation:
    """A conversation in working memory, so that no watch can notice that it grows."""

    def __init__(self) -> None:
        self.said = ["User: hello"]

    def stamps(self) -> Mapping[str, tuple[int, int, int]]:
        return {"one.jsonl": (100 * len(self.said), len(self.said), 1)}

    def lines(self, name: str) -> tuple[SpokenLine, ...]:
        return tuple(map(SpokenLine, self.said))

    def messages_since(self, name: str, offset: int) -> int:
        return len(self.said) - offset // 100


def test_a_conversation_that_grew_is_read_though_no_file_was_touched(
    opened: Open, kept: Keep, ws: Path, looks: Looks
) -> None:
    many_notes(ws)
    talk = OneConversation()
    plan = MemoryPlan(conversations=True, conversation_messages=1)
    embedder = ConceptEmbedder("dentist teeth")
    memory = opened(embedder, plan, talk)
    one = kept(memory, at_start=False)
    until(lambda: watching(memory))
    snippets(memory, "garage")
    talk.said.append("User: my dentist is Dr. Okafor")
    one.grew()
    until(lambda: any("Okafor" in text for text in embedder.asked))


@pytest.mark.expect_log("not kept fresh")
def test_a_failing_embedder_is_tried_again_after_a_pause_and_told_once(
    opened: Open,
    kept: Keep,
    ws: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("moltbot_desktop.memory.agenda._FIRST_PAUSE", 0.01)
    monkeypatch.setattr("moltbot_desktop.memory.agenda._LONGEST_PAUSE", 0.02)
    (ws / "MEMORY.md").write_text("My dentist is Dr. Okafor\n")
    embedder = ConceptEmbedder("dentist teeth")
    embedder.failing = ModelError("The model is out.")
    memory = opened(embedder)
    one = kept(memory)
    until(lambda: one._agenda._failures >= 3)
    assert "The model is out." in memory.status().note
    embedder.failing = None
    until(lambda: "My dentist is Dr. Okafor" in embedder.asked)
    assert len([r for r in caplog.records if "The model is out" in r.getMessage()]) == 1


class Script:
    """A memory whose work and checks are scripted."""

    embedder_trouble = None
    places: tuple[Path, ...] = ()

    def __init__(self) -> None:
        self.freshness = freshness.Freshness(SystemClock())
        self.outcomes: list[bool | Exception] = []
        self.sound: list[bool] = []
        self.calls: list[str] = []

    def work(self, seconds: float) -> bool:
        self.calls.append("work")
        outcome = self.outcomes.pop(0) if self.outcomes else True
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def check(self) -> bool:
        self.calls.append("check")
        return self.sound.pop(0) if self.sound else True


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    monkeypatch.setattr("moltbot_desktop.memory.agenda._FIRST_PAUSE", 0.01)
    monkeypatch.setattr("moltbot_desktop.memory.agenda.QUIET_SECONDS", 0.02)
    return Script()


def run(script: Script, enough: Callable[[], bool]) -> None:
    one = MemoryKeeper(script, SystemClock(), KeeperPlan(watch=False))
    one.start()
    try:
        until(enough)
    finally:
        one.stop()


def test_work_goes_on_in_slices_until_nothing_is_left(script: Script) -> None:
    script.outcomes = [False, False, False, True]
    run(script, lambda: "check" in script.calls)
    assert script.calls[:4] == ["work"] * 4
    assert script.calls[4] == "check", "when nothing is left to do, the index is checked"


@pytest.mark.expect_log("damaged")
def test_a_damaged_index_is_made_anew(script: Script) -> None:
    script.sound = [False]
    run(script, lambda: script.calls[:3] == ["work", "check", "work"])


@pytest.mark.expect_log("disk is full")
def test_a_full_disk_stops_neither_the_thread_nor_the_end(script: Script) -> None:
    script.outcomes = [DiskFull("The disk is full."), DiskFull("The disk is full."), True]
    run(script, lambda: script.calls.count("work") == 3)


@pytest.mark.expect_log("not kept fresh")
def test_a_bug_costs_a_pause_and_is_logged_with_its_place(
    script: Script, caplog: pytest.LogCaptureFixture
) -> None:
    script.outcomes = [ZeroDivisionError("nobody thought of that"), True]
    run(script, lambda: script.calls.count("work") == 2)
    assert [record.exc_info is not None for record in caplog.records] == [True]


def test_where_the_system_refuses_to_watch_the_status_says_what_that_means(
    opened: Open, ws: Path
) -> None:
    memory = opened()
    assert (
        memory.status().watch_note == "Notes are not watched here; each search looks at them all."
    )
    assert "watched" not in memory.status().note
    memory.freshness.follow(lambda: WatchHealth.TOO_MANY)
    status = memory.status()
    assert not status.watching
    assert "no more folders to be watched" in status.watch_note
    assert status.watch_note in status.note
    assert "系统不允许监视更多文件夹" in memory.status(Language.CHINESE).note
    memory.freshness.follow(lambda: WatchHealth.WATCHING)
    assert (memory.status().watching, memory.status().watch_note) == (True, "")
    assert memory.status().last_look


def test_stopping_ends_every_thread_even_right_after_the_start(opened: Open, ws: Path) -> None:
    before = set(threading.enumerate())
    memory = opened()
    for _ in range(5):
        one = MemoryKeeper(memory, SystemClock(), KeeperPlan())
        one.start()
        one.stop()
    assert set(threading.enumerate()) == before
