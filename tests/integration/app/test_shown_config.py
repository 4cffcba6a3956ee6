"""What `config.get` tells of the file as it stands now."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.app.local_socket import shown_config
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.core.i18n import Language


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    return SettingsFile(tmp_path, {}, Language.ENGLISH)


def test_without_a_file_nothing_is_written_and_nothing_wrong(file: SettingsFile) -> None:
    shown = shown_config(file)
    assert (shown.exists, shown.written, list(shown.problems)) == (False, {}, [])


def test_what_is_written_is_told_without_secrets_and_with_what_is_wrong(file: SettingsFile) -> None:
    file.path.write_text("{ ui: { theme: 'pink' }, channels: { x: { botToken: 'abc' } } }")
    shown = shown_config(file)
    assert shown.written == {"ui": {"theme": "pink"}, "channels": {"x": {"botToken": "***"}}}
    assert [one.path for one in shown.problems if one.serious] == ["ui.theme"]


@pytest.mark.parametrize("data", [b"{ ui: ", b'{"a": "\xff"}', b"[1]"])
def test_a_file_that_cannot_be_read_is_no_error_of_the_method(
    file: SettingsFile, data: bytes
) -> None:
    file.path.write_bytes(data)
    shown = shown_config(file)
    assert (shown.exists, shown.written) == (True, {})
    assert [one.serious for one in shown.problems] == [True]
