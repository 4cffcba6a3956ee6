"""Settings of a plugin's channel are filled in and checked by its manifest."""

from __future__ import annotations

import pytest

from moltbot_desktop.app.channel_kinds import ChannelKind
from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.manifest import ChannelConfig
from moltbot_desktop.sdk.plugins import PluginChannel

SCHEMA = {
    "type": "object",
    "properties": {
        "token": {"type": "string", "pattern": "^t-"},
        "loft": {"type": "string", "default": "roof"},
    },
}


def kind(**environment: str) -> ChannelKind:
    channel = PluginChannel("pigeon", lambda account: pytest.fail("opened"))
    return ChannelKind(channel, ChannelConfig(SCHEMA), lambda: environment)


def test_variables_and_defaults_are_filled_in_before_the_check() -> None:
    settings = kind(PIGEON="t-1").settings({"token": "${PIGEON}"}, Language.ENGLISH)
    assert settings == {"token": "t-1", "loft": "roof"}


@pytest.mark.parametrize(
    ("token", "said"), [("${PIGEON}", "PIGEON"), ("x", "token")], ids=["not set", "no token"]
)
def test_what_cannot_be_used_says_where(token: str, said: str) -> None:
    with pytest.raises(ChannelRefused, match=said) as refused:
        kind().settings({"token": token}, Language.ENGLISH)
    assert refused.value.hint
