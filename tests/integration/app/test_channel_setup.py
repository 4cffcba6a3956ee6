"""Channels are listed, logged in and out of: real manifests, a real file, keys in a ring."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from moltbot_desktop.app.channel_setup import ChannelSetup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.channel_setup import run_channel_setup
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.cli.secrets import Streams
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_setup import ChannelStanding
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from tests.fakes.key_ring import MemoryKeyRing

CANARY = "canary-5f1d"
MANIFEST: JsonObject = {
    "id": "pigeon",
    "name": "Pigeons",
    "configSchema": {"type": "object"},
    "channels": ["pigeon"],
    "channelConfigs": {
        "pigeon": {
            "label": "Pigeon post",
            "schema": {
                "type": "object",
                "required": ["token"],
                "properties": {
                    "token": {"type": "string", "description": "From the loft."},
                    "loft": {"type": "string"},
                    "colour": {"enum": ["grey", "white"]},
                    "speed": {"type": "integer"},
                    "proxy": {"type": "string"},
                },
            },
            "uiHints": {
                "token": {"label": "Ring number", "sensitive": True, "order": 1},
                "loft": {"label": "Loft", "order": 2},
                "proxy": {"advanced": True},
            },
        }
    },
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Shell:
    """A person before a shell; `ring` has the keys."""

    def __init__(self, folder: Path, checkout: Path, settings: JsonObject) -> None:
        self.home = folder / "home"
        plugin = self.home / "extensions" / "pigeon"
        plugin.mkdir(parents=True)
        (plugin / "moltbot.plugin.json").write_text(json.dumps(MANIFEST))
        (plugin / "plugin.py").write_text("raise RuntimeError('not to be run')\n")
        (self.home / "moltbot.json").write_text(json.dumps(settings))
        self.ring = MemoryKeyRing()
        store = SecretStore(self.home / SECRET_NAMES_FILE, lambda: self.ring)
        self.setup = ChannelSetup(Paths(self.home, folder, checkout), {}, Language.ENGLISH, store)
        self.asked: list[str] = []

    @property
    def settings(self) -> JsonObject:
        found: JsonObject = json.loads((self.home / "moltbot.json").read_text())
        return found

    def run(
        self,
        *line: str,
        input: io.StringIO | None = None,
        hidden: str = "",
        language: Language = Language.ENGLISH,
    ) -> tuple[int, str]:
        out = io.StringIO()

        def ask(question: str) -> str:
            self.asked.append(question)
            return hidden

        streams = Streams(input or io.StringIO(), out, ask)
        code = run_channel_setup(self.setup, parse(["channels", *line]), streams, language)
        return code, out.getvalue()


ON: JsonObject = {"plugins": {"entries": {"pigeon": {"enabled": True}}}}


@pytest.fixture
def shell(tmp_path: Path, checkout: Path) -> Shell:
    return Shell(tmp_path, checkout, ON)


@pytest.mark.parametrize("language", Language)
def test_every_channel_is_listed_with_what_to_do(shell: Shell, language: Language) -> None:
    code, text = shell.run("list", language=language)
    assert code == 0
    assert "pigeon" in text and "Pigeon post" in text and "channels login pigeon" in text
    rows = json.loads(shell.run("list", "--json")[1])
    [row] = [one for one in rows if one["channel"] == "pigeon"]
    assert row["state"] == "on" and row["accounts"] == []


def test_a_login_asks_what_is_needed_and_keeps_the_key_out_of_the_file(shell: Shell) -> None:
    code, text = shell.run(
        "login", "pigeon", input=Terminal("the high one\n"), hidden=f" {CANARY} "
    )
    assert code == 0 and "channels test pigeon" in text
    [question] = shell.asked
    assert question.startswith("Ring number: From the loft.")
    assert "Loft (empty: none): " in text
    section = shell.settings["channels"]["pigeon"]
    assert section == {"token": "keyring:channels.pigeon.token", "loft": "the high one"}
    assert list(shell.ring.kept.values()) == [CANARY]
    assert CANARY not in text + "".join(
        one.read_text() for one in shell.home.rglob("*") if one.is_file()
    )


def test_lines_of_a_pipe_are_the_answers(shell: Shell) -> None:
    assert shell.run("login", "pigeon", input=io.StringIO(f"{CANARY}\nlow\n"))[0] == 0
    assert shell.settings["channels"]["pigeon"]["loft"] == "low"
    assert shell.asked == []


def test_nothing_typed_keeps_what_is_there_and_needs_what_is_not(shell: Shell) -> None:
    with pytest.raises(UserInputInvalid, match="Ring number is needed"):
        shell.run("login", "pigeon", input=io.StringIO("\nlow\n"))
    assert shell.settings == ON and not shell.ring.kept
    shell.run("login", "pigeon", input=io.StringIO(f"{CANARY}\nlow\n"))
    shell.run("login", "pigeon", input=io.StringIO("\n\n"))
    assert shell.settings["channels"]["pigeon"]["loft"] == "low"


def test_a_key_may_be_a_variable_of_the_environment(shell: Shell) -> None:
    shell.run("login", "pigeon", input=io.StringIO("${PIGEON_TOKEN}\n\n"))
    assert shell.settings["channels"]["pigeon"] == {"token": "${PIGEON_TOKEN}"}
    assert not shell.ring.kept


def test_accounts_have_keys_of_their_own(shell: Shell) -> None:
    shell.run("login", "pigeon", "work", input=io.StringIO(f"{CANARY}\n\n"))
    shell.run("login", "pigeon", "home", input=io.StringIO("other\n\n"))
    accounts = shell.settings["channels"]["pigeon"]["accounts"]
    assert set(accounts) == {"work", "home"}
    assert sorted(shell.ring.kept.values()) == [CANARY, "other"]
    shell.run("logout", "pigeon", "work")
    left = shell.settings["channels"]["pigeon"]["accounts"]
    assert left["work"] == {"enabled": False} and left["home"] == accounts["home"]
    assert list(shell.ring.kept.values()) == ["other"]


def test_a_logout_forgets_the_key_and_a_login_switches_on_again(shell: Shell) -> None:
    shell.run("login", "pigeon", input=io.StringIO(f"{CANARY}\nlow\n"))
    code, text = shell.run("logout", "pigeon")
    assert code == 0 and "Ring number" in text
    assert shell.settings["channels"]["pigeon"] == {"loft": "low", "enabled": False}
    assert not shell.ring.kept
    shell.run("login", "pigeon", input=io.StringIO("new\n\n"))
    assert shell.settings["channels"]["pigeon"]["enabled"] is True
    shell.run("logout", "pigeon")
    assert "No keys" in shell.run("logout", "pigeon")[1]


def test_a_plugin_from_outside_is_not_switched_on_in_passing(
    tmp_path: Path, checkout: Path
) -> None:
    shell = Shell(tmp_path, checkout, {})
    [pigeon] = [one for one in shell.setup.known() if one.id == "pigeon"]
    assert pigeon.standing is ChannelStanding.OUTSIDE
    with pytest.raises(UserInputInvalid, match="from outside"):
        shell.run("login", "pigeon", input=io.StringIO(f"{CANARY}\n\n"))
    assert shell.settings == {} and not shell.ring.kept


def test_a_channel_that_nobody_brings_is_said(shell: Shell) -> None:
    for action in ("login", "logout"):
        with pytest.raises(UserInputInvalid, match="No plugin here brings"):
            shell.run(action, "owl")


def test_one_that_asks_for_nothing_is_there_once_it_is_switched_on(
    tmp_path: Path, checkout: Path
) -> None:
    """WebChat has a port that nobody needs to change."""
    by_login = Shell(tmp_path / "a", checkout, {})
    assert by_login.run("login", "webchat")[0] == 0
    by_switch = Shell(tmp_path / "b", checkout, {})
    by_switch.setup.switch_on("webchat")
    for one in (by_login, by_switch):
        assert one.settings["plugins"]["entries"]["webchat"] == {"enabled": True}
        assert one.settings["channels"] == {"webchat": {"enabled": True}}
    assert by_login.run("logout", "webchat")[0] == 0
    assert by_login.settings["channels"] == {"webchat": {"enabled": False}}
    assert by_login.run("login", "webchat")[0] == 0
    assert by_login.settings["channels"] == {"webchat": {"enabled": True}}


def test_one_that_asks_for_something_is_no_account_before_it_is_answered(
    tmp_path: Path, checkout: Path
) -> None:
    shell = Shell(tmp_path, checkout, {})
    shell.setup.switch_on("telegram")
    assert "channels" not in shell.settings
