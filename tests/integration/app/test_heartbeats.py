"""The schedule of the whole program: every agent's heartbeat, settings that change while it runs,
and news that are still there after a restart."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from moltbot_desktop.app import brain, heartbeats
from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.schedule import Schedule, open_schedule
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import (
    AssistantClient,
    ClientEvent,
    ConversationItem,
    HistoryLoaded,
    Notice,
    NoticeKind,
)
from moltbot_desktop.schedule import pulse
from moltbot_desktop.sdk.schedule import At, JobDraft, SystemEvent, WakeMode
from tests.fakes.obedient import ObedientModel, obedient

NEVER = {"memorySearch": {"enabled": False}, "heartbeat": {"every": "0m"}}
BLUEBIRD = {"every": "1s", "prompt": "The merger is called Bluebird."}
TWO = [{"id": "main", "default": True}, {"id": "work", "name": "Work"}]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOOKS_EVERY", "GATHERS", "BUSY_AGAIN"):
        monkeypatch.setattr(pulse, name, 0.02)
    monkeypatch.setattr(heartbeats, "on_battery", lambda: False)
    monkeypatch.setattr(brain.Brain, "reads_one_request", lambda _: False)


@dataclass
class House:
    """An assistant that runs, and what its windows heard."""

    home: Path
    client: AssistantClient
    heard: list[ClientEvent]
    models: Mapping[str, ObedientModel]

    def settings(self, **found: object) -> None:
        write(self.home, **found)

    @property
    def news(self) -> list[str]:
        return [
            one.text
            for one in self.heard
            if isinstance(one, Notice) and one.kind is NoticeKind.NEWS
        ]

    @property
    def history(self) -> list[ConversationItem]:
        loaded = [one.items for one in self.heard if isinstance(one, HistoryLoaded)]
        return list(loaded[-1]) if loaded else []

    @property
    def prompts(self) -> str:
        return str([one.messages for one in self.models["obedient"].requests])

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(30):
            while not true():
                await asyncio.sleep(0.02)


def write(home: Path, **found: object) -> None:
    home.mkdir(parents=True, exist_ok=True)
    agents = {"defaults": {**NEVER, **found.pop("defaults", {})}}  # type: ignore[dict-item]
    agents |= {"list": found.pop("agents", TWO)}
    temporary = home / "moltbot.new"
    temporary.write_text(json.dumps({"agents": agents, **found}), encoding="utf-8")
    temporary.replace(home / "moltbot.json")


def live(home: Path, checkout: Path, scenario: Callable[[House], Awaitable[None]]) -> House:
    """Run the assistant for the time of `scenario`; its model has been used once."""
    paths = Paths(home, home.parent, checkout)
    options = AssistantOptions(Language.ENGLISH, stays=True)
    houses: list[House] = []

    async def all_of_it() -> None:
        async with open_assistant(paths, load_config(home), SystemClock(), options) as client:
            house = House(home, client, [], models)
            houses.append(house)
            client.subscribe(house.heard.append)
            client.send("hello")
            await house.until(lambda: "obedient" in models)
            await scenario(house)

    with obedient() as models:
        asyncio.run(all_of_it())
    return houses[0]


def book(home: Path, checkout: Path) -> Schedule:
    paths = Paths(home, home.parent, checkout)
    return open_schedule(paths, lambda: load_config(home).config, SystemClock())


def tasks() -> set[str]:
    return {task.get_name() for task in asyncio.all_tasks()}


def told_in(home: Path, agent: str) -> str:
    files = (home / "agents" / agent / "sessions").glob("*.jsonl")
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    return "\n".join(line for line in lines if '"news"' in line)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / ".moltbot"


def test_only_agents_with_settings_of_their_own_look_and_each_in_its_own_workspace(
    home: Path, checkout: Path
) -> None:
    work = {"id": "work", "name": "Work", "heartbeat": {"every": "1s", "prompt": "Look."}}
    write(home, agents=[TWO[0], work], defaults={"heartbeat": {"every": "1s"}})
    for folder, text in (("workspace", "- water the ferns"), ("workspace-work", "- mind the shop")):
        (home / folder).mkdir()
        (home / folder / "HEARTBEAT.md").write_text(text)

    async def scenario(house: House) -> None:
        await house.until(lambda: house.news)

    house = live(home, checkout, scenario)
    assert set(house.news) == {"Heartbeat of Work: Look."}
    heartbeat = str([one.messages for one in house.models["obedient"].requests][1:])
    assert "mind the shop" in heartbeat and "water the ferns" not in heartbeat
    assert "Look." in told_in(home, "work") and not told_in(home, "main")


def test_a_heartbeat_that_is_set_while_it_runs_beats_and_one_that_is_taken_out_stops(
    home: Path, checkout: Path
) -> None:
    write(home)

    async def scenario(house: House) -> None:
        house.settings(agents=[TWO[0], {**TWO[1], "heartbeat": BLUEBIRD}])
        await house.until(lambda: house.news)
        house.settings(agents=TWO[:1])
        await house.until(lambda: "heartbeat work" not in tasks())
        assert "heartbeat main" in tasks()
        house.settings(agents=TWO[:1], defaults={"heartbeat": {**BLUEBIRD, "prompt": "Canary."}})
        await house.until(lambda: "Heartbeat: Canary." in house.news)

    house = live(home, checkout, scenario)
    first, second = house.news
    assert first == "Heartbeat of Work: The merger is called Bluebird."
    assert second == "Heartbeat: Canary."
    later = [
        one.text for one in house.heard if isinstance(one, Notice) and "next start" in one.text
    ]
    assert later == []


def test_jobs_are_switched_off_and_on_while_it_runs(home: Path, checkout: Path) -> None:
    write(home, cron={"enabled": False, "maxConcurrentRuns": 1})
    soon = int(SystemClock().now().timestamp() * 1000) + 1
    opened = book(home, checkout)
    for name in ("a", "b"):
        late = JobDraft(name, At(soon + 60_000), SystemEvent(f"{name} rings"))
        opened.book.run_soon(opened.book.add(late).id)
    opened.close()

    async def scenario(house: House) -> None:
        await asyncio.sleep(0.2)
        assert house.news == []
        house.settings(cron={"enabled": True, "maxConcurrentRuns": 2})
        await house.until(lambda: len(house.news) == 2)
        notice = [
            one.text for one in house.heard if isinstance(one, Notice) and "cron." in one.text
        ]
        assert notice and all("In force now" in one for one in notice)

    live(home, checkout, scenario)


def test_what_a_job_tells_an_agent_wakes_that_agent(home: Path, checkout: Path) -> None:
    write(home, defaults={"heartbeat": {"every": "0m", "prompt": "Anything?"}})
    opened = book(home, checkout)
    event = SystemEvent("The shop is on fire.")
    soon = At(int(SystemClock().now().timestamp() * 1000) + 60_000)
    job = JobDraft("fire", soon, event, agent_id="work", wake_mode=WakeMode.NOW)
    opened.book.run_soon(opened.book.add(job).id)
    opened.close()

    async def scenario(house: House) -> None:
        await house.until(lambda: "Heartbeat of Work: Anything?" in house.news)
        assert "The shop is on fire." in house.prompts

    live(home, checkout, scenario)


def test_news_are_in_the_conversation_after_a_restart(home: Path, checkout: Path) -> None:
    write(home)
    opened = book(home, checkout)
    soon = At(int(SystemClock().now().timestamp() * 1000) + 60_000)
    for text in ("The backup is done.", "The backup is done again."):
        opened.book.run_soon(opened.book.add(JobDraft("backup", soon, SystemEvent(text))).id)
    opened.close()

    async def first(house: House) -> None:
        await house.until(lambda: len(house.news) == 2)

    async def second(house: House) -> None:
        house.client.request_history()
        await house.until(lambda: [one for one in house.history if one.title])

    live(home, checkout, first)
    house = live(home, checkout, second)
    assert house.news == []
    shown = [one for one in house.history if one.title]
    assert {(one.title, one.ok) for one in shown} == {("backup", True)}
    assert sum(one.times for one in shown) == 2
    assert "The backup is done again." in shown[-1].text
