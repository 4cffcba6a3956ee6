"""Which model file is taken, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.core.errors import ModelMissing
from moltbot_desktop.models.catalogue import (
    EMBEDDING_FILE,
    STARTER_FILE,
    find_chat_model,
    find_embedding_model,
    is_bundled,
)


@pytest.fixture
def resources(tmp_path: Path) -> Path:
    folder = tmp_path / "resources"
    (folder / "models").mkdir(parents=True)
    return folder


def test_the_bundled_files_are_found_and_need_no_probe(resources: Path) -> None:
    for find, name in ((find_chat_model, STARTER_FILE), (find_embedding_model, EMBEDDING_FILE)):
        (resources / "models" / name).touch()
        found = find(None, resources)
        assert found.name == name and is_bundled(found)


def test_a_configured_file_goes_first_and_is_not_trusted(resources: Path, tmp_path: Path) -> None:
    (resources / "models" / STARTER_FILE).touch()
    for name in ("own.gguf", STARTER_FILE):
        own = tmp_path / name
        own.touch()
        assert find_chat_model(str(own), resources) == own
        assert not is_bundled(own)


@pytest.mark.parametrize("find", [find_chat_model, find_embedding_model])
def test_a_missing_file_is_named_with_what_to_do(find, resources: Path) -> None:
    with pytest.raises(ModelMissing) as bundled:
        find(None, resources)
    with pytest.raises(ModelMissing) as configured:
        find("/nowhere/own.gguf", resources)
    assert bundled.value.hint and "/nowhere/own.gguf" in configured.value.message
