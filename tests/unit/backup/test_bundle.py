"""A support bundle says how the program does, and not a word of its owner's."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.backup.bundle import (
    HIDDEN,
    schema_words,
    scrubbed_log,
    settings_shape,
    vocabulary_of,
)
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.core.error_words import sentences
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.json import JsonObject
from tests.fakes.backup_homes import SECRET, desk_of, fill, talk, write

WORDS = vocabulary_of(sentences())
PRIVATE = ("Zwetschgenknödel", "Grubenhuber", "quokkafarm", "生日派对", "+43664123456")
TRACE = """2026-05-04 12:00:00,123 ERROR moltbot_desktop.gateway.mail: uncaught error
    Traceback (most recent call last):
      File "/home/grubenhuber/x/moltbot_desktop/gateway/mail.py", line 88, in receive
        raise ValueError("Zwetschgenknödel")
      File "/home/grubenhuber/quokkafarm/own.py", line 3, in quokkafarm
    ValueError: Zwetschgenknödel for Grubenhuber
2026-05-04 12:00:01,000 WARNING quokkafarm.plugin: Another program is using a database. 664123456
"""


def test_what_the_program_says_stays() -> None:
    shown = scrubbed_log(TRACE, WORDS)
    assert "2026-05-04 12:00:00,123 ERROR moltbot_desktop.gateway.mail:" in shown
    assert 'File "moltbot_desktop/gateway/mail.py", line 88, in receive' in shown
    assert "ValueError" in shown
    assert "Another program is using a database" in shown


def test_nothing_else_does() -> None:
    shown = scrubbed_log(TRACE, WORDS).lower()
    for one in (*PRIVATE, "664123456", "/home"):
        assert one.lower() not in shown


@given(st.text(alphabet=st.characters(min_codepoint=0x250), min_size=1, max_size=30))
def test_no_letter_of_another_script_gets_through(text: str) -> None:
    shown = scrubbed_log(f"2026-05-04 12:00:00,1 INFO a.b: {text}", WORDS)
    assert all(one.isascii() or one == HIDDEN for one in shown)


@given(st.text(max_size=300))
def test_any_log_can_be_shown(text: str) -> None:
    assert scrubbed_log(text, WORDS).count("\n") == len(text.splitlines())


def test_settings_have_a_shape_and_no_words() -> None:
    names, choices = schema_words(json_schema())
    raw: JsonObject = {
        "ui": {"theme": "dark"},
        "agents": {"list": [{"id": "Grubenhuber", "name": "quokkafarm"}]},
        "channels": {"telegram": {"allowFrom": [664123456], "quokkafarm": True}},
    }
    shape = settings_shape(raw, names, choices)
    assert shape["ui"] == {"theme": "dark"}
    text = json.dumps(shape)
    assert not any(one in text for one in ("Grubenhuber", "quokkafarm", "664123456"))
    assert "characters>" in text


def test_a_canary_in_every_place_is_in_no_bundle(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    home = desk.paths.home
    canary = " ".join((*PRIVATE, SECRET))
    talk(desk, canary)
    write(home / "workspace" / "MEMORY.md", canary)
    log = "".join(f"2026-05-04 12:00:00,1 WARNING moltbot_desktop.x: {canary}\n" for _ in range(3))
    for name in ("moltbot.log", "crash.txt", "fault.txt"):
        write(home / "logs" / name, log + TRACE + canary)
    settings = {
        "agents": {"list": [{"id": "main", "name": canary}]},
        "env": {"vars": {"A": canary}},
    }
    write(home / "moltbot.json", json.dumps({**settings, canary: {"x": canary}}))
    files = desk.bundle_contents()
    written = desk.bundle(tmp_path / "help.zip")
    assert [one.name for one in written] == [one.name for one in files]
    with zipfile.ZipFile(tmp_path / "help.zip") as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    for one in (*PRIVATE, SECRET, "Hello there", str(tmp_path)):
        assert one not in everything
    assert "moltbot_desktop/gateway/mail.py" in everything
    assert '"findings"' in json.dumps([one.name.partition(".")[0] for one in files])


def test_nothing_is_overwritten_by_a_bundle(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    write(tmp_path / "b.zip", "mine")
    with pytest.raises(UserInputInvalid):
        desk.bundle(tmp_path / "b.zip")
