"""Real folders, the real watchdog: whatever way an editor saves, the path is told."""

import ctypes
import errno
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.storage.changes import Changes, WatchHealth
from moltbot_desktop.storage.watching import FolderWatch

QUIET = 0.05
PATIENCE = 30.0


class Heard:
    """What a watch told, to be waited for."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._seen = Changes()
        self.settled: list[Changes] = []

    def see(self, changes: Changes) -> None:
        with self._news:
            self._seen |= changes
            self._news.notify_all()

    def settle(self, changes: Changes) -> None:
        with self._news:
            self.settled.append(changes)
            self._news.notify_all()

    def until(self, holds: Callable[[Changes], bool]) -> Changes:
        """All that was seen, once it is enough."""
        with self._news:
            assert self._news.wait_for(lambda: holds(self._seen), PATIENCE), self._seen
            return self._seen

    def until_settled(self, path: Path) -> None:
        with self._news:
            told = self._news.wait_for(
                lambda: any(path in changes.files for changes in self.settled), PATIENCE
            )
            assert told, self.settled

    def forget(self) -> None:
        with self._news:
            self._seen = Changes()
            self.settled.clear()


Start = Callable[..., tuple[FolderWatch, Heard]]


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    return tmp_path / "ws"


@pytest.fixture
def start(ws: Path) -> Iterator[Start]:
    """Watches MEMORY.md and memory/ in the workspace, and has been told to look at everything."""
    watches: list[FolderWatch] = []

    def make(
        *more: Path, observer: Callable[[], BaseObserver] = Observer
    ) -> tuple[FolderWatch, Heard]:
        heard = Heard()
        watch = FolderWatch(
            [ws / "MEMORY.md", ws / "memory", *more],
            SystemClock(),
            seen=heard.see,
            settled=heard.settle,
            debounce_seconds=QUIET,
            matters=lambda path: path.suffix == ".md",
            observer=observer,
        )
        watches.append(watch)
        watch.start()
        with heard._news:
            assert heard._news.wait_for(lambda: heard.settled, PATIENCE)
        assert heard.until(lambda seen: seen.everything) == Changes(everything=True)
        heard.forget()
        return watch, heard

    yield make
    for watch in watches:
        began = time.monotonic()
        watch.stop()
        assert time.monotonic() - began < PATIENCE
        assert watch.health is WatchHealth.OFF


def plainly(path: Path) -> None:
    path.write_text("new")


def beside_and_over(path: Path) -> None:
    beside = path.with_name(".tmp-" + path.name + ".swp")
    beside.write_text("new")
    beside.replace(path)


def as_vim_does(path: Path) -> None:
    path.rename(path.with_name(path.name + "~"))
    path.write_text("new")
    path.with_name(path.name + "~").unlink()


def by_appending(path: Path) -> None:
    with path.open("a") as file:
        file.write("more")


def by_deleting(path: Path) -> None:
    path.unlink()


def by_moving_away(path: Path) -> None:
    path.rename(path.parents[1] / "elsewhere.md")


@pytest.mark.parametrize(
    "change",
    [plainly, beside_and_over, as_vim_does, by_appending, by_deleting, by_moving_away],
)
@pytest.mark.parametrize("name", ["MEMORY.md", "memory/2026-01-05.md"])
def test_every_way_of_changing_a_note_is_seen_at_once_and_told_when_it_is_over(
    ws: Path, start: Start, change: Callable[[Path], None], name: str
) -> None:
    path = ws / name
    path.write_text("old")
    watch, heard = start()
    assert watch.health is WatchHealth.WATCHING
    change(path)
    seen = heard.until(lambda seen: path in seen.files)
    assert not seen.everything, "one note alone was touched"
    heard.until_settled(path)


def test_reading_and_files_that_do_not_matter_are_not_told(ws: Path, start: Start) -> None:
    note = ws / "memory" / "a.md"
    note.write_text("old")
    _, heard = start()
    for _ in range(20):
        note.read_text()
    (ws / "memory" / "a.md.swp").write_text("x")
    (ws / "other.md").write_text("not a place of ours")
    last = ws / "memory" / "last.md"
    last.write_text("x")
    assert heard.until(lambda seen: last in seen.files).files == {last}


@pytest.mark.parametrize("count", [200, 1000])
def test_of_many_files_at_once_none_is_missed(ws: Path, start: Start, count: int) -> None:
    _, heard = start()
    paths = {ws / "memory" / f"{number}.md" for number in range(count)}
    for path in paths:
        path.write_text("x")
    heard.until(lambda seen: paths <= seen.files)
    for path in paths:
        heard.until_settled(path)
    assert len(heard.settled) < count / 10, "a burst is told together"


def test_a_folder_that_is_made_later_is_watched_from_then_on(ws: Path, start: Start) -> None:
    deep = ws.parent / "later" / "deeper"
    _, heard = start(deep)
    deep.mkdir(parents=True)
    heard.until(lambda seen: seen.everything)
    note = deep / "a.md"

    def written(seen: Changes) -> bool:
        note.write_text("x")  # again and again: until the watch lies nobody can notice
        return note in seen.files

    heard.forget()
    until_told(heard, written)


def until_told(heard: Heard, holds: Callable[[Changes], bool]) -> None:
    for _ in range(int(PATIENCE / 0.05)):
        with heard._news:
            if holds(heard._seen):
                return
            heard._news.wait(0.05)
    raise AssertionError(heard._seen)


def test_a_folder_that_went_and_came_again_is_watched_again(ws: Path, start: Start) -> None:
    (ws / "memory" / "a.md").write_text("x")
    _, heard = start()
    shutil.rmtree(ws)
    heard.until(lambda seen: seen.everything)
    (ws / "memory").mkdir(parents=True)
    note = ws / "memory" / "b.md"

    def written(seen: Changes) -> bool:
        if (ws / "memory").is_dir():
            note.write_text("x")
        return note in seen.files

    until_told(heard, written)


def test_a_folder_below_that_is_moved_in_has_everything_looked_at(ws: Path, start: Start) -> None:
    outside = ws.parent / "outside"
    outside.mkdir()
    (outside / "old.md").write_text("x")
    _, heard = start()
    outside.rename(ws / "memory" / "inside")
    heard.until(lambda seen: seen.everything)
    note = ws / "memory" / "inside" / "new.md"

    def written(seen: Changes) -> bool:
        note.write_text("x")
        return note in seen.files

    until_told(heard, written)


def test_a_workspace_behind_a_link_is_told_by_the_name_it_was_given(ws: Path, start: Start) -> None:
    link = ws.parent / "link"
    link.symlink_to(ws)
    (ws / "notes").mkdir()
    _, heard = start(link / "notes")
    (ws / "notes" / "a.md").write_text("x")
    heard.until(lambda seen: link / "notes" / "a.md" in seen.files)


def test_a_place_that_is_a_link_is_not_followed(ws: Path, start: Start) -> None:
    (ws.parent / "far").mkdir()
    (ws / "linked").symlink_to(ws.parent / "far")
    _, heard = start(ws / "linked")
    (ws.parent / "far" / "a.md").write_text("x")
    last = ws / "memory" / "last.md"
    last.write_text("x")
    assert heard.until(lambda seen: last in seen.files).files == {last}


class Refusing(Observer):  # type: ignore[misc, valid-type]
    """The system says no, to a folder and all below it."""

    number = errno.ENOSPC

    def schedule(self, handler: FileSystemEventHandler, path: str, **how: object) -> object:
        raise OSError(self.number, "no")


@pytest.mark.parametrize(
    ("number", "health"),
    [
        (errno.ENOSPC, WatchHealth.TOO_MANY),
        (errno.EMFILE, WatchHealth.TOO_MANY),
        (errno.EIO, WatchHealth.REFUSED),
    ],
)
def test_a_system_that_refuses_leaves_the_regular_look_and_no_thread(
    start: Start, number: int, health: WatchHealth
) -> None:
    class Refuses(Refusing):
        pass

    Refuses.number = number
    before = threading.active_count()
    watch, _ = start(observer=Refuses)
    assert watch.health is health
    assert threading.active_count() == before + 1, "only the one that looks now and then"


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is inotify's")
def test_a_limit_that_is_reached_somewhere_below_is_noticed(
    ws: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):
        (ws / "memory" / str(number)).mkdir()
    inotify_c = pytest.importorskip("watchdog.observers.inotify_c")
    add_watch, laid = inotify_c.inotify_add_watch, list[bytes]()

    def limited(descriptor: int, path: bytes, mask: int) -> int:
        if len(laid) >= 5:  # watchdog passes over this in silence below the first folder
            ctypes.set_errno(errno.ENOSPC)
            return -1
        laid.append(path)
        return int(add_watch(descriptor, path, mask))

    monkeypatch.setattr(inotify_c, "inotify_add_watch", limited)
    watch, _ = start()
    assert watch.health is WatchHealth.TOO_MANY


def test_a_second_try_watches_when_the_system_has_room_again(
    ws: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moltbot_desktop.storage.watching.RESCAN_SECONDS", 0.05)
    allowed = threading.Event()

    def observer() -> BaseObserver:
        if not allowed.is_set():
            raise OSError(errno.EMFILE, "inotify instance limit reached")
        return Observer()

    watch, heard = start(observer=observer)
    assert watch.health is WatchHealth.TOO_MANY
    heard.until(lambda seen: seen.everything)  # it goes on looking meanwhile
    allowed.set()
    until_told(heard, lambda seen: watch.health is WatchHealth.WATCHING)


def test_a_sound_watch_has_everything_looked_at_now_and_then_too(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moltbot_desktop.storage.watching.RESCAN_SECONDS", 0.05)
    watch, heard = start()
    assert watch.health is WatchHealth.WATCHING
    heard.until(lambda seen: seen.everything)  # the system may lose events without a word


def test_stopping_takes_every_thread_along(start: Start, ws: Path) -> None:
    before = set(threading.enumerate())
    watch, _ = start()
    (ws / "memory" / "a.md").write_text("x")
    (ws / "memory" / "a.md").rename(ws.parent / "a.md")  # a move out is held back for a while
    watch.stop()
    assert set(threading.enumerate()) == before
