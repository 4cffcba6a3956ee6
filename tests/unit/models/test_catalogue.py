"""The catalogue of models, and which model file is taken."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import CatalogueInvalid, ModelMissing
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.models.catalogue import (
    CHAT,
    EMBEDDING_FILE,
    STARTER_FILE,
    find_chat_model,
    find_embedding_model,
    is_bundled,
    load_catalogue,
    parse_catalogue,
)


@pytest.fixture
def resources(tmp_path: Path) -> Path:
    folder = tmp_path / "resources"
    (folder / "models").mkdir(parents=True)
    return folder


# --- which file is taken


class Library:
    """What a person has, as `find_*` asks for it."""

    def __init__(self, paths: Mapping[str, Path], chosen: Mapping[str, str]) -> None:
        self._paths = paths
        self._chosen = chosen

    def path_of(self, name: str) -> Path | None:
        return self._paths.get(name)

    def chosen(self, kind: str) -> str | None:
        return self._chosen.get(kind)

    def advice(self, name: str) -> str:
        return f"Fetch {name}."


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


def test_configuration_wins_over_choice_and_choice_over_bundled(
    resources: Path, tmp_path: Path
) -> None:
    (resources / "models" / STARTER_FILE).touch()
    first, second = tmp_path / "first.gguf", tmp_path / "second.gguf"
    library = Library({"first": first, "second": second}, {CHAT: "second"})
    assert find_chat_model("first", resources, library) == first
    assert find_chat_model(None, resources, library) == second
    assert find_chat_model(None, resources, Library({}, {})).name == STARTER_FILE


def test_a_name_that_is_not_here_says_how_to_get_it(resources: Path) -> None:
    library = Library({}, {CHAT: "gone"})
    with pytest.raises(ModelMissing, match=r"“gone” \(chosen") as chosen:
        find_chat_model(None, resources, library)
    with pytest.raises(ModelMissing, match=r"“x” \(models.chat in moltbot.json\)"):
        find_chat_model("x", resources, library)
    assert chosen.value.hint == "Fetch gone."


# --- the catalogue that came with the program


def test_our_catalogue_is_valid_and_says_what_a_person_needs(checkout: Path) -> None:
    entries = load_catalogue(checkout / "resources")
    assert {entry.kind for entry in entries} == {"chat", "embedding"}
    for entry in entries:
        assert all(entry.about[language] for language in Language)
        assert entry.url("https://hub.example") == (
            f"https://hub.example/{entry.repo}/resolve/{entry.revision}/{entry.file}"
        )
        # What is pinned to a checksum is pinned to its size too, or a lie is found out late.
        assert entry.sha256 is None or entry.bytes is not None


def test_a_missing_catalogue_is_told(resources: Path) -> None:
    with pytest.raises(CatalogueInvalid) as missing:
        load_catalogue(resources)
    assert missing.value.hint


def valid() -> dict:
    return {
        "version": 1,
        "models": [
            {
                "name": "tiny",
                "kind": "chat",
                "about": {"en": "Tiny.", "zh": "很小。"},
                "repo": "owner/repo",
                "revision": "main",
                "file": "tiny.gguf",
                "bytes": 10,
                "sha256": "ab" * 32,
                "licence": "MIT",
                "languages": ["en"],
                "context": 512,
                "layers": None,
                "kv_heads": None,
                "head_size": None,
            }
        ],
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("file", "../evil.gguf"),
        ("file", "/etc/x.gguf"),
        ("file", "a\\b.gguf"),
        ("file", ".hidden.gguf"),
        ("file", "x.gguf\n"),
        ("file", "x.exe"),
        ("repo", "owner/../repo/x"),
        ("repo", "owner"),
        ("revision", "a/b"),
        ("revision", "a?x=1"),
        ("sha256", "AB" * 32),
        ("sha256", "ab" * 31),
        ("bytes", 0),
        ("bytes", -1),
        ("bytes", 1.5),
        ("bytes", True),
        ("bytes", 2**60),
        ("kind", "video"),
        ("languages", []),
        ("about", {"en": "no Chinese"}),
        ("unknown", 1),
    ],
)
def test_a_wrong_field_is_refused_with_its_place(field: str, value: object) -> None:
    catalogue = valid()
    catalogue["models"][0][field] = value
    with pytest.raises(CatalogueInvalid, match=r"\$\.models\[0\]"):
        parse_catalogue(json.dumps(catalogue).encode())


@pytest.mark.parametrize("field", sorted(valid()["models"][0]))
def test_every_field_has_to_be_there(field: str) -> None:
    catalogue = valid()
    del catalogue["models"][0][field]
    with pytest.raises(CatalogueInvalid, match=field):
        parse_catalogue(json.dumps(catalogue).encode())


@pytest.mark.parametrize("field", ["name", "file"])
def test_no_two_entries_share_a_name_or_a_file(field: str) -> None:
    catalogue = valid()
    second = copy.deepcopy(catalogue["models"][0])
    second |= {"name": "other", "file": "other.gguf"}
    second[field] = catalogue["models"][0][field]
    if field == "file":
        second[field] = "TINY.gguf"  # one file where names of either case are the same
    catalogue["models"].append(second)
    with pytest.raises(CatalogueInvalid, match="twice"):
        parse_catalogue(json.dumps(catalogue).encode())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_is_no_catalogue_is_refused_in_one_way(text: bytes) -> None:
    with pytest.raises(CatalogueInvalid):
        parse_catalogue(text)


@given(st.sampled_from(sorted(valid()["models"][0])), JSON)
def test_any_value_in_any_field_is_taken_or_refused(field: str, value: object) -> None:
    catalogue = valid()
    catalogue["models"][0][field] = value
    try:
        (entry,) = parse_catalogue(json.dumps(catalogue).encode())
    except CatalogueInvalid:
        return
    assert Path(entry.file).name == entry.file
    assert entry.bytes is None or type(entry.bytes) is int


def test_deep_nesting_and_size_are_refused() -> None:
    for text in (b"[" * 100_000, b" " * (2**20 + 1)):
        with pytest.raises(CatalogueInvalid):
            parse_catalogue(text)
