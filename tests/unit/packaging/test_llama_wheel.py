"""Where the built wheel is kept, and when it is the right one."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest

from devtools import llama
from devtools.places import CONSTRAINTS, SetupError

KEY = llama.wheel_key("llama-cpp-python==0.3.36", "-DA=1", "linux-x86_64", "glibc-2.36")


@pytest.mark.parametrize(
    "other",
    [
        ("llama-cpp-python==0.3.37", "-DA=1", "linux-x86_64", "glibc-2.36"),
        ("llama-cpp-python==0.3.36", "-DA=2", "linux-x86_64", "glibc-2.36"),
        ("llama-cpp-python==0.3.36", "-DA=1", "linux-aarch64", "glibc-2.36"),
        ("llama-cpp-python==0.3.36", "-DA=1", "linux-x86_64", "glibc-2.31"),
    ],
    ids=["version", "flags", "machine", "libc"],
)
def test_builds_that_differ_are_kept_apart(other: tuple[str, str, str, str]) -> None:
    assert llama.wheel_key(*other) != KEY


def test_the_key_is_a_plain_folder_name() -> None:
    assert KEY.startswith("llama-cpp-python-0.3.36-linux-x86_64-")
    assert PurePath(KEY).name == KEY


@pytest.mark.parametrize(
    ("system", "environment", "folder"),
    [
        ("linux", {}, "/h/.cache/moltbot-desktop/wheels"),
        ("linux", {"XDG_CACHE_HOME": "/c"}, "/c/moltbot-desktop/wheels"),
        ("darwin", {}, "/h/Library/Caches/moltbot-desktop/wheels"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/moltbot-desktop/wheels"),
        ("linux", {"MOLTBOT_BUILD_CACHE": "/mine"}, "/mine"),
    ],
)
def test_the_cache_follows_the_systems_habit(
    system: str, environment: dict[str, str], folder: str
) -> None:
    assert llama.cache_folder(system, environment, Path("/h")) == Path(folder)


def test_the_constraints_pin_an_exact_version() -> None:
    assert llama.pinned(CONSTRAINTS.read_text()).startswith("llama-cpp-python==0.")
    with pytest.raises(SetupError, match="Restore"):
        llama.pinned("numpy==1\n")


def test_a_persons_own_flags_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    assert llama.cmake_flags() == llama.FLAGS
    monkeypatch.setenv("CMAKE_ARGS", "-DGGML_CUDA=on")
    assert llama.cmake_flags() == "-DGGML_CUDA=on"


def test_a_built_wheel_is_moved_into_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOLTBOT_BUILD_CACHE", str(tmp_path / "cache"))
    wheel = tmp_path / "llama.whl"
    wheel.write_bytes(b"wheel")
    assert llama.kept_wheel() is None
    kept = llama.keep(wheel)
    assert kept == llama.kept_wheel()
    assert kept.read_bytes() == b"wheel"
    assert not wheel.exists()


def test_without_a_cache_the_wheel_is_used_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MOLTBOT_BUILD_CACHE", str(tmp_path / "file" / "below"))
    wheel = tmp_path / "llama.whl"
    wheel.touch()
    assert llama.keep(wheel) == wheel
    assert "could not be kept" in capsys.readouterr().err
    assert llama.kept_wheel() is None
