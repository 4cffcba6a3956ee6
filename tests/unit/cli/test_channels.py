"""`channels status|test`: what the running assistant says of its accounts, in words."""

from __future__ import annotations

import io
import json

import pytest

from moltbot_desktop.cli.channels import run_channels
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue

ROWS: JsonObject = {
    "telegram": [
        {
            "accountId": "default",
            "enabled": True,
            "state": "online",
            "stateSince": 1_767_614_400_000,
            "lastInboundAt": 1_767_614_400_000,
            "waiting": 2,
            "notUsed": ["dms", "guilds.9.slug"],
            "probe": {"ok": True, "as": "@moltbot"},
        },
        {
            "accountId": "old",
            "enabled": True,
            "state": "failed",
            "lastError": "The token is wrong.",
            "probe": {"ok": False, "error": "The token is wrong."},
        },
    ],
    "pipe": [{"accountId": "build", "enabled": False, "state": "stopped"}],
}


def said(action: str, *names: str, language: Language = Language.ENGLISH) -> tuple[int, str]:
    asked: list[JsonObject] = []

    def ask(method: str, params: JsonObject) -> JsonValue:
        assert method == "channels.status"
        asked.append(params)
        return {"channelAccounts": ROWS}

    name, text = (*names, "", "")[:2]
    out = io.StringIO()
    code = run_channels(ask, Arguments("channels", action, name=name, text=text), language, out)
    assert asked == [{"probe": True} if action == "test" else {}]
    return code, out.getvalue()


def test_each_account_has_a_line() -> None:
    code, text = said("status")
    [telegram, old, pipe] = text.splitlines()
    assert code == 0
    assert telegram.startswith("telegram default: open since 2026-01-05")
    assert telegram.endswith("messages that wait: 2; not used yet: dms, guilds.9.slug")
    assert old.endswith("settings are changed; The token is wrong.")
    assert pipe == "pipe build: switched off in the settings"


def test_what_does_not_work_is_the_exit_code() -> None:
    assert said("test", "telegram", "default") == (0, "telegram default: works, as @moltbot.\n")
    code, text = said("test", "telegram")
    assert code == 1 and text.splitlines()[1] == "telegram old: The token is wrong."
    assert said("test", "pipe")[0] == 0


@pytest.mark.parametrize("language", Language)
def test_an_account_that_is_not_there_is_said(language: Language) -> None:
    with pytest.raises(UserInputInvalid):
        said("test", "telegram", "nobody", language=language)


def test_json_has_the_rows() -> None:
    out = io.StringIO()
    told: JsonValue = {"channelAccounts": ROWS}
    run_channels(lambda *_: told, Arguments("channels", "status", json=True), Language.ENGLISH, out)
    assert [row["accountId"] for row in json.loads(out.getvalue())] == ["default", "old", "build"]
