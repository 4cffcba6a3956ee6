"""Settings are changed at the person's word: checked first, and what was before is kept."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.core.errors import ConfigInvalid, MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language

TEXT = "{\n  // mine\n  ui: { theme: 'dark' },\n}\n"


@pytest.fixture
def file(tmp_path):
    return SettingsFile(tmp_path, {}, Language.ENGLISH)


def test_a_setting_is_written_where_it_belongs_for_its_owner_only(file):
    file.path.write_text(TEXT)
    file.set("ui.theme", "light")
    file.set("models.threads", "2")
    file.set("agents.list[0]", "{ id: 'main', name: 'M' }")
    assert "// mine" in file.path.read_text()
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert file.shown("ui.theme").value == "light"
    assert file.shown("models").value == {"threads": 2}
    assert file.shown("agents.list.0.name").value == "M"
    assert file.problems() == ()


@pytest.mark.parametrize(
    ("place", "text", "words"),
    [
        ("models.threads", "lots", "expected a whole number"),
        ("ui.them", "dark", "did you mean ui.theme?"),
        ("bindings[0]", "{ agentId: 'x' }", "bindings[0].match"),
        ("messages.responsePrefix", "${GONE}", "GONE is not set"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(file, place, text, words):
    file.path.write_text(TEXT)
    with pytest.raises(ConfigInvalid) as caught:
        file.set(place, text)
    assert words in caught.value.message
    assert file.path.read_text() == TEXT
    assert not file.path.with_name("moltbot.json.bak").exists()


def test_one_mistake_of_several_can_be_corrected(file):
    file.path.write_text("{ models: { threads: 'a', chat: 3 } }")
    file.set("models.threads", "2")
    (problem,) = file.problems()
    assert problem.path == "models.chat"


def test_a_key_in_clear_may_be_set_and_is_hidden_in_a_group(file):
    file.set("models.providers.lab", "{ baseUrl: 'https://x/v1', apiKey: 'k-1', models: [] }")
    assert file.shown("models.providers.lab").value["apiKey"] == "***"
    assert file.shown("models.providers.lab.apiKey").value == "k-1"
    assert any("apiKey" in one.path for one in file.problems())


def test_what_is_not_written_is_the_default(file):
    assert file.shown("agents.defaults.timeoutSeconds").value == 600
    assert not file.shown("agents.defaults.timeoutSeconds").written
    reset = file.shown("session.reset")  # a group is what holds in it
    assert reset.value == {"mode": "daily", "atHour": 4, "idleMinutes": None} and not reset.written
    with pytest.raises(UserInputInvalid):
        file.shown("agents.defaults.nothing")


def test_the_five_texts_before_are_kept(file):
    for number in range(8):
        file.set("models.threads", str(number + 1))
    kept = [".bak", ".bak.1", ".bak.2", ".bak.3", ".bak.4"]
    texts = [json.loads(file.path.with_name(f"moltbot.json{one}").read_text()) for one in kept]
    assert [text["models"]["threads"] for text in texts] == [7, 6, 5, 4, 3]
    assert all(file.path.with_name(f"moltbot.json{one}").stat().st_mode & 0o77 == 0 for one in kept)


def test_what_is_not_there_cannot_be_taken_away(file):
    file.path.write_text(TEXT)
    file.unset("ui.theme")
    with pytest.raises(UserInputInvalid):
        file.unset("ui.theme")
    with pytest.raises(UserInputInvalid):
        file.unset("..")
    assert "// mine" in file.path.read_text()


def test_older_names_are_written_anew_and_the_old_text_is_kept(file):
    old = (
        '{\n  // mine\n  ui: { theme: "dark" },\n'
        '  routing: { queue: { mode: "steer" } },\n'
        '  messages: { responsePrefix: "x" }, // seen\n}\n'
    )
    file.path.write_text(old)
    assert [one.new for one in file.migrate()] == ["messages.queue"]
    text = file.path.read_text()
    assert "// mine" in text
    assert "// seen" in text
    assert file.problems() == ()
    assert file.shown("messages.queue.mode").value == "steer"
    assert file.path.with_name("moltbot.json.bak").read_text() == old
    assert file.migrate() == ()


def test_what_stands_in_an_included_file_is_changed_there(file, tmp_path):
    (tmp_path / "more.json5").write_text(
        "{ agents: { list: [{ id: 'main' }] }, ui: { theme: 'dark' } }"
    )
    file.path.write_text("{ $include: 'more.json5' }")
    for change in (
        lambda: file.set("agents.list[0].name", "M"),
        lambda: file.unset("ui.theme"),
    ):
        with pytest.raises(UserInputInvalid):
            change()
    assert file.path.read_text() == "{ $include: 'more.json5' }"
    file.set("ui.theme", "light")  # what stands beside the include wins
    assert file.shown("ui.theme").value == "light"
    with pytest.raises(UserInputInvalid) as caught:
        file.unset("ui.theme")
    assert "includes" in caught.value.message


def test_what_this_version_does_not_use_is_told_when_asked(file):
    file.path.write_text("{ talk: { voice: 'x' } }")
    (problem,) = file.problems()
    assert problem.message == "Kept, and not used by this version: talk"
    assert not problem.serious
    file.set("talk.voice", "y")


def test_a_broken_file_is_never_written_over(file):
    file.path.write_text("{ ui: ")
    with pytest.raises(ConfigInvalid) as caught:
        file.set("ui.theme", "dark")
    assert "Correct it by hand" in caught.value.hint
    assert file.path.read_text() == "{ ui: "
    assert "line 1" in file.problems()[0].message


@settings(max_examples=40)
@given(
    st.text("ui.theme[0]'\"\\ a", max_size=10) | st.sampled_from(["ui.theme", "models", "x[0]"]),
    st.text("{}[]:,'\"/* a1\\\n", max_size=10),
)
def test_any_place_and_value_leave_a_file_that_can_be_read(tmp_path_factory, place, text):
    file = SettingsFile(tmp_path_factory.mktemp("home"), {}, Language.CHINESE)
    file.path.write_text(TEXT)
    try:
        file.set(place, text)
    except MoltbotError as error:
        assert error.message
        assert file.path.read_text() == TEXT
    assert not [one for one in file.problems() if one.serious]


def test_what_is_said_of_a_torn_file_ends_like_a_sentence(file):
    file.path.write_text("{ ui: {")
    for language in Language:
        with pytest.raises(ConfigInvalid) as told:
            SettingsFile(file.home, {}, language).shown("ui")
        assert told.value.message.endswith(("?", "？"))


def test_what_is_no_text_is_a_problem_and_no_crash_of_the_check(file):
    file.path.write_bytes(b'{"ui": "\xff"}')
    (problem,) = file.problems()
    assert "line 1, column 9: it is not UTF-8 text" in problem.message
    with pytest.raises(ConfigInvalid, match="not UTF-8"):
        file.set("ui.theme", "dark")


@pytest.mark.parametrize("part", ["models", "agents"])
def test_a_part_that_is_no_group_is_told_once(file, part):
    file.path.write_text(f"{{ {part}: 5 }}")
    assert [one.message for one in file.problems()] == [
        f"{part}: expected settings in {{ }}, got 5"
    ]


def test_a_key_that_stands_twice_is_told_and_does_not_stop_a_change(file):
    file.path.write_text("{ ui: { theme: 'dark' }, ui: { theme: 'dark' } }")
    assert [one.path for one in file.problems()] == ["ui"]
    file.set("models.threads", "2")
    assert [one.path for one in file.problems()] == ["ui"]


@pytest.mark.parametrize(
    ("place", "text", "words"),
    [
        ("env", "hello", 'env: expected variables in { }, such as { NAME: "value" }'),
        ("env.LAB", "3", "env.LAB: expected text in quotes"),
        ("env.vars", "[]", "env.vars: expected variables"),
        ("env.vars.LAB", "{}", "env.vars.LAB: expected text"),
        ("agents.list[0].name", "X", "agents.list[0].id is missing"),
    ],
)
def test_variables_are_a_group_of_texts_and_an_agent_has_an_id(file, place, text, words):
    with pytest.raises(ConfigInvalid, match="Nothing was written") as caught:
        file.set(place, text)
    assert words in caught.value.message
    file.set("env", "{ LAB: 'x', vars: { OTHER: 'y' }, shellEnv: { enabled: true } }")
    assert file.problems() == ()


def test_a_variable_that_sets_nothing_is_told_in_a_file_of_ones_own(file):
    file.path.write_text("{ env: { LAB: 3, OTHER: 'x' } }")
    (problem,) = file.problems()
    assert (problem.path, problem.serious) == ("env.LAB", True)
    file.set("ui.theme", "dark")
