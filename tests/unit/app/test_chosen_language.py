"""In which language the program speaks: the assistant's, else the windows', else the system's. A
window whose frame is Chinese has no English pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moltbot_desktop.app.main import chosen_language
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language

EN, ZH = Language.ENGLISH, Language.CHINESE


@pytest.mark.parametrize(
    ("system", "agent", "window", "chosen"),
    [
        (EN, "auto", "auto", EN),
        (ZH, "auto", "auto", ZH),
        (EN, "auto", "zh", ZH),
        (ZH, "auto", "en", EN),
        (EN, "zh", "auto", ZH),
        (EN, "zh", "en", ZH),
        (ZH, "en", "zh", EN),
    ],
)
def test_the_one_that_was_chosen(
    tmp_path: Path, system: Language, agent: str, window: str, chosen: Language
) -> None:
    settings = {"agents": {"defaults": {"language": agent}}, "ui": {"language": window}}
    (tmp_path / "moltbot.json").write_text(json.dumps(settings))
    assert chosen_language(load_config(tmp_path, language=system), system) is chosen
