"""The header reader accepts whole files and gives one exact reason for every other."""

from __future__ import annotations

import contextlib
import struct
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.error_words import translated
from moltbot_desktop.core.errors import ModelError, ModelFileInvalid, ModelMissing
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.models.gguf_header import read_header
from tests.data.make_gguf import TinyModel, write_chat_model, write_embedding_model

BROKEN = [
    pytest.param(lambda good: b"", "it is empty", id="empty"),
    pytest.param(lambda good: b"<!DOCTYPE html><title>404</title>", "web page", id="html"),
    pytest.param(lambda good: b"version https://git-lfs.github.com", "LFS pointer", id="lfs"),
    pytest.param(lambda good: b"PK\x03\x04rest", "ZIP or PyTorch", id="zip"),
    pytest.param(lambda good: bytes(5000), "filled with zeros", id="zeros"),
    pytest.param(lambda good: b"\x89PNG....", "not a GGUF file", id="picture"),
    pytest.param(lambda good: b"GGUF", "ends in the middle of its header", id="magic only"),
    pytest.param(lambda good: good[:2], "ends in the middle of its header", id="two bytes"),
    pytest.param(lambda good: good[:100], "ends in the middle of its header", id="cut header"),
    pytest.param(lambda good: good[:-10], "10 bytes of", id="cut weights"),
    pytest.param(lambda good: good[: len(good) // 2], "the download was cut off", id="half"),
    pytest.param(lambda good: _put(good, 4, "<I", 99), "version is 99", id="version"),
    pytest.param(lambda good: _put(good, 4, ">I", 3), "big-endian", id="big endian"),
    pytest.param(lambda good: _put(good, 8, "<Q", 2**62), "damaged", id="tensors 2^62"),
    pytest.param(lambda good: _put(good, 8, "<Q", 10**9), "damaged", id="tensors 1e9"),
    pytest.param(lambda good: _put(good, 8, "<Q", 0), "no weights", id="no tensors"),
    pytest.param(lambda good: _put(good, 16, "<Q", 2**62), "damaged", id="entries 2^62"),
    pytest.param(lambda good: _put(good, 16, "<Q", 10**9), "damaged", id="entries 1e9"),
    pytest.param(lambda good: _put(good, 24, "<Q", 2**60), "middle of its header", id="key length"),
    pytest.param(lambda good: _set(good, "llama.block_count", 0), "claims 0 blocks", id="0 blocks"),
    pytest.param(
        lambda good: _set(good, "llama.block_count", 10**6), "claims 1000000", id="1e6 blocks"
    ),
    pytest.param(
        lambda good: _set(good, "llama.block_count", 3), "the file has 2", id="one block too many"
    ),
    pytest.param(lambda good: _set(good, "llama.context_length", 0), "context", id="no context"),
    pytest.param(
        lambda good: _set(good, "llama.attention.head_count", 0), "0 attention heads", id="0 heads"
    ),
    pytest.param(
        lambda good: _set(good, "llama.embedding_length", 2**31), "embedding length", id="width"
    ),
    pytest.param(
        lambda good: _set(good, "tokenizer.ggml.bos_token_id", 10**9), "bos_token_id", id="bos"
    ),
    pytest.param(
        lambda good: _set(good, "tokenizer.ggml.eos_token_id", 10**9), "eos_token_id", id="eos"
    ),
    pytest.param(
        lambda good: good.replace(b"general.architecture", b"general.architectur_"),
        "which architecture",
        id="no architecture",
    ),
    pytest.param(
        lambda good: good.replace(b"tokenizer.ggml.tokens", b"tokenizer.ggml.token_"),
        "no vocabulary",
        id="no vocabulary",
    ),
    pytest.param(
        lambda good: good.replace(b"blk.1.", b"blk.7."), "the file has 2", id="renamed block"
    ),
]


def _put(data: bytes, offset: int, form: str, value: int) -> bytes:
    return data[:offset] + struct.pack(form, value) + data[offset + struct.calcsize(form) :]


def _set(data: bytes, key: str, value: int) -> bytes:
    """Overwrite the 32-bit value of `key`, which follows its name and type."""
    at = data.index(key.encode() + b"\x04\0\0\0") + len(key) + 4
    return _put(data, at, "<I", value)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_chat_model(tmp_path_factory.mktemp("gguf") / "good.gguf").read_bytes()


def test_a_whole_file_is_described(tmp_path: Path) -> None:
    path = write_chat_model(tmp_path / "good.gguf", TinyModel(layers=3, context=512))
    header = read_header(path)
    assert (header.architecture, header.block_count, header.context_length) == ("llama", 3, 512)
    assert header.embedding_length == 32 and header.vocabulary_size > 300
    assert header.size_bytes == path.stat().st_size
    assert header.metadata["general.name"] == "tiny" and not header.pooled


def test_an_embedding_model_is_told_from_a_chat_model(tmp_path: Path) -> None:
    assert read_header(write_embedding_model(tmp_path / "bert.gguf")).pooled


@pytest.mark.parametrize(("change", "reason"), BROKEN)
def test_a_broken_file_is_refused_with_its_reason(change, reason, good, tmp_path) -> None:
    path = tmp_path / "some model.gguf"
    path.write_bytes(change(good))
    with pytest.raises(ModelFileInvalid) as caught:
        read_header(path)
    assert reason in caught.value.message and "some model.gguf" in caught.value.message
    assert caught.value.hint
    told = translated(caught.value.message, Language.CHINESE)
    assert told.startswith("模型文件“some model.gguf”不能用：") and "it" not in told.split()
    assert language_of(translated(caught.value.hint, Language.CHINESE)) is Language.CHINESE
    assert not told.isascii() and "its header" not in told


def test_a_folder_and_a_missing_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ModelFileInvalid, match="it is a folder"):
        read_header(tmp_path)
    with pytest.raises(ModelMissing, match=r"no model file at .*nothing\.gguf"):
        read_header(tmp_path / "nothing.gguf")


def test_a_path_with_a_nul_character_is_a_typed_error() -> None:
    with pytest.raises(ModelFileInvalid):
        read_header(Path("model\0.gguf"))


def test_only_the_header_of_a_large_file_is_read(good: bytes, tmp_path: Path) -> None:
    path = tmp_path / "large.gguf"
    path.write_bytes(good)
    with path.open("r+b") as file:
        file.truncate(5 * 2**30)  # sparse
    began = time.process_time()
    read_header(path)
    assert time.process_time() - began < 1.0


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_damage_to_a_header_escapes_as_anything_but_a_model_error(data, good, tmp_path_factory):
    """Flipped, cut and overwritten headers: a description or a ModelError, within 250 ms."""
    damaged = bytearray(good)
    for _ in range(data.draw(st.integers(1, 12))):
        place = data.draw(st.integers(0, min(20_000, len(good)) - 9))
        form, value = data.draw(
            st.sampled_from([("<B", 255), ("<B", 0), ("<I", 2**32 - 1), ("<Q", 2**63), ("<Q", 9)])
        )
        damaged[place : place + struct.calcsize(form)] = struct.pack(form, value)
    end = data.draw(st.one_of(st.just(len(good)), st.integers(0, len(good))))
    path = tmp_path_factory.mktemp("fuzz") / "damaged.gguf"
    path.write_bytes(bytes(damaged[:end]))
    began = time.process_time()
    with contextlib.suppress(ModelError):
        read_header(path)
    assert time.process_time() - began < 0.25


@settings(max_examples=200, deadline=None)
@given(rest=st.binary(max_size=400), counts=st.tuples(st.integers(0, 70_000), st.integers(0, 9)))
def test_arbitrary_bytes_behind_the_magic_are_a_model_error(rest, counts, tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz") / "noise.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, *counts) + rest)
    with pytest.raises(ModelFileInvalid):
        read_header(path)
