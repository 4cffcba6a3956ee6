"""`config` shows, changes and checks the settings, for a person and for scripts."""

from __future__ import annotations

import io
import json

import pytest

from moltbot_desktop.cli.config import ConfigOutput, ConfigTools, run_config
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.load import json_schema
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language


@pytest.fixture
def config(tmp_path):
    def call(*words, language=Language.ENGLISH):
        arguments = parse(["config", *words])
        output = ConfigOutput(io.StringIO(), io.StringIO(), language, arguments.json)
        book = SettingsFile(tmp_path, {}, language)
        code = run_config(ConfigTools(book, json_schema, lambda: ()), arguments, output)
        return code, output.output.getvalue(), output.errors.getvalue()

    return call


def test_a_value_is_set_shown_and_taken_away(config):
    assert config("set", "ui.theme", "dark")[1].startswith('ui.theme is "dark" now.\n')
    assert config("get", "ui.theme") == (0, "dark\n", "")
    assert json.loads(config("get", "ui.theme", "--json")[1]) == {
        "path": "ui.theme",
        "value": "dark",
        "written": True,
    }
    assert config("unset", "ui.theme")[1].startswith("ui.theme is taken away")
    code, text, aside = config("get", "ui.theme")
    assert (code, text) == (0, "auto\n")
    assert "this is the default" in aside


def test_it_speaks_chinese(config):
    assert "现在是" in config("set", "ui.theme", "dark", language=Language.CHINESE)[1]
    with pytest.raises(MoltbotError, match="没有写入任何内容"):
        config("set", "ui.theme", "pink", language=Language.CHINESE)


def test_a_file_is_checked(config, tmp_path):
    assert "does not exist" in config("validate")[1]
    (tmp_path / "moltbot.json").write_text("{ ui: { theme: 'pink' }, routing: { queue: {} } }")
    code, text, _ = config("validate")
    assert code == 1
    assert "ui.theme: expected one of auto, light, dark" in text
    found = json.loads(config("validate", "--json")[1])
    assert not found["valid"]
    assert [one["serious"] for one in found["problems"]] == [True, False]
    (tmp_path / "moltbot.json").write_text("{ routing: { queue: { mode: 'steer' } } }")
    assert config("validate")[0] == 0
    assert "routing.queue is messages.queue now." in config("migrate")[1]
    assert "in order" in config("validate")[1]
    assert "Nothing to do" in config("migrate")[1]


def test_the_schema_and_the_place_of_the_file_are_told(config, tmp_path):
    assert json.loads(config("schema")[1])["properties"]["bindings"]["type"] == "array"
    assert config("file")[1] == f"{tmp_path / 'moltbot.json'}\n"
    assert json.loads(config("file", "--json")[1]) == str(tmp_path / "moltbot.json")
