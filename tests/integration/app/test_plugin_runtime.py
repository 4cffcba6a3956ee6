"""What the program lends to a plugin works in the running program: memory, and text in parts."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from moltbot_desktop.gateway.client import ClientEvent
from tests.fakes.obedient import obedient, socket_of

PLUGIN = """
import asyncio
from moltbot_desktop.sdk.plugins import CommandCall, PluginApi, PluginCommand

def register(api: PluginApi) -> None:
    async def look(call: CommandCall) -> str:
        found = await asyncio.to_thread(api.runtime.memory.search, call.arguments)
        lines = await asyncio.to_thread(api.runtime.memory.get, found.hits[0].path)
        parts = api.runtime.parts("word " * 30, 40)
        assert max(map(len, parts)) <= 40
        return f"{len(lines.text.splitlines())} lines: {found.hits[0].snippet} in {len(parts)}"

    api.register_command(PluginCommand("look", "Look into memory.", "查看记忆。", look, "words"))
"""


def test_a_command_of_a_plugin_looks_into_memory(tmp_path: Path) -> None:
    told: list[ClientEvent] = []
    home = tmp_path / ".moltbot"
    folder = home / "extensions" / "look"
    folder.mkdir(parents=True)
    manifest = {"id": "look", "configSchema": {"type": "object"}}
    (folder / "moltbot.plugin.json").write_text(json.dumps(manifest))
    (folder / "plugin.py").write_text(PLUGIN)
    (home / "workspace").mkdir()
    (home / "workspace" / "MEMORY.md").write_text("- The garage code is 4471.\n")
    settings: dict[str, object] = {"plugins": {"entries": {"look": {"enabled": True}}}}

    async def scene() -> str:
        with obedient():
            async with asyncio.timeout(60), socket_of(home, settings, told) as ask:
                return await ask("agent:main:main", "/look garage code")

    said = asyncio.run(scene())
    assert "The garage code is 4471." in said and "in 4" in said, said
