"""What /debug sets holds until the program ends, over whatever the file says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.config.live import LiveConfig
from moltbot_desktop.config.load import Config, LoadedConfig, UiConfig
from moltbot_desktop.core.errors import ConfigInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language


def live(config=None):
    loaded = LoadedConfig(config or Config(), environment={"PREFIX": "p"})
    return LiveConfig(Path("/home/you"), loaded, Language.ENGLISH)


def test_what_is_set_holds_and_the_rest_stays_also_what_fell_back():
    config = live(Config(ui=UiConfig(theme="dark")))  # not in raw: the file has a mistake there
    assert config.set("messages.queue.mode", "steer") == '"steer"'
    assert config.set("messages.responsePrefix", "${PREFIX}!") == '"${PREFIX}!"'
    assert config.config.messages.queue.mode == "steer"
    assert config.config.messages.response_prefix == "p!"
    assert config.config.ui.theme == "dark"
    assert config.loaded.config.messages.queue.mode == "collect"
    assert config.get("messages.queue") == '{"mode": "steer"}'
    assert config.get("ui") == ""


def test_what_does_not_fit_changes_nothing():
    config = live()
    for path, text in (("messages.queue.cap", "lots"), ("messages.quee", "1")):
        with pytest.raises(ConfigInvalid):
            config.set(path, text)
    with pytest.raises(UserInputInvalid):
        config.set("..", "1")
    assert config.config == Config()
    assert config.get("") == ""


def test_what_is_taken_back_is_as_in_the_file_again():
    config = live()
    config.set("messages.queue.cap", "3")
    config.set("messages.queue.mode", "steer")
    config.set("commands.bash", "true")
    assert config.unset("messages.queue")
    assert not config.unset("messages.queue")
    assert config.config.messages.queue == Config().messages.queue
    assert config.config.commands.bash
    config.reset()
    assert config.config == Config()


def test_a_newer_file_stays_under_what_was_set():
    config = live()
    config.set("messages.queue.cap", "3")
    newer = replace(config.loaded, config=Config(ui=UiConfig(theme="light")))
    config.take(newer)
    assert config.config.messages.queue.cap == 3
    assert config.config.ui.theme == "light"
