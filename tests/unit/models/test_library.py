"""The models a person has: what is found, chosen, added and removed. Real small GGUF files."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import (
    DiskFull,
    ModelFileInvalid,
    ModelMissing,
    StoreBusy,
    UserInputInvalid,
)
from moltbot_desktop.models.catalogue import CHAT, EMBEDDING, find_chat_model, parse_catalogue
from moltbot_desktop.models.library import ModelLibrary
from moltbot_desktop.models.partial import PartialFile, RemoteFile
from tests.data.make_gguf import write_chat_model, write_embedding_model
from tests.unit.models.test_catalogue import valid

TINY = valid()["models"][0]
BIG = {**TINY, "name": "big", "file": "Owner_Big-Q4.gguf"}
CATALOGUE = parse_catalogue(json.dumps({"version": 1, "models": [TINY, BIG]}).encode())


def silent(count: int) -> None:
    """Nobody watches the copy."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_chat_model(folder / "chat.gguf")
    write_embedding_model(folder / "search.gguf")
    return folder


@pytest.fixture
def library(tmp_path: Path, files: Path) -> ModelLibrary:
    bundled = tmp_path / "resources" / "models"
    bundled.mkdir(parents=True)
    shutil.copy(files / "chat.gguf", bundled / "starter-q8_0.gguf")
    return ModelLibrary(
        tmp_path / "files", tmp_path / "state" / "l.json", lambda: CATALOGUE, tmp_path / "resources"
    )


def names(library: ModelLibrary) -> list[str]:
    return [model.name for model in library.installed()]


def test_a_file_copied_by_hand_is_a_model_and_has_its_catalogue_name(
    library: ModelLibrary, files: Path
) -> None:
    library.folder.mkdir()
    shutil.copy(files / "chat.gguf", library.folder / "tiny.gguf")
    shutil.copy(files / "search.gguf", library.folder / "Other Name.GGUF")
    found = {model.name: model for model in library.installed()}
    assert list(found) == ["Other Name", "tiny", "starter"]
    assert found["tiny"].entry is CATALOGUE[0] and found["tiny"].kind == CHAT
    assert found["Other Name"].kind == EMBEDDING
    for name in ("tiny", "TINY", "tiny.gguf", "other name"):
        assert library.path_of(name) is not None
    assert library.path_of("nothing") is None


def test_a_broken_file_is_listed_with_its_reason(library: ModelLibrary) -> None:
    library.folder.mkdir()
    (library.folder / "bad.gguf").write_bytes(b"<html>")
    bad = library.installed()[0]
    assert "web page" in bad.problem and bad.header is None
    with pytest.raises(ModelFileInvalid):
        library.choose("bad")
    assert library.chosen(CHAT) is None


def test_a_choice_lasts_and_each_kind_has_its_own(library: ModelLibrary, files: Path) -> None:
    library.add_copy(files / "chat.gguf", silent)
    library.add_copy(files / "search.gguf", silent)
    library.choose("chat")
    library.choose("SEARCH.gguf")
    again = ModelLibrary(library.folder, library._state_file, lambda: CATALOGUE, files)
    assert (again.chosen(CHAT), again.chosen(EMBEDDING)) == ("chat.gguf", "search.gguf")


def test_a_file_elsewhere_can_be_chosen(library: ModelLibrary, files: Path) -> None:
    library.choose(str(files / "chat.gguf"))
    assert library.chosen(CHAT) == str(files / "chat.gguf")


def test_choosing_the_bundled_model_is_no_choice(library: ModelLibrary, files: Path) -> None:
    library.choose(str(files / "chat.gguf"))
    assert library.choose("starter").name == "starter"
    assert library.chosen(CHAT) is None


def test_choosing_what_is_not_here_says_how_to_get_it(library: ModelLibrary) -> None:
    with pytest.raises(ModelMissing, match="“tiny”") as missing:
        library.choose("tiny")
    assert "models pull tiny" in missing.value.hint
    with pytest.raises(ModelMissing) as unknown:
        library.choose("unheard-of")
    assert "models list" in unknown.value.hint


def test_a_copy_is_whole_or_not_there(library: ModelLibrary, files: Path) -> None:
    def interrupted(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.add_copy(files / "chat.gguf", interrupted)
    assert names(library) == ["starter"]
    left = [path.name for path in library.folder.rglob("*") if path.is_file()]
    assert left == ["import.lock"]
    model = library.add_copy(files / "chat.gguf", silent)
    assert model.path.read_bytes() == (files / "chat.gguf").read_bytes()


def test_the_same_name_twice_and_a_full_disk_are_refused(
    library: ModelLibrary, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add_copy(files / "chat.gguf", silent)
    for add in (lambda: library.add_copy(files / "chat.gguf", silent),
                lambda: library.add_link(files / "chat.gguf")):  # fmt: skip
        with pytest.raises(UserInputInvalid, match="already"):
            add()
    usage = shutil.disk_usage(files)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(DiskFull):
        library.add_copy(files / "search.gguf", silent)


def test_what_is_no_model_is_not_added(library: ModelLibrary, tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"PK..")
    for add in (library.add_link, lambda path: library.add_copy(path, silent)):
        with pytest.raises(ModelFileInvalid):
            add(tmp_path / "x.gguf")
        with pytest.raises(ModelMissing):
            add(tmp_path / "nowhere.gguf")


def test_removing_a_link_leaves_its_file(library: ModelLibrary, files: Path) -> None:
    library.add_link(files / "chat.gguf")
    library.choose("chat")
    assert library.removable("chat") == files / "chat.gguf"
    library.remove("chat")
    assert (files / "chat.gguf").is_file()
    assert names(library) == ["starter"] and library.chosen(CHAT) is None


def test_removing_a_file_removes_it_and_its_choice(library: ModelLibrary, files: Path) -> None:
    library.add_copy(files / "chat.gguf", silent)
    library.choose("chat")
    library.remove("chat")
    assert names(library) == ["starter"] and library.chosen(CHAT) is None


def test_removing_what_was_not_finished_removes_the_part(library: ModelLibrary) -> None:
    partial = PartialFile(library.folder / "tiny.gguf")
    partial.prepare()
    partial.restart(RemoteFile("e", 10, "0" * 64))
    library.remove("tiny")
    assert not partial.part.exists()


def test_what_is_being_fetched_is_not_removed(library: ModelLibrary) -> None:
    partial = PartialFile(library.folder / "Owner_Big-Q4.gguf")
    partial.prepare()
    partial.restart(RemoteFile("e", 10, "0" * 64))
    with partial.lock, pytest.raises(StoreBusy, match="being fetched") as busy:
        library.remove("big")
    assert partial.part.exists() and "Stop that first" in busy.value.hint
    library.remove("big")
    assert not partial.part.exists()


# --- files of one's own that are called like other models


@pytest.fixture
def both(library: ModelLibrary, files: Path) -> ModelLibrary:
    """The catalogue's "big" was fetched; a file of the person's own is called so, too."""
    library.folder.mkdir()
    for name in ("Owner_Big-Q4.gguf", "big.gguf"):
        shutil.copy(files / "chat.gguf", library.folder / name)
    return library


def test_a_file_called_like_a_model_of_the_catalogue_is_another_one(both: ModelLibrary) -> None:
    found = {model.name: model for model in both.installed()}
    assert list(found) == ["big", "big.gguf", "starter"]
    assert found["big"].path.name == "Owner_Big-Q4.gguf" and found["big"].entry is CATALOGUE[1]
    assert found["big.gguf"].path.name == "big.gguf" and found["big.gguf"].entry is None
    for name, file in [
        ("big", "Owner_Big-Q4.gguf"),
        ("BIG", "Owner_Big-Q4.gguf"),
        ("owner_big-q4", "Owner_Big-Q4.gguf"),
        ("big.gguf", "big.gguf"),
        ("Big.GGUF", "big.gguf"),
    ]:
        assert both.path_of(name) == both.removable(name) == both.folder / file


@pytest.mark.parametrize(
    ("name", "stays"), [("big.gguf", "Owner_Big-Q4.gguf"), ("big", "big.gguf")]
)
def test_removing_one_of_them_leaves_the_other_and_its_choice(
    both: ModelLibrary, name: str, stays: str
) -> None:
    both.choose(stays)
    both.remove(name)
    assert [path.name for path in both.folder.iterdir()] == [stays]
    assert both.chosen(CHAT) == stays


@pytest.mark.parametrize("file", ["big.gguf", "Owner_Big-Q4.gguf"])
def test_the_chosen_file_is_the_one_that_is_used(
    both: ModelLibrary, tmp_path: Path, file: str
) -> None:
    both.choose(str(both.folder / file))
    assert find_chat_model(None, tmp_path / "resources", both) == both.folder / file


def test_a_name_of_the_catalogue_never_means_a_file_of_ones_own(
    library: ModelLibrary, files: Path
) -> None:
    library.folder.mkdir()
    for file in ("big.gguf", "starter.gguf"):
        shutil.copy(files / "chat.gguf", library.folder / file)
    assert library.path_of("big") is None
    with pytest.raises(ModelMissing):
        library.remove("big")
    with pytest.raises(UserInputInvalid, match="stays"):
        library.remove("starter")
    assert library.choose("starter").bundled
    assert names(library) == ["big.gguf", "starter.gguf", "starter"]


def test_an_import_may_be_called_like_a_fetched_model(
    library: ModelLibrary, files: Path, tmp_path: Path
) -> None:
    library.folder.mkdir()
    shutil.copy(files / "chat.gguf", library.folder / "Owner_Big-Q4.gguf")
    own = Path(shutil.copy(files / "chat.gguf", tmp_path / "big.gguf"))
    assert library.add_link(own).name == "big.gguf"
    assert library.choose("big.gguf").path == own
    assert library.chosen(CHAT) == str(own)
    library.remove("big.gguf")
    assert own.exists() and library.chosen(CHAT) is None
    assert library.add_copy(own, silent).name == "big.gguf"
    assert names(library) == ["big", "big.gguf", "starter"]


def test_a_choice_outlasts_the_catalogue(library: ModelLibrary, files: Path) -> None:
    """A program whose list of models is damaged goes on with the model that was chosen."""
    library.folder.mkdir()
    path = Path(shutil.copy(files / "chat.gguf", library.folder / "Owner_Big-Q4.gguf"))
    library.choose("big")
    resources = library._bundled_folder.parent
    without = ModelLibrary(library.folder, library._state_file, tuple, resources)
    assert find_chat_model(None, resources, without) == path


def test_a_choice_kept_as_a_name_still_counts(library: ModelLibrary, files: Path) -> None:
    """As versions before this one wrote it."""
    path = library.add_copy(files / "chat.gguf", silent).path
    library._state_file.parent.mkdir(parents=True)
    library._state_file.write_text('{"chosen": {"chat": "chat"}}')
    assert find_chat_model(None, path, library) == path
    library.remove("chat")
    assert library.chosen(CHAT) is None


@pytest.mark.skipif(sys.platform != "linux", reason="names elsewhere are always Unicode")
def test_a_file_whose_name_is_not_utf_8_is_a_model(library: ModelLibrary, files: Path) -> None:
    library.folder.mkdir()
    name = os.fsdecode(b"caf\xe9.gguf")
    shutil.copy(files / "chat.gguf", library.folder / name)
    library.choose(name)
    assert library.path_of(library.chosen(CHAT) or "") == library.folder / name


@pytest.mark.parametrize(
    "name", ["../victim", "../victim.gguf", "..", "", ".", "a/../../victim", "/etc/passwd", "\0"]
)
def test_nothing_outside_the_folder_can_be_removed(
    library: ModelLibrary, files: Path, name: str
) -> None:
    library.folder.mkdir()
    victim = library.folder.parent / "victim.gguf"
    shutil.copy(files / "chat.gguf", victim)
    (victim.parent / "victim.gguf.part").touch()
    with pytest.raises(ModelMissing):
        library.remove(name)
    assert victim.exists()


def test_a_symbolic_link_in_the_folder_goes_and_its_file_stays(
    library: ModelLibrary, files: Path
) -> None:
    library.folder.mkdir()
    (library.folder / "far.gguf").symlink_to(files / "chat.gguf")
    library.remove("far")
    assert (files / "chat.gguf").is_file() and names(library) == ["starter"]


def test_what_came_with_the_program_stays(library: ModelLibrary) -> None:
    with pytest.raises(UserInputInvalid, match="stays"):
        library.remove("starter")


@given(text=st.binary(max_size=300))
def test_a_damaged_state_file_costs_the_choice_only(
    text: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("state")
    state = folder / "l.json"
    for content in (text, b'{"chosen": ' + text + b"}", b'{"chosen": {"chat": 3}, "links": [1]}'):
        state.write_bytes(content)
        library = ModelLibrary(folder / "files", state, lambda: CATALOGUE, folder)
        library.installed()
        assert library.chosen(CHAT) is None or isinstance(library.chosen(CHAT), str)
