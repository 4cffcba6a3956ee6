"""What a plugin may register, and how it is said."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.errors import PluginInvalid
from moltbot_desktop.plugins.registry import Scratch
from moltbot_desktop.sdk.hooks import HOOKS


@pytest.mark.parametrize("name", list(HOOKS))
def test_a_hook_is_known_by_its_class_and_by_the_references_name(name: str) -> None:
    """Whoever brings a plugin over from the reference has ``on("before_tool_call", …)``."""
    scratch = Scratch()
    scratch.hook(name, print, 1)
    scratch.hook(HOOKS[name], print, 2)
    assert [one.event for one in scratch.finished().hooks] == [HOOKS[name]] * 2


@pytest.mark.parametrize("name", ["tool_call", "BeforeToolCall", "", int, None])
def test_no_other_is(name: object) -> None:
    with pytest.raises(PluginInvalid):
        Scratch().hook(name, print, 0)  # type: ignore[arg-type]
