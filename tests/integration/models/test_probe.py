"""An unknown file is tried out in a process of its own; what dies there is a typed error here."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import ModelError, ModelFileInvalid
from moltbot_desktop.models import probe
from moltbot_desktop.models.chat import load_chat_model
from moltbot_desktop.models.embedding import load_embedder
from moltbot_desktop.models.gguf_header import GgufHeader, read_header
from moltbot_desktop.models.probe import ensure_probed, try_file
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.models.verdicts import VERDICTS_FILE
from moltbot_desktop.models.worker.command import child_environment
from tests.fakes.asking import Never

NOT_STARTED = ("/nonexistent/python",)
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def _header(path: Path, data: bytes) -> GgufHeader:
    path.write_bytes(data)
    return read_header(path)


def _child(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


PASSING = _child('print(\'{"reason": ""}\')')


def test_a_good_file_passes_once_and_is_then_remembered(
    chat_file: Path, embedding_file: Path, tmp_path: Path
) -> None:
    for file in (chat_file, embedding_file):
        ensure_probed(read_header(file), tmp_path, Never())
        ensure_probed(read_header(file), tmp_path, Never(), command=NOT_STARTED)
    assert len(json.loads((tmp_path / VERDICTS_FILE).read_text())) == 2


def test_a_changed_file_is_probed_again(chat_file: Path, tmp_path: Path) -> None:
    header = _header(tmp_path / "own.gguf", chat_file.read_bytes())
    ensure_probed(header, tmp_path, Never(), command=PASSING)
    changed = _header(tmp_path / "own.gguf", chat_file.read_bytes() + b"\0")
    with pytest.raises(ModelError, match="could not be tried out"):
        ensure_probed(changed, tmp_path, Never(), command=NOT_STARTED)


@posix
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os; os.abort()", "exit code -6"),
        (
            "import os, sys; sys.stderr.write('GGML_ASSERT(a == b) failed\\n'); "
            "sys.stderr.flush(); os.abort()",
            r"GGML_ASSERT\(a == b\) failed",
        ),
        ('print(\'{"reason": "it is odd"}\')', "it is odd"),
    ],
    ids=["silent abort", "assertion", "refusal"],
)
def test_a_file_that_kills_or_is_refused_is_remembered_with_its_last_words(
    code: str, reason: str, chat_file: Path, tmp_path: Path
) -> None:
    header = _header(tmp_path / "own.gguf", chat_file.read_bytes())
    for command in (_child(code), PASSING):  # the second time from memory
        with pytest.raises(ModelFileInvalid, match=reason):
            ensure_probed(header, tmp_path, Never(), command=command)


KILLED = "import os; os.kill(os.getpid(), 9)"
TROUBLED = 'print(\'{"trouble": "there is not enough memory"}\')'


@posix
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (NOT_STARTED, "cannot be started"),
        (_child(KILLED), "ended from outside"),
        (_child(TROUBLED), "not enough memory"),
        (_child("raise MemoryError"), "MemoryError"),
        (_child("print('no json'); raise SystemExit(3)"), "exit code 3"),
    ],
    ids=["not started", "killed", "trouble", "no memory", "noise"],
)
def test_a_failure_that_may_pass_does_not_condemn_the_file(
    command: tuple[str, ...], reason: str, chat_file: Path, tmp_path: Path
) -> None:
    header = _header(tmp_path / "own.gguf", chat_file.read_bytes())
    with pytest.raises(ModelError, match=reason) as caught:
        ensure_probed(header, tmp_path, Never(), command=command)
    assert not isinstance(caught.value, ModelFileInvalid)
    assert "own.gguf" in caught.value.message and "try again" in caught.value.hint
    ensure_probed(header, tmp_path, Never(), command=PASSING)


def test_a_file_that_takes_too_long_is_tried_again_the_next_time(
    chat_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = _header(tmp_path / "own.gguf", chat_file.read_bytes())
    monkeypatch.setattr(probe, "_SECONDS", 1)
    with pytest.raises(ModelError, match="within 1 seconds") as caught:
        ensure_probed(header, tmp_path, Never(), command=_child("import time; time.sleep(300)"))
    assert not isinstance(caught.value, ModelFileInvalid)
    monkeypatch.undo()
    ensure_probed(header, tmp_path, Never(), command=PASSING)


@pytest.mark.parametrize("kind", ["chat", "embedding"])
def test_closing_the_program_breaks_a_trial_off_and_leaves_no_verdict(
    kind: str,
    chat_file: Path,
    embedding_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began = tmp_path / "began"
    child = _child(f"import time; open({str(began)!r}, 'w').close(); time.sleep(300)")
    monkeypatch.setattr(probe, "own_command", lambda _role: child)
    thread, failed = ModelThread(), list[ModelError]()
    thread.start()

    def load() -> None:
        try:
            if kind == "embedding":
                load_embedder(thread, embedding_file, threads=1, state_dir=tmp_path)
            else:
                asyncio.run(
                    load_chat_model(
                        thread, chat_file, context_tokens=512, threads=1, state_dir=tmp_path
                    )
                )
        except ModelError as error:
            failed.append(error)

    loading = threading.Thread(target=load)
    loading.start()
    while not began.exists():
        time.sleep(0.01)
    thread.stop()
    assert thread.join(20), "the trial was not broken off"
    loading.join()
    assert [("closing" in error.message) for error in failed] == [True]
    assert not (tmp_path / VERDICTS_FILE).exists()


def test_a_file_that_vanished_meanwhile_is_told_in_words(chat_file: Path, tmp_path: Path) -> None:
    header = _header(tmp_path / "own.gguf", chat_file.read_bytes())
    header.path.unlink()
    with pytest.raises(ModelError, match="can no longer be read"):
        ensure_probed(header, tmp_path, Never(), command=PASSING)


def test_lies_that_the_header_check_would_stop_do_not_reach_this_process_either(
    chat_file: Path, tmp_path: Path
) -> None:
    """The reader refuses block_count 0; were it ever to pass, only the child would die."""
    good = chat_file.read_bytes()
    at = good.index(b"llama.block_count\x04\0\0\0") + len("llama.block_count") + 4
    lying = tmp_path / "lying.gguf"
    lying.write_bytes(good)
    header = read_header(lying)
    lying.write_bytes(good[:at] + bytes(4) + good[at + 4 :])
    child = _child(
        "import sys; from pathlib import Path; from moltbot_desktop.models.llama import *; "
        "LlamaContext(Path(sys.argv[1]), LlamaParameters(256, 1), StopFlag())"
    )
    with pytest.raises(ModelFileInvalid, match=r"lying\.gguf"):
        ensure_probed(replace(header, path=lying), tmp_path, Never(), command=child)


def test_damaged_weights_are_found(chat_file: Path, tmp_path: Path) -> None:
    data = chat_file.read_bytes()
    header = _header(tmp_path / "nan.gguf", data[:-4096] + b"\xff" * 4096)
    with pytest.raises(ModelFileInvalid) as caught:
        ensure_probed(header, tmp_path, Never())
    assert "tensor" in caught.value.message and "cannot be used" in caught.value.message


@pytest.mark.parametrize("content", ["", "not json", "[]", '{"x": 1}', "[" * 100_000], ids=range(5))
def test_a_damaged_memory_of_verdicts_only_costs_a_new_probe(
    content: str, chat_file: Path, tmp_path: Path
) -> None:
    (tmp_path / VERDICTS_FILE).write_text(content)
    ensure_probed(read_header(chat_file), tmp_path, Never(), command=PASSING)
    ensure_probed(read_header(chat_file), tmp_path, Never(), command=NOT_STARTED)


def test_verdicts_that_cannot_be_kept_do_not_stop_a_good_file(
    chat_file: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    ensure_probed(read_header(chat_file), blocked / "below", Never(), command=PASSING)


def test_what_the_child_does_works_in_this_process_too(
    chat_file: Path, embedding_file: Path, tmp_path: Path
) -> None:
    assert try_file(chat_file) == {"reason": ""} == try_file(embedding_file)
    assert try_file(tmp_path)["reason"] == "it is a folder"


@pytest.mark.parametrize(
    ("raised", "key"),
    [
        (ModelFileInvalid("it is odd."), "reason"),
        (ModelError("it is busy."), "trouble"),
        (MemoryError(), "trouble"),
        (OSError(5, "Input/output error"), "trouble"),
    ],
    ids=["file", "model", "memory", "disk"],
)
def test_the_child_says_whether_the_file_is_to_blame(
    raised: BaseException, key: str, chat_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise raised

    monkeypatch.setattr(probe, "LlamaContext", fail)
    assert list(try_file(chat_file)) == [key]


def test_a_disk_that_refuses_to_read_a_file_does_not_condemn_it(
    chat_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("moltbot_desktop.models.gguf_header._read", fail)
    assert list(try_file(chat_file)) == ["trouble"]


def test_the_child_answers_without_a_stdout_of_python_and_whatever_is_printed(
    embedding_file: Path,
) -> None:
    """As in a windowed build, which has none."""
    code = (
        "import os, sys; sys.stdout = None; from moltbot_desktop.models import probe; "
        "tried = probe.try_file; "
        "probe.try_file = lambda path: (print('by Python'), os.write(1, b'by C'), tried(path))[2]; "
        "sys.exit(probe.main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [*_child(code), embedding_file], capture_output=True, env=child_environment(), check=False
    )
    assert (done.returncode, json.loads(done.stdout)) == (0, {"reason": ""}), done.stderr
    assert b"by Python" in done.stderr and b"by C" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("spare", [0, 1, 16, 128], ids=lambda spare: f"{spare} MiB")
def test_a_child_without_memory_never_says_that_the_file_is_bad(
    spare: int, chat_file: Path, tmp_path: Path
) -> None:
    """Real llama.cpp, given too little: how it fails is its own affair."""
    child = _child(
        "import resource, sys; from moltbot_desktop.models import probe\n"
        "def limit(_path):\n"
        "    used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        f"    resource.setrlimit(resource.RLIMIT_AS, (used + {spare} * 2**20,) * 2)\n"
        "probe._limit_memory = limit\n"
        "sys.exit(probe.main(sys.argv[1:]))"
    )
    header = _header(tmp_path / "own.gguf", chat_file.read_bytes())
    try:
        ensure_probed(header, tmp_path, Never(), command=child)
    except ModelError as error:
        assert not isinstance(error, ModelFileInvalid), error
    ensure_probed(header, tmp_path, Never(), command=PASSING)
