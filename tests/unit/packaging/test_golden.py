"""What the tests read of llama.cpp's source: kept beside the wheel, whole or not at all."""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path

import pytest

from devtools import golden, source
from devtools.places import SetupError

FILES = {
    "llama/vendor/llama.cpp/models/templates/One.jinja": b"{{ one }}",
    "llama/vendor/llama.cpp/models/templates/Two.jinja": b"{{ two }}",
    "llama/vendor/llama.cpp/models/templates/README.md": b"not a template",
    "llama/vendor/llama.cpp/models/ggml-vocab-one.gguf": b"GGUF",
    "llama/vendor/llama.cpp/models/ggml-vocab-one.gguf.inp": b"not a vocabulary",
    "llama/vendor/llama.cpp/docs/templates/Other.jinja": b"elsewhere",
}
KEPT = {"ggml-vocab-one.gguf", "templates/One.jinja", "templates/Two.jinja"}


def archive_of(files: dict[str, bytes], path: Path) -> Path:
    with tarfile.open(path, "w:gz") as file:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content))
    return path


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; the environment lies in another folder, and no registry is asked."""

    def offline(folder: Path) -> Path:
        raise SetupError("No network.")

    monkeypatch.setenv("MOLTBOT_BUILD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(golden, "VENV", tmp_path / "venv")
    monkeypatch.setattr(golden, "fetch_source", offline)
    return tmp_path / "cache"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return archive_of(FILES, tmp_path / "source.tar.gz")


def test_templates_and_vocabularies_are_kept_and_nothing_else(cache: Path, archive: Path) -> None:
    assert golden.golden_folder() is None
    kept = golden.keep_golden(archive)
    assert golden.golden_folder() == kept
    assert files_below(kept) == KEPT
    assert (kept / "templates" / "Two.jinja").read_bytes() == b"{{ two }}"
    assert [path.name for path in cache.iterdir()] == [kept.name]  # no draft is left


def test_the_folder_is_that_of_the_pinned_version(cache: Path, archive: Path) -> None:
    version = source.requirement().partition("==")[2]
    assert golden.keep_golden(archive) == cache / f"llama-cpp-python-{version}-models"


def test_an_older_cache_gets_them_from_the_registry_once(
    cache: Path, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wheel may have been built before anybody wanted these files."""
    asked: list[Path] = []

    def fetch(folder: Path) -> Path:
        asked.append(folder)
        return Path(shutil.copy(archive, folder))

    monkeypatch.setattr(golden, "fetch_source", fetch)
    golden.ensure_golden()
    golden.ensure_golden()
    assert len(asked) == 1 and not asked[0].exists()
    assert golden.golden_folder() is not None


def test_without_network_the_tests_can_start_and_it_is_told(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden.ensure_golden()
    assert "No network." in (told := capsys.readouterr().err) and "their tests fail" in told
    assert golden.golden_folder() is None


def test_what_is_there_is_not_made_again(cache: Path, archive: Path) -> None:
    kept = golden.keep_golden(archive)
    golden.ensure_golden()  # asks nobody
    assert golden.keep_golden(Path("no such archive")) == kept


def test_a_cache_that_cannot_be_written_leaves_them_in_the_environment(
    cache: Path, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache.touch()  # a file where the folder should be
    kept = golden.keep_golden(archive)
    assert kept == golden.golden_folder() and kept.parent == tmp_path / "venv"
    assert files_below(kept) == KEPT
    assert "cannot be kept" in capsys.readouterr().err


@pytest.mark.parametrize("lost", ["templates", "ggml-vocab"])
def test_a_version_that_moved_its_files_is_noticed_and_leaves_nothing(
    cache: Path, tmp_path: Path, lost: str
) -> None:
    rest = {name: content for name, content in FILES.items() if lost not in name}
    with pytest.raises(SetupError, match=f"has no vendor.*{lost}"):
        golden.keep_golden(archive_of(rest, tmp_path / "moved.tar.gz"))
    assert list(cache.iterdir()) == []


def test_no_member_is_written_outside(cache: Path, tmp_path: Path) -> None:
    evil = FILES | {"llama/../../../vendor/llama.cpp/models/templates/../x.jinja": b"evil"}
    before = set(tmp_path.iterdir())
    kept = golden.keep_golden(archive_of(evil, tmp_path / "evil.tar.gz"))
    assert files_below(kept) <= KEPT | {"templates/x.jinja"}
    assert set(tmp_path.iterdir()) - before == {cache, tmp_path / "evil.tar.gz"}


def test_half_an_archive_leaves_nothing(cache: Path, archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises((EOFError, tarfile.TarError)):
        golden.keep_golden(archive)
    assert golden.golden_folder() is None and list(cache.iterdir()) == []
