"""`status`, `health`, `call`, `channels`: one question to the assistant that is running."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.channels import run_channels
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.running import Ask, run_running
from moltbot_desktop.core.errors import RequestRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.door import socket_path
from moltbot_desktop.gateway.rpc.frames import RpcFailure


def ask_running(paths: Paths, arguments: Arguments, language: Language) -> int:
    """Carry the command out; returns its exit code.

    Raises:
        GatewayError: nobody is running, or it refused.
        UserInputInvalid: the parameters of `call` cannot be read.
    """
    run = run_channels if arguments.command == "channels" else run_running
    return run(asking(paths, language), arguments, language, sys.stdout)


def asking(paths: Paths, language: Language) -> Ask:
    """Asks the assistant that is running, once for each call.

    Raises:
        GatewayError: by what it returns: nobody is running, or it refused.
    """
    path = socket_path(paths.home)
    return lambda method, params: asyncio.run(_asked(path, language, method, params))


async def _asked(path: Path, language: Language, method: str, params: JsonObject) -> JsonValue:
    try:
        async with connected(path, language) as assistant:
            return await assistant.call(method, params)
    except RpcFailure as failure:
        raise RequestRefused(failure.message) from failure
