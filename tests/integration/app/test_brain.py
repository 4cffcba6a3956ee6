"""The model is lent for a run, given back when nobody needs it, and loaded again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from moltbot_desktop.app import brain as brain_module
from moltbot_desktop.app.brain import Brain
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.settings import Config, ModelsConfig
from moltbot_desktop.core.errors import ModelMissing

PROGRAM = Path(__file__).parents[3]


def with_brain(
    home: Path, models: ModelsConfig, scenario: Callable[[Brain], Awaitable[None]]
) -> None:
    async def run() -> None:
        brain = Brain(Paths(home, home, PROGRAM), Config(models=models), None)
        try:
            await scenario(brain)
        finally:
            brain.close()

    asyncio.run(run())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


def test_an_idle_model_gives_its_memory_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brain_module, "_SECONDS_A_MINUTE", 0.05)

    async def scenario(brain: Brain) -> None:
        async with brain.chat() as first:
            await asyncio.sleep(0.2)
            assert await first.count_tokens("still here") > 0
        await until(lambda: not brain.loaded)
        async with brain.chat() as second:
            assert second is not first
            assert await second.count_tokens("here again") > 0

    with_brain(tmp_path, ModelsConfig(idle_minutes=1), scenario)


def test_zero_minutes_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brain_module, "_SECONDS_A_MINUTE", 0.0)

    async def scenario(brain: Brain) -> None:
        async with brain.chat():
            pass
        await asyncio.sleep(0.1)
        assert brain.loaded

    with_brain(tmp_path, ModelsConfig(idle_minutes=0), scenario)


def test_it_is_not_taken_from_a_run(tmp_path: Path) -> None:
    async def scenario(brain: Brain) -> None:
        assert not await brain.unload()
        async with brain.chat():
            async with brain.chat() as same:
                assert not await brain.unload()
            assert not await brain.unload()
            assert await same.count_tokens("still here") > 0
        assert await brain.unload()
        assert not brain.loaded
        assert brain.info is not None and brain.info.name == "starter"

    with_brain(tmp_path, ModelsConfig(), scenario)


def test_a_model_that_is_missing_is_told_each_time_and_leaves_nothing(tmp_path: Path) -> None:
    async def scenario(brain: Brain) -> None:
        for _ in range(2):
            with pytest.raises(ModelMissing):
                async with brain.chat():
                    raise AssertionError("there is no model")
        assert not brain.loaded

    with_brain(tmp_path, ModelsConfig(chat=str(tmp_path / "none.gguf")), scenario)
