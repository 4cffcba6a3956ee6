"""Chat models of plugins are held to the contract of a model, whatever the plugin's code does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.plugin_models import PluginModels
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.models.remote.fallback import FallbackChatModel, ModelSwitched
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    TextDelta,
    ToolCallWritten,
)
from moltbot_desktop.sdk.plugins import PluginProvider
from moltbot_desktop.sdk.tools import CancelToken

LARGE = ModelRef("sun", "large")
DONE = GenerationDone(FinishReason.STOP, Usage(1, 0, 1))
CALL = ToolCallWritten(ToolCall("c1", "clock", {}))


@dataclass
class Stop:
    cancelled: bool = False


@dataclass
class Says:
    """A model that gives its events, then does what `after` says."""

    events: tuple[ModelEvent, ...]
    after: str = ""
    info: ModelInfo = field(default_factory=lambda: ModelInfo("whatever", 4096, 0))

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        for event in self.events:
            yield event
        if self.after == "break":
            raise KeyError("sun")
        if self.after == "hang":
            await asyncio.sleep(60)

    async def count_tokens(self, text: str) -> int:
        raise ZeroDivisionError

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None:
        raise AssertionError


def provider(make: Callable[[str], Says]) -> PluginProvider:
    return PluginProvider("sun", ("large",), make)


async def answer(models: PluginModels, stop: Stop | None = None) -> list[ModelEvent]:
    model = await models.chat(LARGE)
    request = GenerationRequest(())
    return [event async for event in model.generate(request, stop or Stop())]


def test_its_events_come_through_and_it_has_the_name_that_the_settings_use() -> None:
    async def story() -> None:
        models = PluginModels()
        models.add([provider(lambda name: Says((TextDelta(name), CALL, DONE)))])
        assert models.names() == ("sun/large",)
        assert (await models.chat(LARGE)).info.name == "sun/large"
        assert await answer(models) == [TextDelta("large"), CALL, DONE]

    asyncio.run(story())


@pytest.mark.expect_log("broke")
def test_a_plugin_that_breaks_is_an_error_with_its_reason() -> None:
    def unmade(name: str) -> Says:
        raise RuntimeError(f"no {name} today")

    async def story() -> None:
        models = PluginModels()
        remove = models.add([provider(unmade)])
        with pytest.raises(ModelError, match="no large today"):
            await models.chat(LARGE)
        remove()
        models.add([provider(lambda _: Says((TextDelta("a"),), "break"))])
        with pytest.raises(ModelError, match="KeyError"):
            await answer(models)
        with pytest.raises(ModelError, match="ZeroDivisionError"):
            await (await models.chat(LARGE)).count_tokens("x")

    asyncio.run(story())


def test_an_answer_without_an_end_is_an_error() -> None:
    async def story() -> None:
        models = PluginModels()
        models.add([provider(lambda _: Says((TextDelta("a"),)))])
        with pytest.raises(ModelError, match="broke off"):
            await answer(models)

    asyncio.run(story())


def test_a_stop_is_heeded_although_the_plugin_does_not_look() -> None:
    async def story() -> None:
        models, stop = PluginModels(), Stop()
        models.add([provider(lambda _: Says((TextDelta("a"),), "hang"))])
        asking = asyncio.ensure_future(answer(models, stop))
        await asyncio.sleep(0.05)
        stop.cancelled = True
        async with asyncio.timeout(30):
            found = await asking
        assert found[-1] == GenerationDone(FinishReason.CANCELLED, Usage())

    asyncio.run(story())


def test_a_model_that_was_lent_goes_to_the_new_code_and_says_when_there_is_none() -> None:
    async def story() -> None:
        models = PluginModels()
        remove = models.add([provider(lambda _: Says((TextDelta("old"), DONE)))])
        lent = await models.chat(LARGE)

        async def words() -> str:
            events = [one async for one in lent.generate(GenerationRequest(()), Stop())]
            return "".join(one.text for one in events if isinstance(one, TextDelta))

        assert await words() == "old"
        remove()
        with pytest.raises(ModelError, match="no provider “sun”"):
            await words()
        models.add([provider(lambda _: Says((TextDelta("new"), DONE)))])
        assert await words() == "new"

    asyncio.run(story())


@pytest.mark.expect_log
def test_a_fallback_is_asked_where_the_plugin_breaks_before_a_word() -> None:
    async def story() -> None:
        models, told = PluginModels(), list[ModelSwitched]()
        models.add([provider(lambda name: Says((TextDelta(name), DONE) if name == "large" else (),
                                               "break" if name == "small" else ""))])  # fmt: skip
        chain = [await models.chat(ModelRef("sun", name)) for name in ("small", "large")]
        model = FallbackChatModel(chain, clock=SystemClock(), switched=told.append)
        found = [event async for event in model.generate(GenerationRequest(()), Stop())]
        assert found == [TextDelta("large"), DONE]
        assert [one.chosen for one in told] == ["sun/large"]

    asyncio.run(story())
