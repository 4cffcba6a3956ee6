"""An unknown file is tried out in a process of its own; what dies there is a typed error here."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import ModelFileInvalid
from moltbot_desktop.models.gguf_header import GgufHeader, read_header
from moltbot_desktop.models.probe import VERDICTS_FILE, ensure_probed, try_file

NOT_STARTED = ("/nonexistent/python",)


def _header(path: Path, data: bytes) -> GgufHeader:
    path.write_bytes(data)
    return read_header(path)


def _child(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def test_a_good_file_passes_once_and_is_then_remembered(
    chat_file: Path, embedding_file: Path, tmp_path: Path
) -> None:
    for file in (chat_file, embedding_file):
        ensure_probed(read_header(file), tmp_path)
        ensure_probed(read_header(file), tmp_path, command=NOT_STARTED)
    assert len(json.loads((tmp_path / VERDICTS_FILE).read_text())) == 2


def test_a_changed_file_is_probed_again(chat_file: Path, tmp_path: Path) -> None:
    header = _header(tmp_path / "own.gguf", chat_file.read_bytes())
    ensure_probed(header, tmp_path, command=_child('print(\'{"reason": ""}\')'))
    changed = _header(tmp_path / "own.gguf", chat_file.read_bytes() + b"\0")
    with pytest.raises(ModelFileInvalid, match="could not be tried out"):
        ensure_probed(changed, tmp_path, command=NOT_STARTED)


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
        ("print('no json'); raise SystemExit(3)", "exit code 3"),
    ],
    ids=["silent abort", "assertion", "refusal", "noise"],
)
def test_a_child_that_dies_or_refuses_is_an_error_with_its_last_words(
    code: str, reason: str, chat_file: Path, tmp_path: Path
) -> None:
    header = _header(tmp_path / "own.gguf", chat_file.read_bytes())
    for _ in range(2):  # the second time from memory
        with pytest.raises(ModelFileInvalid, match=reason):
            ensure_probed(header, tmp_path, command=_child(code))


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
        ensure_probed(replace(header, path=lying), tmp_path, command=child)


def test_damaged_weights_are_found(chat_file: Path, tmp_path: Path) -> None:
    data = chat_file.read_bytes()
    header = _header(tmp_path / "nan.gguf", data[:-4096] + b"\xff" * 4096)
    with pytest.raises(ModelFileInvalid) as caught:
        ensure_probed(header, tmp_path)
    assert "tensor" in caught.value.message and "cannot be used" in caught.value.message


@pytest.mark.parametrize("content", ["", "not json", "[]", '{"x": 1}', "[" * 100_000], ids=range(5))
def test_a_damaged_memory_of_verdicts_only_costs_a_new_probe(
    content: str, chat_file: Path, tmp_path: Path
) -> None:
    (tmp_path / VERDICTS_FILE).write_text(content)
    ensure_probed(read_header(chat_file), tmp_path, command=_child('print(\'{"reason": ""}\')'))
    ensure_probed(read_header(chat_file), tmp_path, command=NOT_STARTED)


def test_verdicts_that_cannot_be_kept_do_not_stop_a_good_file(
    chat_file: Path, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    ensure_probed(
        read_header(chat_file), blocked / "below", command=_child('print(\'{"reason": ""}\')')
    )


def test_what_the_child_does_works_in_this_process_too(
    chat_file: Path, embedding_file: Path, tmp_path: Path
) -> None:
    assert try_file(chat_file) == {"reason": ""} == try_file(embedding_file)
    assert try_file(tmp_path)["reason"] == "it is a folder"
