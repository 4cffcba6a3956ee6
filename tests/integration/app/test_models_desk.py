"""The desk of the place "Models": a real folder, real small models, a hub on loopback."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.models_desk import LibraryDesk, best_offer
from moltbot_desktop.app.paths import Paths, locate
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import (
    CatalogueInvalid,
    EgressSealed,
    ModelFileInvalid,
    ModelMissing,
    UserInputInvalid,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.models.catalogue import load_catalogue
from moltbot_desktop.models.partial import unfinished
from moltbot_desktop.sdk.model_shelf import FitLine, JobState, ModelJob, ModelLine
from moltbot_desktop.security.seal import Seal
from tests.data.make_gguf import write_chat_model, write_embedding_model
from tests.fakes.hub import FakeHub

NAME = "bge-small-zh"
LONG = 60.0


@pytest.fixture
def paths() -> Paths:
    return locate(os.environ, Path.home())


@pytest.fixture
def desk(paths: Paths) -> Iterator[LibraryDesk]:
    made = LibraryDesk(
        paths,
        lambda: load_config(paths.home, language=Language.ENGLISH),
        SystemClock(),
        Language.ENGLISH,
    )
    yield made
    made.close()


@pytest.fixture
def hub(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """Serves a small model in the place of a catalogue's, and the catalogue names it so."""
    data = write_embedding_model(tmp_path / "x.gguf").read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    changed = tuple(
        replace(entry, bytes=len(data), sha256=digest) if entry.name == NAME else entry
        for entry in load_catalogue(checkout / "resources")
    )
    monkeypatch.setattr("moltbot_desktop.app.model_setup.load_catalogue", lambda _: changed)
    entry = next(entry for entry in changed if entry.name == NAME)
    with FakeHub({entry.url("")[1:]: data}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def wait(holds: Callable[[], bool]) -> None:
    """Until it does; a long time, so that a busy machine costs patience only."""
    pause = threading.Event()
    for _ in range(int(LONG / 0.02)):
        if holds():
            return
        pause.wait(0.02)
    raise AssertionError("it did not come about")


def job(desk: LibraryDesk, name: str = NAME) -> ModelJob | None:
    return next((one for one in desk.jobs() if one.name == name), None)


def over(desk: LibraryDesk, name: str = NAME) -> ModelJob | None:
    """The job when it has ended, None when it was stopped."""
    wait(lambda: (found := job(desk, name)) is None or not found.live)
    return job(desk, name)


def failure(desk: LibraryDesk, name: str = NAME) -> str:
    ended = over(desk, name)
    assert ended is not None and ended.state is JobState.FAILED
    return ended.problem


def line(desk: LibraryDesk, name: str = NAME) -> ModelLine:
    return next(one for one in desk.look().models if one.name == name)


def paused_at(desk: LibraryDesk, hub: FakeHub, sent: int) -> None:
    """Fetch so much, then press "pause" while the hub says nothing more."""
    hub.trouble.stall_at = sent
    desk.fetch(NAME)
    wait(lambda: hub.sent >= sent)
    desk.stop(NAME)


def test_fetched_used_removed(desk: LibraryDesk, hub: FakeHub) -> None:
    assert not line(desk).here
    desk.fetch(NAME)
    ended = over(desk)
    assert ended is not None and ended.state is JobState.DONE and ended.made == NAME
    assert ended.progress is not None and ended.progress.done == ended.progress.total
    desk.dismiss(NAME)
    assert desk.jobs() == ()
    assert line(desk).here and not line(desk).in_use
    assert desk.use(NAME) == ""
    assert line(desk).in_use
    desk.remove(NAME)
    assert not line(desk).here and line(desk, "minilm").in_use


def test_a_pause_keeps_the_bytes_and_a_new_desk_goes_on(
    desk: LibraryDesk, hub: FakeHub, paths: Paths
) -> None:
    paused_at(desk, hub, 5_000)
    found = job(desk)
    assert found is not None and found.state is JobState.STOPPING  # said at once
    hub.closing.set()
    assert over(desk) is None
    assert line(desk).fetched == 5_000
    hub.closing.clear()
    hub.sent = 0
    again = LibraryDesk(
        paths,
        lambda: load_config(paths.home, language=Language.ENGLISH),
        SystemClock(),
        Language.ENGLISH,
    )
    again.fetch(NAME)
    assert over(again) is not None and line(again).here
    assert hub.sent == len(next(iter(hub.files.values()))) - 5_000
    again.close()


def test_cancelled_meanwhile_nothing_stays(desk: LibraryDesk, hub: FakeHub, paths: Paths) -> None:
    hub.trouble.stall_at = 5_000
    desk.fetch(NAME)
    wait(lambda: hub.sent >= 5_000)
    desk.discard(NAME)
    hub.closing.set()
    assert over(desk) is None
    assert unfinished(paths.model_files) == ()
    assert line(desk).fetched == 0


def test_a_pause_is_cancelled(desk: LibraryDesk, hub: FakeHub, paths: Paths) -> None:
    paused_at(desk, hub, 5_000)
    hub.closing.set()
    assert over(desk) is None
    desk.discard(NAME)
    assert unfinished(paths.model_files) == ()


def test_a_connection_that_is_cut_is_taken_up_again(desk: LibraryDesk, hub: FakeHub) -> None:
    hub.trouble.cuts = [3_000]
    desk.fetch(NAME)
    ended = over(desk)
    assert ended is not None and ended.state is JobState.DONE
    assert hub.ranges_asked()[-1] == "bytes=3000-"


def test_wrong_bytes_are_told_and_not_kept(desk: LibraryDesk, hub: FakeHub, paths: Paths) -> None:
    hub.trouble.wrong_bytes = True
    desk.fetch(NAME)
    assert "wrong bytes" in failure(desk)
    assert unfinished(paths.model_files) == () and not line(desk).here


def test_what_the_hub_does_not_have_is_told(desk: LibraryDesk, hub: FakeHub) -> None:
    hub.files.clear()
    desk.fetch(NAME)
    assert "404" in failure(desk)
    desk.dismiss(NAME)
    assert desk.jobs() == ()


def test_a_hub_that_is_not_there_is_told_and_tried_again(
    desk: LibraryDesk, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = hub.url
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")  # nobody listens at port 1
    desk.fetch(NAME)
    assert failure(desk)
    assert desk.look().hub == "http://127.0.0.1:1" and desk.look().hub_is_set
    monkeypatch.setenv("HF_ENDPOINT", good)
    desk.fetch(NAME)
    ended = over(desk)
    assert ended is not None and ended.state is JobState.DONE


def test_a_full_disk_is_told_with_the_numbers(
    desk: LibraryDesk, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = 1000

    monkeypatch.setattr("moltbot_desktop.models.download.shutil.disk_usage", lambda _: Usage)
    desk.fetch(NAME)
    assert "0.00 GB are free" in failure(desk)


def test_through_the_closed_seal_nothing_is_begun(
    desk: LibraryDesk, hub: FakeHub, paths: Paths
) -> None:
    with Seal(paths.home, SystemClock()) as seal:
        seal.close_it()
    assert desk.look().sealed
    with pytest.raises(EgressSealed, match="nothing leaves this computer"):
        desk.fetch(NAME)
    assert desk.jobs() == () and hub.asked == []


def test_one_thing_at_a_time_with_each(desk: LibraryDesk, hub: FakeHub) -> None:
    hub.trouble.stall_at = 5_000
    desk.fetch(NAME)
    with pytest.raises(UserInputInvalid, match="just now"):
        desk.fetch(NAME)
    with pytest.raises(UserInputInvalid, match="just now"):
        desk.remove(NAME)
    wait(lambda: hub.sent >= 5_000)
    desk.stop(NAME)
    hub.closing.set()
    over(desk)


def test_the_end_of_the_program_keeps_what_is_here(
    desk: LibraryDesk, hub: FakeHub, paths: Paths
) -> None:
    paused_at(desk, hub, 5_000)
    hub.closing.set()
    desk.close()
    [part] = unfinished(paths.model_files)
    assert part.done == 5_000
    desk.fetch(NAME)  # after the end nothing is begun
    assert desk.jobs() == ()


def test_a_file_is_copied_in(desk: LibraryDesk, tmp_path: Path, paths: Paths) -> None:
    source = write_embedding_model(tmp_path / "mine.gguf")
    desk.add(source)
    ended = over(desk, "mine.gguf")
    assert ended is not None and ended.made == "mine"
    assert (paths.model_files / "mine.gguf").is_file() and source.is_file()
    desk.add(source)
    assert "is here already" in failure(desk, "mine.gguf")


def test_what_is_no_model_is_refused_before_anything_is_copied(
    desk: LibraryDesk, tmp_path: Path, paths: Paths
) -> None:
    page = tmp_path / "page.gguf"
    page.write_text("<html>sign in</html>")
    with pytest.raises(ModelFileInvalid):
        desk.add(page)
    with pytest.raises(ModelFileInvalid):
        desk.point_at(page)
    with pytest.raises(ModelMissing):
        desk.add(tmp_path / "nothing.gguf")
    assert desk.jobs() == () and not paths.model_files.exists()


def test_a_file_is_pointed_at_and_forgotten(desk: LibraryDesk, tmp_path: Path) -> None:
    source = write_embedding_model(tmp_path / "mine.gguf")
    assert desk.point_at(source) == "mine"
    assert line(desk, "mine").linked
    desk.remove("mine")
    assert source.is_file()
    assert "mine" not in [one.name for one in desk.look().models]


def test_the_built_in_model_is_tried_out(desk: LibraryDesk) -> None:
    desk.try_out("minilm")
    ended = over(desk, "minilm")
    assert ended is not None and ended.check is not None
    assert ended.check.load_seconds > 0
    with pytest.raises(ModelMissing):
        desk.try_out("nothing")


def test_a_chat_model_writes_something(desk: LibraryDesk, tmp_path: Path) -> None:
    desk.point_at(write_chat_model(tmp_path / "tiny.gguf"))
    desk.try_out("tiny")
    ended = over(desk, "tiny")
    assert ended is not None and ended.check is not None
    assert ended.check.answer and ended.check.tokens_per_second


def test_a_model_that_cannot_be_loaded_says_why(desk: LibraryDesk, tmp_path: Path) -> None:
    source = write_chat_model(tmp_path / "spoilt.gguf")
    source.write_bytes(source.read_bytes()[:-4096] + b"\xff" * 4096)  # no numbers
    desk.point_at(source)
    desk.try_out("spoilt")
    assert "spoilt.gguf" in failure(desk, "spoilt")


def test_servers_of_the_settings_are_listed(desk: LibraryDesk, paths: Paths) -> None:
    paths.home.mkdir(parents=True, exist_ok=True)
    house = {"baseUrl": "http://127.0.0.1:1/v1", "models": [{"id": "big", "name": "Big"}]}
    settings = {"models": {"providers": {"house": house}}}
    (paths.home / "moltbot.json").write_text(json.dumps(settings))
    assert line(desk, "house/big").provided == "settings"


def test_without_a_usable_catalogue_what_is_here_is_shown_with_the_reason(
    desk: LibraryDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(_: Path) -> object:
        raise CatalogueInvalid("The list cannot be used.", hint="Install again.")

    monkeypatch.setattr("moltbot_desktop.app.model_setup.load_catalogue", damaged)
    shelf = desk.look()
    assert shelf.problem == "The list cannot be used. Install again."
    assert "starter" in [one.name for one in shelf.models]


def test_what_is_wrong_with_a_file_is_said_in_the_language_of_the_window(paths: Paths) -> None:
    paths.model_files.mkdir(parents=True)
    (paths.model_files / "holiday.gguf").write_bytes(b"<!DOCTYPE html>")
    settings = load_config(paths.home, language=Language.CHINESE)
    desk = LibraryDesk(paths, lambda: settings, SystemClock(), Language.CHINESE)
    told = line(desk, "holiday").problem
    desk.close()
    assert told == "模型文件“holiday.gguf”不能用：它是一个网页，不是模型：下载出了错。"


GB = 10**9


def offer(name: str, size: int, verdict: str = "fits", speed: float = 20.0) -> ModelLine:
    fit = FitLine(verdict, size, 12 * GB, 16 * GB, 8192, 8192)
    return ModelLine(
        name, "chat", False, size=size, languages=("en",), fit=fit, tokens_per_second=speed
    )


def test_the_largest_that_runs_well_is_recommended() -> None:
    small, good = offer("small", GB), offer("good", 3 * GB)
    others = [
        offer("slow", 8 * GB, speed=2.0),
        offer("tight", 9 * GB, "tight"),
        offer("huge", 90 * GB, "no"),
        replace(offer("here", 5 * GB), here=True),
        replace(offer("search", 5 * GB), kind="embedding"),
        replace(offer("french", 5 * GB), languages=("fr",)),
    ]
    assert best_offer([small, *others, good], Language.ENGLISH) == good
    assert best_offer([small, good], Language.CHINESE) is None


def test_somebody_who_has_a_model_is_recommended_none(
    desk: LibraryDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wished = offer("wished", GB)
    monkeypatch.setattr("moltbot_desktop.app.models_desk.best_offer", lambda *_: wished)
    assert desk.recommended() == wished
    desk.point_at(write_chat_model(tmp_path / "own.gguf"))
    assert desk.recommended() is None
