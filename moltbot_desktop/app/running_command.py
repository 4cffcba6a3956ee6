"""`status`, `health`, `call`: one question to the assistant that is running."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.running import run_running
from moltbot_desktop.core.errors import RequestRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.gateway.rpc.server import socket_path


def ask_running(paths: Paths, arguments: Arguments, language: Language) -> int:
    """Carry the command out; returns its exit code.

    Raises:
        GatewayError: nobody is running, or it refused.
        UserInputInvalid: the parameters of `call` cannot be read.
    """
    path = socket_path(paths.home)
    return run_running(
        lambda method, params: asyncio.run(_asked(path, language, method, params)),
        arguments,
        language,
        sys.stdout,
    )


async def _asked(path: Path, language: Language, method: str, params: JsonObject) -> JsonValue:
    try:
        async with connected(path, language) as assistant:
            return await assistant.call(method, params)
    except RpcFailure as failure:
        raise RequestRefused(failure.message) from failure
