"""What My plugin promises. Run it with: python -m pytest"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

from plugin import register


def test_it_says_hello() -> None:
    manifest = json.loads(Path(__file__).with_name("moltbot.plugin.json").read_text())
    properties = manifest["configSchema"]["properties"]
    config = {name: one["default"] for name, one in properties.items()}
    commands = []
    register(SimpleNamespace(config=config, register_command=commands.append))
    (command,) = commands
    assert command.name == manifest["id"]
    assert command.handler(SimpleNamespace(arguments="Ada")) == "Hello, Ada!"
