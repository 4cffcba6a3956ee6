"""Where the built wheel is kept, and when it is the right one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

import pytest

from devtools import llama, source
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
    assert source.cache_folder(system, environment, Path("/h")) == Path(folder)


def test_the_constraints_pin_an_exact_version() -> None:
    assert source.pinned(CONSTRAINTS.read_text()).startswith("llama-cpp-python==0.")
    with pytest.raises(SetupError, match="Restore"):
        source.pinned("numpy==1\n")


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


class Bench:
    """Where a wheel is pretended to be built: what is slow writes down what it was told."""

    def __init__(self) -> None:
        self.works = False
        self.good_wheels = {b"built"}
        self.did: list[str] = []
        self.fetched: list[Path] = []
        self.compiled: list[tuple[str, ...]] = []

    def fetch_source(self, folder: Path) -> Path:
        self.did.append("source")
        self.fetched.append(folder / "llama_cpp_python-1.tar.gz")
        self.fetched[-1].write_bytes(b"source")
        return self.fetched[-1]

    def keep_golden(self, archive: Path) -> None:
        assert archive.read_bytes() == b"source"
        self.did.append("golden")

    def run_logged(
        self,
        title: str,
        usual: float,
        argv: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
    ) -> None:
        self.did.append("compile")
        words = tuple(map(str, argv))
        assert self.fetched[-1].exists() and environment == {"CMAKE_ARGS": llama.cmake_flags()}
        self.compiled.append(words)
        out = Path(words[words.index("-w") + 1])
        out.mkdir(parents=True, exist_ok=True)
        (out / "llama-1-py3-none-any.whl").write_bytes(b"built")

    def install(self, wheel: Path) -> None:
        self.did.append("install")
        self.works = wheel.read_bytes() in self.good_wheels

    def llama_works(self) -> bool:
        return self.works


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench()
    monkeypatch.setenv("MOLTBOT_BUILD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(llama, "VENV", tmp_path / "venv")
    for name in ("fetch_source", "keep_golden", "run_logged", "install", "llama_works"):
        monkeypatch.setattr(llama, name, getattr(bench, name))
    return bench


@pytest.mark.parametrize(
    ("golden", "steps"),
    [
        (False, ["source", "compile", "install"]),
        (True, ["source", "golden", "compile", "install"]),
    ],
)
def test_one_download_serves_the_wheel_and_the_tests(
    bench: Bench, golden: bool, steps: list[str]
) -> None:
    llama.ensure_llama(golden=golden)
    assert bench.did == steps
    assert not bench.fetched[0].exists()
    assert llama.kept_wheel() is not None


def test_the_wheel_is_built_from_the_file_never_by_name(bench: Bench) -> None:
    """By name pip would take a wheel of its own cache, built with other flags."""
    llama.ensure_llama(golden=False)
    (words,) = bench.compiled
    assert words[-1] == str(bench.fetched[0])
    assert not any("==" in word for word in words)


def test_a_kept_wheel_is_installed_without_a_download(bench: Bench) -> None:
    llama.ensure_llama(golden=True)
    bench.did.clear()
    bench.works = False  # a new environment
    llama.ensure_llama(golden=True)
    assert bench.did == ["install"]
    bench.did.clear()
    llama.ensure_llama(golden=True)
    assert bench.did == []


def test_a_kept_wheel_that_does_not_load_is_built_anew(bench: Bench) -> None:
    folder = llama.kept_folder()
    folder.mkdir(parents=True)
    (folder / "llama-0-py3-none-any.whl").write_bytes(b"of another libc")
    llama.ensure_llama(golden=False)
    assert bench.did == ["install", "source", "compile", "install"]
    assert [path.name for path in folder.iterdir()] == ["llama-1-py3-none-any.whl"]


def test_a_build_that_does_not_load_says_what_to_report(bench: Bench) -> None:
    bench.good_wheels.clear()
    with pytest.raises(SetupError, match=r"(?s)cannot be loaded.*import llama_cpp"):
        llama.ensure_llama(golden=False)
