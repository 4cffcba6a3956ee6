"""`moltbot-desktop models` from end to end: a hub on loopback, real files, real llama.cpp."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.models_command import run_models
from moltbot_desktop.app.paths import locate
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import CatalogueInvalid, MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.models.catalogue import load_catalogue
from moltbot_desktop.models.partial import PartialFile, RemoteFile
from tests.data.make_gguf import write_embedding_model
from tests.fakes.hub import FakeHub

NAME = "bge-small-zh"


@pytest.fixture
def file(checkout: Path) -> str:
    entries = load_catalogue(checkout / "resources")
    return next(entry.file for entry in entries if entry.name == NAME)


@pytest.fixture
def hub(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """Serves a small model in the place of a catalogue's, and the catalogue names it so."""
    data = write_embedding_model(tmp_path / "x.gguf").read_bytes()
    entries = load_catalogue(checkout / "resources")
    digest = hashlib.sha256(data).hexdigest()
    changed = [
        replace(entry, bytes=len(data), sha256=digest) if entry.name == NAME else entry
        for entry in entries
    ]
    monkeypatch.setattr(
        "moltbot_desktop.app.model_setup.load_catalogue", lambda resources: tuple(changed)
    )
    entry = next(entry for entry in changed if entry.name == NAME)
    with FakeHub({entry.url("")[1:]: data}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url + "/")
        yield hub


@pytest.fixture
def home() -> Path:
    return Path(os.environ["MOLTBOT_HOME"])


def run(*words: str) -> int:
    """As `app.main` does it, without its crash log, which stays open until the process ends."""
    paths = locate(os.environ, Path.home())
    loaded = load_config(paths.home, language=Language.ENGLISH)
    arguments = parse(["models", *words])
    try:
        return run_models(paths, loaded, SystemClock(), arguments, Language.ENGLISH)
    except MoltbotError as error:
        sys.stderr.write(f"moltbot-desktop: {error}\n")
        return 2


def test_pull_use_list_test_remove(
    hub: FakeHub, home: Path, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("pull", NAME) == 0
    assert (home / "models" / "files" / file).is_file()
    assert run("use", NAME) == 0
    capsys.readouterr()

    assert run("list", "--json") == 0
    lines = {line["name"]: line for line in json.loads(capsys.readouterr().out)}
    assert lines[NAME]["here"] and lines[NAME]["in_use"] and not lines["qwen3-4b"]["here"]
    assert lines[NAME]["fit"]["verdict"] == "fits"

    assert run("test", NAME, "--json") == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "embedding"

    assert run("remove", NAME) == 2  # nobody there to ask
    assert run("remove", NAME, "--yes") == 0
    assert not (home / "models" / "files" / file).exists()
    assert "built-in model is used" in capsys.readouterr().err


def test_pulled_again_it_is_here_already(hub: FakeHub, capsys: pytest.CaptureFixture[str]) -> None:
    run("pull", NAME)
    asked = len(hub.asked)
    assert run("pull", NAME, "--json") == 0
    assert len(hub.asked) == asked
    out = capsys.readouterr().out
    assert '"added": false' in out


def test_ctrl_c_pauses_and_says_how_to_go_on(
    hub: FakeHub, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.trouble.stall_at = 5_000
    pause = threading.Event()

    def press() -> None:
        while hub.sent < 5_000:
            pause.wait(0.01)
        pause.wait(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    # Whoever starts the tests in the background of a shell makes them deaf to Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        presser.start()
        assert run("pull", NAME) == 130
    finally:
        presser.join(10)
        signal.signal(signal.SIGINT, before)
    assert f"models pull {NAME}" in capsys.readouterr().err
    run("list")
    assert "% fetched" in capsys.readouterr().out
    hub.sent = 0
    assert run("pull", NAME) == 0
    assert hub.sent == len(next(iter(hub.files.values()))) - 5_000


def test_a_pause_is_listed_although_the_catalogue_knows_no_size(
    checkout: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = load_catalogue(checkout / "resources")
    entry = next(entry for entry in entries if entry.bytes is None)
    partial = PartialFile(home / "models" / "files" / entry.file)
    partial.prepare()
    partial.restart(RemoteFile("e", 100, "0" * 64))
    with partial.open() as file:
        partial.add(file, bytes(43))
    run("list")
    assert f"43 % fetched; “models pull {entry.name}” goes on" in capsys.readouterr().out


def test_an_embedding_model_is_judged_with_the_window_it_gets(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("list", "--json")
    lines = json.loads(capsys.readouterr().out)
    windows = {
        kind: max(line["fit"]["wanted"] for line in lines if line["fit"] and line["kind"] == kind)
        for kind in ("chat", "embedding")
    }
    assert windows == {"chat": 8192, "embedding": 512}


def test_without_a_catalogue_the_models_that_are_here_go_on(
    chat_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def damaged(resources: Path) -> None:
        raise CatalogueInvalid("The list is damaged.", hint="Install the program again.")

    monkeypatch.setattr("moltbot_desktop.app.model_setup.load_catalogue", damaged)
    own = shutil.copy(chat_file, tmp_path / "own.gguf")
    assert run("import", str(own)) == 0
    assert run("use", "own") == 0
    capsys.readouterr()
    assert run("list", "--json") == 0
    out, err = capsys.readouterr()
    assert {line["name"]: line["in_use"] for line in json.loads(out)}["own"]
    assert "The list is damaged. Install the program again." in err
    assert run("pull", NAME) == 2
    assert "The list is damaged." in capsys.readouterr().err
    assert run("remove", "own", "--yes") == 0


def test_a_setting_that_wins_is_told(
    hub: FakeHub, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir(exist_ok=True)
    setting = {"models": {"embedding": str(tmp_path / "x.gguf")}}
    (home / "moltbot.json").write_text(json.dumps(setting))
    run("pull", NAME)
    assert run("use", NAME) == 0
    assert "that one wins" in capsys.readouterr().err


def test_import_copies_or_points(
    chat_file: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = shutil.copy(chat_file, tmp_path / "own.gguf")
    assert run("import", str(own)) == 0
    assert run("remove", "own", "--yes") == 0
    assert run("import", "--link", str(own)) == 0
    assert run("use", "own") == 0
    assert run("test", "own") == 0
    assert "tokens/s" in capsys.readouterr().out
    assert run("remove", "own", "--yes") == 0
    assert own.is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pull", "unheard-of"], "models list"),
        (["use", "qwen3-4b"], "models pull qwen3-4b"),
        (["import", "/nowhere.gguf"], "no model file"),
        (["remove", "starter", "--yes"], "stays"),
        (["test", "unheard-of"], "models list"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_code_2(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_no_other_socket_than_the_hubs_is_opened(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every connection of a pull goes to the one address the door was told."""
    import socket

    seen: list[object] = []
    connect = socket.socket.connect

    def watched(self: socket.socket, address: object) -> None:
        seen.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", watched)
    assert run("pull", NAME) == 0
    port = int(hub.url.rpartition(":")[2])
    assert seen and set(seen) == {("127.0.0.1", port)}


def test_as_a_program(checkout: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "moltbot_desktop", "models", "list", "--json"],
        cwd=checkout, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == ""
    assert any(line["name"] == "qwen3-4b" for line in json.loads(done.stdout))
