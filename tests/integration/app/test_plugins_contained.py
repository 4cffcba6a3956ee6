"""``sys.exit`` in a plugin is the plugin's failure: whatever it registered, the program goes on.

In a task of the event loop it would end the loop, wherever an ``except Exception`` stands.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from moltbot_desktop.app.plugin_commands import PluginCommands
from moltbot_desktop.app.plugin_effects import PluginMethods
from moltbot_desktop.app.plugin_models import PluginModels
from moltbot_desktop.app.plugin_routes import PluginRoutes
from moltbot_desktop.app.plugin_tools import PluginTools
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.gateway.commands.ports import CommandCall
from moltbot_desktop.gateway.rpc.methods import Given
from moltbot_desktop.plugins.registry import OfferedTool
from moltbot_desktop.sdk.models import GenerationRequest, ModelEvent, ModelInfo
from moltbot_desktop.sdk.plugins import (
    GatewayMethod,
    HttpRequest,
    HttpResponse,
    HttpRoute,
    PluginCommand,
    PluginProvider,
    ToolFactoryContext,
)
from moltbot_desktop.sdk.tools import CancelToken

pytestmark = pytest.mark.expect_log


async def leaves(_given: object) -> HttpResponse:
    sys.exit(3)


@pytest.mark.parametrize("handler", [lambda _call: sys.exit(3), leaves, lambda _call: 1 / 0])
def test_a_command_says_that_the_plugin_failed(handler) -> None:
    async def story() -> str:
        commands = PluginCommands(Language.ENGLISH)
        commands.add([PluginCommand("sun", "a", "b", handler)])
        call = CommandCall("sun", "", SessionKey("agent:main:main"), Language.ENGLISH)
        reply = await asyncio.create_task(commands.answer(call))
        assert not reply.ok
        return reply.text

    assert asyncio.run(story()).startswith("/sun is a plugin's, and failed")


def test_a_method_and_a_page_fail_like_any_other() -> None:
    async def story() -> None:
        methods, routes = PluginMethods(), PluginRoutes()
        methods.add([GatewayMethod("sun.now", leaves)])  # type: ignore[arg-type]
        routes.add("sun", [HttpRoute("/now", leaves)])
        with pytest.raises(RuntimeError, match="end the program"):
            await asyncio.create_task(methods()["sun.now"].answer(Given({})))  # type: ignore[arg-type]
        asked = HttpRequest("GET", "/now", {}, {})
        with pytest.raises(RuntimeError, match="end the program"):
            await asyncio.create_task(routes()["/plugins/sun/now"].handler(asked))  # type: ignore[arg-type]

    asyncio.run(story())


class Leaves:
    info = ModelInfo("x", 4096, 0)

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        sys.exit(3)
        yield

    async def count_tokens(self, text: str) -> int:
        sys.exit(3)

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None: ...


class Goes:
    cancelled = False


def test_a_model_breaks_like_any_other() -> None:
    async def story() -> None:
        models, ref = PluginModels(), ModelRef("sun", "large")
        remove = models.add([PluginProvider("sun", ("large",), lambda _name: sys.exit(3))])
        with pytest.raises(ModelError, match="SystemExit"):
            await models.chat(ref)
        remove()
        models.add([PluginProvider("sun", ("large",), lambda _name: Leaves())])
        model = await models.chat(ref)
        with pytest.raises(ModelError, match="SystemExit"):
            await model.count_tokens("x")
        with pytest.raises(ModelError, match="end the program"):
            [event async for event in model.generate(GenerationRequest(()), Goes())]

    asyncio.run(story())


def test_a_factory_costs_its_own_tools(tmp_path: Path) -> None:
    tools = PluginTools()
    tools.add("sun", [OfferedTool(lambda _context: sys.exit(3), ("sunny",), False)])
    context = ToolFactoryContext(AgentId("main"), tmp_path, tmp_path, Language.ENGLISH)
    assert tools.for_agent(context, Config)() == ()
