"""Loading from a real folder: the start never fails, a mistake costs one section."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.load import Config, ModelsConfig, UiConfig, load_config
from moltbot_desktop.core.i18n import Language

GOOD = """
{
  // my settings
  models: { context_tokens: 4096, threads: 2 },
  ui: { theme: "dark" },
  hobby: "sailing",
}
"""


def write(home, text):
    data = text if isinstance(text, bytes) else text.encode()
    (home / "moltbot.json").write_bytes(data)


def test_without_a_file_there_are_defaults_and_nothing_is_written(tmp_path):
    loaded = load_config(tmp_path / "not there", environment={})
    assert loaded.config == Config()
    assert loaded.warnings == ()
    assert list(tmp_path.iterdir()) == []


def test_a_good_file_is_read_kept_and_left_as_it_is(tmp_path):
    write(tmp_path, GOOD)
    loaded = load_config(tmp_path, environment={})
    assert loaded.config.models == ModelsConfig(context_tokens=4096, threads=2)
    assert loaded.config.raw["hobby"] == "sailing"
    assert (tmp_path / "moltbot.json").read_text() == GOOD
    (warning,) = loaded.warnings
    assert warning.message == "hobby: there is no such setting"
    assert not warning.serious
    assert (tmp_path / "config.lastgood.json").stat().st_mode & 0o777 == 0o600


def test_a_broken_section_falls_back_to_its_last_good_state_alone(tmp_path):
    write(tmp_path, GOOD)
    load_config(tmp_path, environment={})
    write(tmp_path, GOOD.replace("4096", '"lots"').replace("dark", "light"))
    loaded = load_config(tmp_path, environment={})
    assert loaded.config.models == ModelsConfig(context_tokens=4096, threads=2)
    assert loaded.config.ui == UiConfig(theme="light")
    problem = loaded.warnings[0]
    assert problem.message == "models.context_tokens: expected a whole number, got 'lots'"
    assert problem.path == "models.context_tokens"
    assert str(tmp_path / "moltbot.json") in problem.hint
    assert problem.serious
    # ... for as long as it takes, while good sections go on being kept.
    write(tmp_path, "{ models: 5, ui: { theme: 'pink' } }")
    again = load_config(tmp_path, environment={})
    assert again.config.models.context_tokens == 4096
    assert again.config.ui.theme == "light"
    assert [one.path for one in again.warnings] == ["models", "ui.theme"]


def test_a_broken_section_without_a_good_one_gets_the_defaults(tmp_path):
    write(tmp_path, "{ models: { threads: 0 } }")
    loaded = load_config(tmp_path, environment={})
    assert loaded.config.models == ModelsConfig()
    assert "from 1 to 256, got 0" in loaded.warnings[0].message


def test_an_unparsable_file_falls_back_as_a_whole_and_says_where(tmp_path):
    write(tmp_path, GOOD)
    before = load_config(tmp_path, environment={}).config
    broken = GOOD.replace("threads: 2", "threads 2")
    write(tmp_path, broken)
    loaded = load_config(tmp_path, environment={})
    assert loaded.config.models == before.models
    assert loaded.config.ui == before.ui
    (problem,) = loaded.warnings
    assert "line 4, column 43: unexpected '2'" in problem.message
    assert "Correct line 4" in problem.hint
    assert problem.serious
    assert (tmp_path / "moltbot.json").read_text() == broken


def test_problems_are_told_in_chinese_too(tmp_path):
    write(tmp_path, "{ models: { threads: [] }, modles: 1 }")
    loaded = load_config(tmp_path, environment={}, language=Language.CHINESE)
    assert [one.message for one in loaded.warnings] == [
        "models.threads：应为整数，现在是 一个列表",
        "modles：没有这个设置；是不是 models？",
    ]


def test_one_wrong_group_is_told_once(tmp_path):
    write(tmp_path, "{ agents: 3 }")
    (problem,) = load_config(tmp_path, environment={}).warnings
    assert problem.message == "agents: expected settings in { }, got 3"


def test_secrets_from_the_environment_are_not_kept_anywhere(tmp_path):
    write(tmp_path, "{ models: { chat: '${MODEL_SECRET}' } }")
    loaded = load_config(tmp_path, environment={"MODEL_SECRET": "s3cr3t"})
    assert loaded.config.models.chat == "s3cr3t"
    assert loaded.config.raw == {"models": {"chat": "${MODEL_SECRET}"}}
    assert b"s3cr3t" not in (tmp_path / "config.lastgood.json").read_bytes()
    missing = load_config(tmp_path, environment={})
    assert missing.config.models == ModelsConfig()
    assert missing.warnings[0].message == (
        "models.chat: the environment variable MODEL_SECRET is not set"
    )


def test_keys_of_the_reference_are_kept_in_silence(tmp_path):
    write(tmp_path, "{ channels: { telegram: {} }, talk: {}, agents: { list: [] } }")
    loaded = load_config(tmp_path, environment={})
    assert loaded.warnings == ()
    assert loaded.unused == ("talk",)


@pytest.mark.parametrize("make", [lambda p: p.mkdir(), lambda p: p.write_bytes(b"\xff\xfe{}")])
def test_an_unreadable_file_is_a_problem_not_a_crash(tmp_path, make):
    make(tmp_path / "moltbot.json")
    loaded = load_config(tmp_path, environment={})
    assert loaded.config == Config()
    assert loaded.warnings[0].serious
    assert str(tmp_path / "moltbot.json") in loaded.warnings[0].message


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_home_still_has_its_settings(tmp_path):
    write(tmp_path, GOOD)
    tmp_path.chmod(0o500)
    try:
        loaded = load_config(tmp_path, environment={})
    finally:
        tmp_path.chmod(0o700)
    assert loaded.config.models.threads == 2


def test_a_spare_that_cannot_be_kept_is_told_and_harmless(tmp_path):
    write(tmp_path, GOOD)
    (tmp_path / "config.lastgood.json").mkdir()
    loaded = load_config(tmp_path, environment={})
    assert loaded.config.models.threads == 2
    assert "could not be kept" in loaded.warnings[-1].message


def test_an_unchanged_file_writes_nothing_again(tmp_path):
    write(tmp_path, GOOD)
    load_config(tmp_path, environment={})
    spare = tmp_path / "config.lastgood.json"
    before = spare.stat()
    load_config(tmp_path, environment={})
    after = spare.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


NAMES = ["agents", "models", "defaults", "threads", "workspace", "theme", "ui", "x", "sections"]
TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.dictionaries(st.sampled_from(NAMES), inner, max_size=4) | st.lists(inner),
    max_leaves=10,
)
FILES = st.binary(max_size=80) | TREES.map(lambda tree: json.dumps(tree).encode())


@settings(max_examples=200, deadline=None)
@given(config=FILES, spare=FILES)
def test_any_two_files_still_give_a_configuration(config, spare, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    write(home, config)
    (home / "config.lastgood.json").write_bytes(spare)
    loaded = load_config(home, environment={})
    assert isinstance(loaded.config, Config)
    assert all(one.message and one.hint for one in loaded.warnings)
    assert (home / "moltbot.json").read_bytes() == config


def test_an_included_file_is_read_and_one_that_is_broken_costs_its_place(tmp_path):
    (tmp_path / "ui.json5").write_text('{ theme: "dark", language: "zh" }')
    write(tmp_path, '{ ui: { $include: "ui.json5" }, models: { threads: 2 } }')
    loaded = load_config(tmp_path, environment={})
    assert loaded.config.ui == UiConfig(theme="dark", language="zh")
    assert loaded.files == (tmp_path / "moltbot.json", tmp_path / "ui.json5")
    assert loaded.warnings == ()
    (tmp_path / "ui.json5").write_text("{ theme: ")
    write(tmp_path, '{ ui: { $include: "ui.json5", theme: "light" }, models: { threads: 3 } }')
    again = load_config(tmp_path, environment={})
    assert again.config.ui == UiConfig(theme="light", language="zh")
    assert again.config.models == ModelsConfig(threads=3)
    (problem,) = again.warnings
    assert problem.path == "ui"
    assert "ui.json5" in problem.message
    chinese = load_config(tmp_path, environment={}, language=Language.CHINESE)
    assert "请改正" in chinese.warnings[0].hint


def test_older_names_work_at_once_and_are_offered_a_new_spelling(tmp_path):
    write(tmp_path, '{ agent: { timeoutSeconds: 5 }, routing: { queue: { mode: "steer" } } }')
    loaded = load_config(tmp_path, environment={})
    assert loaded.config.agent.timeout_seconds == 5
    assert loaded.config.messages.queue.mode == "steer"
    (problem,) = loaded.warnings
    assert not problem.serious
    assert "routing.queue → messages.queue" in problem.message
    assert "config migrate" in problem.hint


def test_variables_of_the_env_block_are_filled_in_unless_the_process_has_them(tmp_path):
    write(
        tmp_path,
        '{ env: { A: "file", B: "file", vars: { C: "vars" } },'
        ' messages: { responsePrefix: "${A} ${B} ${C}" } }',
    )
    loaded = load_config(tmp_path, environment={"A": "process", "B": " "})
    assert loaded.config.messages.response_prefix == "process file vars"
    assert loaded.environment["C"] == "vars"
    assert loaded.warnings == ()


def test_agents_that_would_overwrite_each_other_and_unknown_ones_are_told(tmp_path):
    write(
        tmp_path,
        '{ agents: { list: [{ id: "a", workspace: "/w" }, { id: "b", workspace: "/w" }] } }',
    )
    (problem,) = load_config(tmp_path, environment={}).warnings
    assert problem.path == "agents.list[1].workspace"
    assert "than the agent a has" in problem.message
    write(
        tmp_path,
        '{ agents: { list: [{ id: "a" }] }, broadcast: { "1@g": ["a", "ghost"] } }',
    )
    loaded = load_config(tmp_path, environment={})
    assert [one.path for one in loaded.warnings] == ["broadcast.1@g[1]"]
    assert loaded.config.default_agent == "a"


def test_a_key_that_stands_twice_is_told(tmp_path):
    write(tmp_path, "{\n ui: { theme: 'dark' },\n ui: { language: 'zh' },\n}")
    loaded = load_config(tmp_path, environment={})
    assert (loaded.config.ui.theme, loaded.config.ui.language) == ("auto", "zh")
    (problem,) = loaded.warnings
    assert problem.serious
    assert problem.message == "ui stands more than once in its group; only the last one counts"
    assert "lines 2, 3" in problem.hint
