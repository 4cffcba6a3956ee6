"""Plugins are found without running any of them, and a broken one disturbs nobody."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.discovery import Discovered, Origin, PluginRoot, discover

BOMB = "raise SystemExit('a plugin was run by looking at it')\n"


def make(folder: Path, plugin: str, code: str | None = BOMB) -> Path:
    folder.mkdir(parents=True)
    manifest = {"id": plugin, "configSchema": {"type": "object"}}
    (folder / "moltbot.plugin.json").write_text(json.dumps(manifest))
    if code is not None:
        (folder / "plugin.py").write_text(code)
    return folder


def ids(found: Discovered) -> list[tuple[str, str, bool]]:
    return [(one.id, one.origin.value, one.overridden_by is not None) for one in found.plugins]


def test_the_order_of_the_roots_decides_and_the_workspace_comes_last(tmp_path: Path) -> None:
    roots = [
        PluginRoot(Origin.WORKSPACE, tmp_path / "workspace"),
        PluginRoot(Origin.BUNDLED, tmp_path / "bundled"),
        PluginRoot(Origin.OWN, tmp_path / "own"),
        PluginRoot(Origin.LOAD_PATH, tmp_path / "extra"),
    ]
    for root in roots:
        make(root.path / "sun", "sun")
    make(tmp_path / "bundled" / "moon", "moon")
    make(tmp_path / "workspace" / "moon", "moon")
    assert ids(discover(roots)) == [
        ("sun", "config", False),
        ("sun", "global", True),
        ("moon", "bundled", False),
        ("sun", "bundled", True),
        ("moon", "workspace", True),
        ("sun", "workspace", True),
    ]


def test_a_load_path_may_be_the_plugin_itself_and_a_missing_one_is_told(tmp_path: Path) -> None:
    make(tmp_path / "sun", "sun")
    gone = tmp_path / "gone"
    roots = [PluginRoot(Origin.LOAD_PATH, one) for one in (tmp_path / "sun", gone, tmp_path)]
    found = discover(roots)
    assert ids(found) == [("sun", "config", False)]  # one folder by two ways is one plugin
    assert found.missing == (gone,)


def test_broken_ones_are_listed_with_their_reason_and_disturb_nobody(tmp_path: Path) -> None:
    for number in range(1_000):
        folder = tmp_path / f"p{number:04}"
        if number % 10:
            make(folder, f"p{number:04}")
        else:
            folder.mkdir()
            broken = [b"", b"{", b'{"id": 1}', b"\xff", b"[" * 5_000][number // 10 % 5]
            (folder / "moltbot.plugin.json").write_bytes(broken)
    found = discover([PluginRoot(Origin.OWN, tmp_path)], Language.CHINESE)
    assert len(found.plugins) == 1_000
    assert sum(one.manifest is not None and not one.problem for one in found.plugins) == 900
    assert all(one.problem and one.mistakes for one in found.plugins if one.manifest is None)


def test_a_broken_one_takes_nobodys_place(tmp_path: Path) -> None:
    (tmp_path / "extra" / "sun").mkdir(parents=True)
    (tmp_path / "extra" / "sun" / "moltbot.plugin.json").write_text("{")
    make(tmp_path / "own" / "sun", "sun")
    found = discover(
        [PluginRoot(Origin.LOAD_PATH, tmp_path / "extra"), PluginRoot(Origin.OWN, tmp_path / "own")]
    )
    counts = found.plugin("sun")
    assert counts is not None and counts.origin is Origin.OWN
    assert found.plugin("rain") is None


def test_one_without_code_says_so(tmp_path: Path) -> None:
    make(tmp_path / "sun", "sun", code=None)
    (found,) = discover([PluginRoot(Origin.OWN, tmp_path)]).plugins
    assert "plugin.py" in found.problem and found.hint


def test_packages_that_pip_installed_are_found_without_importing_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "site" / "sunny_days", "sunny")
    (tmp_path / "site" / "sunny_days" / "__init__.py").write_text(BOMB)
    info = tmp_path / "site" / "sunny_days-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sunny-days\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[moltbot_desktop.plugins]\nsunny = sunny_days\nlost = no_such_package_anywhere\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    found = discover([])
    mine = [one for one in found.plugins if one.id in ("sunny", "lost")]
    assert [(one.id, bool(one.problem)) for one in mine] == [("sunny", False), ("lost", True)]
    assert "sunny_days" not in sys.modules
