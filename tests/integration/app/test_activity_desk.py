"""The desk of the place "Activity": real transcripts, and replays on a loop of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.app.activity_desk import StoredActivity
from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, RunId
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.core.run_facts import RunFacts
from moltbot_desktop.sdk.activity import (
    Change,
    Origin,
    ReplayReport,
    ReplaySide,
    ReplayWanted,
    RunFilter,
    RunsDesk,
)
from moltbot_desktop.sdk.tools import CancelToken
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import SessionStore
from tests.fakes.activity_desk import FakeRunsDesk, run
from tests.fakes.obedient import obedient
from tests.gui.times import START

PATIENCE_SECONDS = 60.0
WORDS = ("Weather in Rome?", "Book a table", "我的医生是谁", "Thanks")
SIDE = ReplaySide("starter", OutcomeKind.ANSWERED, "", "Sunny.", Usage(), 1.0)
REPORT = ReplayReport("run-1", SIDE, SIDE, "", (), ())


class Replays:
    """Ends when it is told to, by `done` or by being stopped."""

    def __init__(self) -> None:
        self.done = asyncio.Event()
        self.wanted: list[ReplayWanted] = []
        self.stopped = 0
        self.begun = threading.Event()

    async def replay(self, wanted: ReplayWanted, cancel: CancelToken) -> ReplayReport:
        self.wanted.append(wanted)
        self.begun.set()
        if wanted.run == "gone":
            raise UserInputInvalid("There is no such run.")
        while not self.done.is_set() and not cancel.cancelled:
            await asyncio.sleep(0.01)
        self.stopped += cancel.cancelled
        return replace(REPORT, run=wanted.run)


class House:
    """An agent's loop on a thread, as the program has one."""

    def __init__(self, desk: StoredActivity) -> None:
        self.desk, self.replays = desk, Replays()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="house")
        self._thread.start()
        desk.attach(self.loop, self.replays)

    def finish(self) -> None:
        self.loop.call_soon_threadsafe(self.replays.done.set)

    def close(self) -> None:
        closing = asyncio.run_coroutine_threadsafe(self.desk.detach(), self.loop)
        closing.result(PATIENCE_SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


@pytest.fixture
def paths(tmp_path: Path, checkout: Path) -> Paths:
    (tmp_path / ".moltbot").mkdir()
    return Paths(tmp_path / ".moltbot", tmp_path, checkout)


@pytest.fixture
def stored(paths: Paths) -> StoredActivity:
    clock = ManualClock(START)
    store = SessionStore(paths.home, clock)
    for number, words in enumerate(WORDS, start=1):
        clock.advance(60)
        agent = AgentId("work" if number == 2 else "main")
        transcript = store.open(main_session_key(agent)).transcript
        run_id = RunId(f"run-{number}")
        transcript.append_user(words, run_id, durable=False)
        transcript.append_run(run_id, RunFacts("tiny", 2048, "full", channel="desktop"))
        kind = OutcomeKind.FAILED if number == 2 else OutcomeKind.ANSWERED
        said = ChatMessage(Role.ASSISTANT, "An answer.")
        transcript.append_end(run_id, RunOutcome(kind, "An answer."), said)
    return StoredActivity(paths, lambda: load_config(paths.home), Language.ENGLISH)


@pytest.fixture
def house(stored: StoredActivity) -> Iterator[House]:
    house = House(stored)
    yield house
    house.close()


def in_memory() -> FakeRunsDesk:
    desk = FakeRunsDesk()
    made = [run(number, words) for number, words in enumerate(WORDS, start=1)]
    made[1] = replace(made[1], agent=AgentId("work"), outcome=OutcomeKind.FAILED)
    desk.past = [*reversed(made)]
    return desk


def waited(desk: StoredActivity) -> ReplayReport:
    """Ask as the window does, again and again."""
    pause = threading.Event()
    for _ in range(int(PATIENCE_SECONDS / 0.01)):
        if (report := desk.replayed()) is not None:
            return report
        pause.wait(0.01)
    raise AssertionError("the replay did not end")


@pytest.fixture(params=["real", "fake"])
def desk(request: pytest.FixtureRequest) -> RunsDesk:
    """Both are held to the same."""
    if request.param == "fake":
        return in_memory()
    real: StoredActivity = request.getfixturevalue("stored")
    return real


def ids(desk: RunsDesk, wanted: RunFilter) -> list[str]:
    return [one.id for one in desk.runs(wanted).runs]


def test_runs_are_listed_and_narrowed(desk: RunsDesk) -> None:
    assert ids(desk, RunFilter()) == ["run-4", "run-3", "run-2", "run-1"]
    assert ids(desk, RunFilter(failed=True)) == ["run-2"]
    assert ids(desk, RunFilter(agent="work")) == ["run-2"]
    assert ids(desk, RunFilter(words="医生")) == ["run-3"]
    assert ids(desk, RunFilter(origin=Origin.CHANNEL)) == []


def test_older_ones_follow_page_by_page(desk: RunsDesk) -> None:
    first = desk.runs(limit=3)
    assert [one.id for one in first.runs] == ["run-4", "run-3", "run-2"] and first.older
    rest = desk.runs(before=first.older, limit=3)
    assert [one.id for one in rest.runs] == ["run-1"] and not rest.older


def test_a_run_is_told_in_full_and_an_unknown_one_refused(desk: RunsDesk) -> None:
    detail = desk.detail("run-1")
    assert (detail.request, detail.answer) == ("Weather in Rome?", "An answer.")
    with pytest.raises(UserInputInvalid, match="There is no run"):
        desk.detail("nothing")


def test_agents_are_those_of_the_settings_the_default_one_first(
    paths: Paths, stored: StoredActivity
) -> None:
    assert stored.agents() == ("main",)
    paths.home.joinpath("moltbot.json").write_text(
        '{"agents": {"list": [{"id": "work"}, {"id": "home", "default": true}]}}'
    )
    assert stored.agents() == ("home", "work")


def test_models_are_those_that_can_be_asked(stored: StoredActivity, checkout: Path) -> None:
    bundled = any((checkout / "resources" / "models").glob("starter*.gguf"))
    assert ("starter" in stored.models()) is bundled
    assert "minilm" not in stored.models()  # it answers nobody


# ----------------------------------------------------------------------------- replays


def test_a_replay_goes_on_beside_and_is_told_once(house: House) -> None:
    house.desk.begin_replay(ReplayWanted("run-1", model="starter"))
    assert house.desk.replayed() is None
    house.finish()
    assert waited(house.desk).run == "run-1"
    assert house.replays.wanted == [ReplayWanted("run-1", model="starter")]
    with pytest.raises(UserInputInvalid, match="was stopped"):
        house.desk.replayed()


def test_another_one_takes_its_place(house: House) -> None:
    house.desk.begin_replay(ReplayWanted("run-1"))
    assert house.replays.begun.wait(PATIENCE_SECONDS)
    house.desk.begin_replay(ReplayWanted("run-2"))
    house.finish()
    assert waited(house.desk).run == "run-2"


def test_why_it_could_not_be_told_anew_is_told(house: House) -> None:
    house.desk.begin_replay(ReplayWanted("gone"))
    with pytest.raises(UserInputInvalid, match="no such run"):
        waited(house.desk)


def stop(house: House) -> None:
    house.desk.stop_replay()


def end(house: House) -> None:
    asyncio.run_coroutine_threadsafe(house.desk.detach(), house.loop).result(PATIENCE_SECONDS)
    assert house.replays.stopped == 1  # nothing goes on when the agents close


@pytest.mark.parametrize("how", [stop, end])
def test_it_is_stopped(house: House, how: Callable[[House], None]) -> None:
    house.desk.begin_replay(ReplayWanted("run-1"))
    assert house.replays.begun.wait(PATIENCE_SECONDS)
    how(house)
    if how is stop:
        with pytest.raises(UserInputInvalid, match="was stopped"):
            house.desk.replayed()


def test_without_an_assistant_nothing_is_told_anew(stored: StoredActivity) -> None:
    stored.stop_replay()
    with pytest.raises(UserInputInvalid, match="not ready"):
        stored.begin_replay(ReplayWanted("run-1"))


def test_a_running_assistant_tells_anew_what_it_did(paths: Paths) -> None:
    home = paths.home

    async def scenario() -> ReplayReport:
        ended = asyncio.Event()
        async with open_assistant(paths, load_config(home), SystemClock(), options) as client:
            client.subscribe(lambda event: ended.set() if isinstance(event, RunEnded) else None)
            client.send('write {"path": "a.md", "content": "tea"}')
            await asyncio.wait_for(ended.wait(), PATIENCE_SECONDS)
            (home / "workspace" / "a.md").write_text("mine")
            [listed] = (await asyncio.to_thread(desk.runs)).runs
            await asyncio.to_thread(desk.begin_replay, ReplayWanted(listed.id))
            return await asyncio.to_thread(waited, desk)

    desk = StoredActivity(paths, lambda: load_config(home), Language.ENGLISH)
    options = AssistantOptions(Language.ENGLISH, stays=True, activity=desk)
    with obedient():
        report = asyncio.run(scenario())
    assert [(one.change, one.from_record) for one in report.calls] == [(Change.SAME, True)]
    assert (home / "workspace" / "a.md").read_text() == "mine"
    with pytest.raises(UserInputInvalid, match="not ready"):
        desk.begin_replay(ReplayWanted(report.run))
