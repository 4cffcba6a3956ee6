"""An engine of the memory is taken from a plugin whose manifest says so, and from no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.core.errors import PluginInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.opening import open_plugin
from tests.fakes.plugins import Ground, LendsLittle, make_plugin

CODE = """
from moltbot_desktop.sdk.plugins import PluginMemory
def register(api):
    api.register_memory(PluginMemory(print))
"""


def registered(tmp_path: Path, code: str, **manifest: object) -> int:
    ground = Ground(tmp_path / "extensions")
    make_plugin(ground.folder, "notes", code, **manifest)
    ground.on("notes")
    survey = ground.survey()
    found = survey.discovered.plugin("notes")
    assert found is not None
    lender = LendsLittle(tmp_path / "state")
    opened = open_plugin(found, survey.entry("notes"), lender, Language.ENGLISH)
    opened.close()
    return len(opened.registration.memories)


def test_one_of_the_kind_offers_one(tmp_path: Path) -> None:
    assert registered(tmp_path, CODE, kind="memory") == 1


def test_another_kind_or_a_second_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PluginInvalid, match='"kind": "memory"'):
        registered(tmp_path, CODE)
    twice = CODE + "    api.register_memory(PluginMemory(print))\n"
    with pytest.raises(PluginInvalid, match="twice"):
        registered(tmp_path, twice, kind="memory")
