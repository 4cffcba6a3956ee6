"""The settings of `memorySearch.sync` become what the keeper does; it hears of conversations."""

import pytest

from moltbot_desktop.app.memory_upkeep import keeper_plan, telling
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import ClientEvent, HistoryLoaded, Notice
from moltbot_desktop.memory.keeper import KeeperPlan, MemoryKeeper

KEY = SessionKey("agent:main:main")
BEGUN = HistoryLoaded(KEY, (), more=False)
ENDED = RunEnded(RunId("1"), KEY, 1, RunOutcome(OutcomeKind.ANSWERED, "yes"))


def test_the_defaults_of_the_settings_are_those_of_the_plan() -> None:
    assert keeper_plan(MemoryConfig()) == KeeperPlan()


def test_every_setting_is_honoured() -> None:
    config = MemoryConfig(
        sync_on_session_start=False, sync_watch=False, watch_debounce_ms=250, interval_minutes=2
    )
    assert keeper_plan(config) == KeeperPlan(
        at_start=False, watch=False, debounce_seconds=0.25, interval_seconds=120.0
    )


class Listening(MemoryKeeper):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def session_started(self) -> None:
        self.heard.append("started")

    def grew(self) -> None:
        self.heard.append("grew")


@pytest.mark.parametrize(
    ("sources", "heard"),
    [(("memory",), ["started"]), (("memory", "sessions"), ["started", "grew"])],
)
def test_the_keeper_hears_of_conversations_that_are_searched(
    sources: tuple[str, ...], heard: list[str]
) -> None:
    keeper, told = Listening(), list[ClientEvent]()
    tell = telling(told.append, keeper, MemoryConfig(sources=sources))
    for event in (Notice("hello"), BEGUN, ENDED):
        tell(event)
    assert told == [Notice("hello"), BEGUN, ENDED], "everybody else hears everything"
    assert keeper.heard == heard
