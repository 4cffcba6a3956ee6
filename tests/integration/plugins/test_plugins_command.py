"""`moltbot-desktop plugins`, as a person types it; no plugin is run by any of it."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugins_command import run_plugins_command
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.cli.plugins import show_reloaded
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import NobodyListens, PluginInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.plugins.consent import PluginConsent
from moltbot_desktop.plugins.discovery import Origin, found_plugin
from tests.fakes.plugins import make_plugin

ROOT = Path(__file__).resolve().parents[3]
BOMB = "raise SystemExit('it was run')"


class Shell:
    def __init__(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.paths = Paths(tmp_path / "home", tmp_path, ROOT)
        self.home = tmp_path / "home"
        self.extensions = self.home / "extensions"
        self._capsys = capsys
        self.home.mkdir()

    def __call__(self, *words: str, language: Language = Language.ENGLISH) -> str:
        loaded = load_config(self.home, environment={"PATH": ""}, language=language)
        arguments = parse(["plugins", *words], language)
        self.code = run_plugins_command(self.paths, loaded, arguments, language)
        return self._capsys.readouterr().out

    def status(self, plugin: str) -> str:
        listed = json.loads(self("list", "--json"))
        return next(one["status"] for one in listed if one["id"] == plugin)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


def test_one_is_switched_on_and_off(shell: Shell) -> None:
    make_plugin(shell.extensions, "sun", BOMB, description="Says where the sun is")
    listed = shell("list")
    assert "sun (off): Says where the sun is" in listed
    assert "code of others" in listed
    assert "all the rights of the program" in shell("enable", "sun")
    assert shell.status("sun") == "on"
    assert "settings switch it on" in shell("info", "sun")
    shell("disable", "sun")
    assert shell.status("sun") == "off"
    assert "要你打开才会运行" in shell("info", "weather", language=Language.CHINESE)


def test_a_broken_one_is_listed_with_its_reason_and_not_switched_on(shell: Shell) -> None:
    make_plugin(shell.extensions, "sun", BOMB)
    (shell.extensions / "rain").mkdir()
    (shell.extensions / "rain" / "moltbot.plugin.json").write_text('{"id": "rain"}')
    assert "configSchema" in shell("list")
    with pytest.raises(PluginInvalid):
        shell("enable", "rain")
    with pytest.raises(UserInputInvalid):
        shell("info", "nobody")
    assert shell.status("sun") == "off"


def test_wrong_settings_and_paths_are_told(shell: Shell) -> None:
    schema = {"type": "object", "properties": {"days": {"type": "integer"}}}
    make_plugin(shell.extensions, "sun", BOMB, configSchema=schema)
    entry = {"enabled": True, "config": {"days": "many"}}
    plugins = {"entries": {"sun": entry}, "load": {"paths": ["/no/such/place"]}}
    (shell.home / "moltbot.json").write_text(json.dumps({"plugins": plugins}))
    listed = shell("list")
    assert "days: " in listed and "plugins.entries.sun.config" in listed
    assert "/no/such/place" in listed
    (sun,) = (one for one in json.loads(shell("list", "--json")) if one["id"] == "sun")
    assert (sun["status"], sun["mistakes"][0][0]) == ("broken", "days")


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_one_is_installed_off_and_removed(shell: Shell, tmp_path: Path, kind: str) -> None:
    source = make_plugin(tmp_path / "download", "sun", BOMB)
    if kind == "zip":
        with zipfile.ZipFile(tmp_path / "sun.zip", "w") as archive:
            for file in source.iterdir():
                archive.write(file, f"sun-1.0/{file.name}")
        source = tmp_path / "sun.zip"
    told = {"plugins": {"entries": {"sun": {"enabled": True}}}}  # a word about other code
    (shell.home / "moltbot.json").write_text(json.dumps(told))
    assert "is off" in shell("install", str(source))
    assert (shell.extensions / "sun" / "plugin.py").read_text() == BOMB
    assert shell.status("sun") == "off"
    with pytest.raises(PluginInvalid, match="already"):
        shell("install", str(source))
    shell("enable", "sun")
    shell("remove", "sun")
    assert not (shell.extensions / "sun").exists()
    with pytest.raises(UserInputInvalid):
        shell("info", "sun")
    with pytest.raises(UserInputInvalid):
        shell("remove", "weather")


def test_what_holds_no_plugin_or_leads_elsewhere_is_not_installed(
    shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    make_plugin(tmp_path / "no-code", "sun")
    (tmp_path / "no-code" / "sun" / "plugin.py").unlink()
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("moltbot.plugin.json", '{"id": "sun", "configSchema": {}}')
        archive.writestr("../plugin.py", BOMB)
    for source in ("empty", "no-code", "bad.zip", "nowhere"):
        with pytest.raises(PluginInvalid):
            shell("install", str(tmp_path / source))
    assert not shell.extensions.exists()


def test_every_manifest_below_a_folder_is_checked(shell: Shell, tmp_path: Path) -> None:
    properties = {"days": {"type": "integer"}, "any": True}
    make_plugin(tmp_path / "m", "sun", configSchema={"type": "object", "properties": properties})
    (tmp_path / "m" / "deep" / "rain").mkdir(parents=True)
    (tmp_path / "m" / "deep" / "rain" / "clawdbot.plugin.json").write_text("{")
    found = json.loads(shell("check", str(tmp_path / "m"), "--json"))
    assert [set(one) for one in found] == [{"path", "drawn", "raw", "errors"}] * 2
    rain, sun = found
    assert rain["errors"] and "days" in sun["drawn"] and not sun["errors"]
    assert shell.code == 1
    assert "1" in shell("check", str(tmp_path / "m"))


def test_the_manifests_of_the_program_have_no_mistakes(shell: Shell) -> None:
    shell("check", str(ROOT / "moltbot_desktop" / "extensions"))
    assert shell.code == 0


def test_a_new_one_passes_its_own_test_and_can_be_switched_on(shell: Shell) -> None:
    shell("new", "sun-dial")
    folder = shell.extensions / "sun-dial"
    assert shell.status("sun-dial") == "off"
    shell("enable", "sun-dial")
    assert shell.status("sun-dial") == "on"
    with pytest.raises(UserInputInvalid):
        shell("new", "sun-dial")
    with pytest.raises(UserInputInvalid):
        shell("new", "../up")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


# ------------------------------------------------------------------- what the word was given for


def by_hand(monkeypatch: pytest.MonkeyPatch, typed: str | None) -> None:
    stdin = io.StringIO(typed or "")
    stdin.isatty = lambda: typed is not None  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stdin", stdin)


def test_one_that_changed_is_off_until_its_owner_has_seen_what(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_plugin(shell.extensions, "sun", BOMB)
    shell("enable", "sun")
    (folder / "plugin.py").write_text(BOMB + "\nbad = True\n")
    assert shell.status("sun") == "off"
    assert "have changed since you switched it on" in shell("info", "sun")
    assert "plugins trust sun" in shell("info", "sun")
    assert "改动" in shell("info", "sun", language=Language.CHINESE)
    by_hand(monkeypatch, None)
    with pytest.raises(UserInputInvalid):  # no program says it
        shell("trust", "sun")
    by_hand(monkeypatch, "n\n")
    assert "+bad = True" in shell("trust", "sun")
    assert (shell.code, shell.status("sun")) == (1, "off")
    by_hand(monkeypatch, "y\n")
    shell("trust", "sun")
    assert (shell.code, shell.status("sun")) == (0, "on")
    assert "is as you switched it on" in shell("trust", "sun")


def test_what_python_caches_is_no_change_and_a_new_file_is(shell: Shell) -> None:
    folder = make_plugin(shell.extensions, "sun", BOMB)
    shell("enable", "sun")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "rain.cpython-311.pyc").write_bytes(b"cached")
    assert shell.status("sun") == "on"
    (folder / "rain.py").write_text("wet = True")
    assert shell.status("sun") == "off"


def test_switching_off_and_on_by_hand_is_a_new_word(shell: Shell) -> None:
    folder = make_plugin(shell.extensions, "sun", BOMB)
    shell("enable", "sun")
    (folder / "plugin.py").write_text(BOMB + "\n")
    shell("disable", "sun")
    shell("enable", "sun")
    assert shell.status("sun") == "on"


def test_the_yes_for_one_is_no_yes_for_another_of_its_name(shell: Shell) -> None:
    """The settings name an id; whoever can write a folder can write that id into it."""
    shell("enable", "weather")
    make_plugin(shell.extensions, "weather", BOMB)
    assert shell.status("weather") == "off"
    assert "another one than the weather you switched on" in shell("info", "weather")
    assert "确实要用它" in shell("info", "weather", language=Language.CHINESE)
    make_plugin(shell.extensions, "sun", BOMB)
    shell("enable", "sun")
    workspace = shell.home / "workspace" / ".moltbot" / "extensions"
    make_plugin(workspace, "sun", BOMB)
    assert str(workspace) not in shell("info", "sun")  # the one that is meant goes first
    shutil.rmtree(shell.extensions / "sun")
    shown = shell("info", "sun")
    assert str(workspace) in shown and "another one than the sun" in shown
    shell("enable", "sun")
    assert shell.status("sun") == "on"


def test_one_that_moved_is_asked_about(shell: Shell) -> None:
    make_plugin(shell.extensions, "sun", BOMB)
    shell("enable", "sun")
    (shell.extensions / "sun").rename(shell.extensions / "elsewhere")
    assert shell.status("sun") == "off"
    shell("enable", "sun")
    assert shell.status("sun") == "on"


def test_what_comes_with_the_program_is_not_asked_about(tmp_path: Path) -> None:
    consent = PluginConsent(tmp_path / "trust", Language.ENGLISH)
    folder = make_plugin(tmp_path, "sun", BOMB)
    for origin in Origin:
        found = found_plugin(folder, origin, Language.ENGLISH)
        (folder / "plugin.py").write_text(BOMB)
        consent.first_word(found)
        (folder / "plugin.py").write_text(BOMB + "\n")
        asked = origin not in (Origin.BUNDLED, Origin.INSTALLED)
        assert (consent.objection(found, alone=True) is not None) == asked
        consent.first_word(found)
        assert (consent.objection(found, alone=True) is not None) == asked, (
            "the first word is the first only"
        )
        consent.take_back(found)
        assert consent.objection(found, alone=True) is None


def test_a_folder_that_cannot_be_looked_through_keeps_a_plugin_off(tmp_path: Path) -> None:
    consent = PluginConsent(tmp_path / "trust", Language.ENGLISH)
    folder = make_plugin(tmp_path, "sun", BOMB)
    (folder / "elsewhere").symlink_to(tmp_path)
    found = found_plugin(folder, Origin.OWN, Language.ENGLISH)
    objection = consent.objection(found, alone=True)
    assert objection is not None and "elsewhere" in objection.reason
    with pytest.raises(PluginInvalid):
        consent.say_yes(found)


# ------------------------------------------------------------------- reload


def test_reload_says_clearly_that_nobody_runs(shell: Shell) -> None:
    with pytest.raises(NobodyListens) as caught:
        shell("reload")
    assert caught.value.hint


def test_what_the_running_one_answers_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    told: JsonValue = {
        "plugins": [
            {"id": "sun", "status": "on", "reason": "", "hint": ""},
            {"id": "rain", "status": "broken", "reason": "no umbrella", "hint": "Buy one."},
        ]
    }
    assert show_reloaded(told, False, Language.ENGLISH, sys.stdout) == 1
    assert capsys.readouterr().out == (
        "“sun” is renewed.\n“rain” cannot be used: no umbrella\nto do: Buy one.\n"
    )
    assert show_reloaded({"plugins": []}, False, Language.CHINESE, sys.stdout) == 0
    assert "没有开着的插件" in capsys.readouterr().out
    assert show_reloaded(told, True, Language.ENGLISH, sys.stdout) == 1
    assert json.loads(capsys.readouterr().out) == told


class Terminal(io.StringIO):
    """A person at a terminal, who answers what stands here."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("language", Language)
def test_at_a_terminal_a_changed_plugin_is_shown_and_asked_for_at_once(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    language: Language,
) -> None:  # fmt: skip
    make_plugin(shell.extensions, "sun", "good = True")
    shell("enable", "sun")
    (shell.extensions / "sun" / "plugin.py").write_text("good = False\n")
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    said = shell("reload", "sun", language=language)
    assert "+good = False" in said and shell.code == 1
    assert shell.status("sun") == "off", "a no brings nothing in"
    monkeypatch.setattr("sys.stdin", Terminal("是\n"))
    with pytest.raises(NobodyListens):  # asked for only after the yes
        shell("reload", "sun", language=language)
    assert "+good = False" in capsys.readouterr().out
    assert shell.status("sun") == "on"
    monkeypatch.setattr("sys.stdin", Terminal(""))
    with pytest.raises(NobodyListens):
        shell("reload", "sun", language=language)
    assert capsys.readouterr().out == "", "unchanged: no question"


def test_a_script_is_not_asked_about_a_changed_plugin(shell: Shell) -> None:
    make_plugin(shell.extensions, "sun", "good = True")
    shell("enable", "sun")
    (shell.extensions / "sun" / "plugin.py").write_text("good = False\n")
    with pytest.raises(NobodyListens):  # the running program would refuse it
        shell("reload", "sun")
    assert shell.status("sun") == "off"
    with pytest.raises(UserInputInvalid):
        shell("trust", "sun")
