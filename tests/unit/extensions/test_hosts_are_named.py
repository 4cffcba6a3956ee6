"""Each channel that leaves this computer says where to: `network list` tells bytes by host."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import moltbot_desktop
from moltbot_desktop.plugins.manifest import read_manifest

EXTENSIONS = Path(moltbot_desktop.__file__).parent / "extensions"
STAYS_HERE = frozenset({"webchat"})
"""Served by this program's own local server."""


def channels() -> Iterator[Path]:
    for path in sorted(EXTENSIONS.glob("*/moltbot.plugin.json")):
        if read_manifest(path).channel_configs and path.parent.name not in STAYS_HERE:
            yield path.parent


def calls(folder: Path) -> set[str]:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in folder.glob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    functions = (node.func for node in nodes if isinstance(node, ast.Call))
    return {one.attr for one in functions if isinstance(one, ast.Attribute)}


@pytest.mark.parametrize("folder", list(channels()), ids=lambda one: one.name)
def test_a_channel_names_the_host_it_reaches(folder: Path) -> None:
    assert "reaches" in calls(folder)


def test_there_are_channels_to_look_at() -> None:
    assert {"telegram", "discord", "slack", "matrix", "irc", "xmpp"} <= {
        one.name for one in channels()
    }
