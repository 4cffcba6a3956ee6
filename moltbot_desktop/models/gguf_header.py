"""Reads and judges the header of a GGUF file before llama.cpp sees it.

llama.cpp takes the whole process down on some lies (a `block_count` of 0 or of a million) and
gives no reason for the rest, so a file passes here first. The reader is strict and bounded: every
length is checked against the size of the file before it is believed, nothing is allocated for a
number the file merely claims, and only the header is read, also of a file of many gigabytes.

    header = read_header(path)       # GgufHeader, or ModelFileInvalid with one exact reason
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from moltbot_desktop.core.errors import ModelFileInvalid, ModelMissing
from moltbot_desktop.core.json import JsonScalar

MAX_ENTRIES = 65_536
_NO_VECTOR = (0, 4)
"""Of llama.cpp's pooling types: none, and the marks of a reranker."""
MAX_BLOCKS = 1024
MAX_HEADER_BYTES = 256 * 2**20
MAX_CONTEXT = 2**27
MAX_WIDTH = 2**20
MAX_HEADS = 4096
_READ_BYTES = 2**18
_DOWNLOAD_AGAIN = "Download the file again, or choose another one."
_NOT_A_MODEL = "Choose a model in GGUF format (a file that ends in .gguf)."

_FIXED = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_STRING, _ARRAY = 8, 9
# ggml type -> (values a block, bytes a block). Types that are missing here are newer than this
# table: their tensors must begin inside the file, llama.cpp judges the rest.
_BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    9: (32, 36),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
}
_BLOCK_NAME = re.compile(r"(?:^|\.)blk\.(\d{1,9})\.")


@dataclass(frozen=True)
class GgufHeader:
    """What a model file says about itself, checked. Made by `read_header`.

    Attributes:
        size_bytes: of the whole file.
        architecture: llama.cpp's name of it, e.g. ``qwen3``.
        block_count: layers, at most `MAX_BLOCKS`.
        embedding_length: numbers in a token's vector, at most `MAX_WIDTH`.
        metadata: the scalar entries; arrays are left out.
        vocabulary_size: number of tokens.
        context_length: the window the model was trained for, tokens, at most `MAX_CONTEXT`.
        pooled: it makes embeddings (it names a pooling type that gives a vector of a text).
        per_layer: short arrays of whole numbers, such as the heads of each layer.
    """

    path: Path
    size_bytes: int
    architecture: str
    block_count: int
    context_length: int
    embedding_length: int
    vocabulary_size: int
    metadata: Mapping[str, JsonScalar]
    per_layer: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def pooled(self) -> bool:
        named = self.metadata.get(f"{self.architecture}.pooling_type")
        return named is not None and named not in _NO_VECTOR


@dataclass(frozen=True)
class _Tensor:
    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True)
class _Array:
    """An array's shape; its values are skipped, except small number arrays."""

    kind: int
    count: int
    numbers: tuple[int, ...] = ()


_Entry = JsonScalar | _Array


class _Refused(Exception):
    """The file is not usable; carries reason and hint for `ModelFileInvalid`."""

    def __init__(self, reason: str, hint: str = _DOWNLOAD_AGAIN) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


def read_header(path: Path) -> GgufHeader:
    """Read and check the header of `path`.

    Raises:
        ModelMissing: there is no such file.
        ModelFileInvalid: it cannot be used; the message names the file and the one reason.
    """
    try:
        return _read(path)
    except _Refused as refused:
        raise ModelFileInvalid(
            f"The model file “{path.name}” cannot be used: {refused.reason}.", hint=refused.hint
        ) from None
    except FileNotFoundError:
        raise ModelMissing(f"There is no model file at {path}.", hint=_NOT_A_MODEL) from None
    except (OSError, ValueError) as error:
        # ValueError: a NUL byte in the path.
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelFileInvalid(
            f"The model file “{path.name}” cannot be read: {reason}.",
            hint="Check its permissions and the disk.",
        ) from error


def _read(path: Path) -> GgufHeader:
    if path.is_dir():
        raise _Refused("it is a folder", _NOT_A_MODEL)
    if path.exists() and not path.is_file():
        # A pipe or a device would block or never end.
        raise _Refused("it is not an ordinary file", _NOT_A_MODEL)
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        cursor = _Cursor(file, size)
        tensor_count, entry_count = _read_preamble(cursor, size)
        entries = _read_entries(cursor, entry_count)
        tensors = [_read_tensor(cursor) for _ in range(tensor_count)]
    _check_tensor_data(tensors, entries, cursor.position, size)
    return _judged(path, size, entries, tensors)


class _Cursor:
    """Reads forward through the file; never past its end or past `MAX_HEADER_BYTES`."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._buffer = b""
        self._start = 0
        self._offset = 0

    @property
    def position(self) -> int:
        return self._start + self._offset

    @property
    def left(self) -> int:
        return self._size - self.position

    def skip(self, count: int) -> None:
        self._require(count)
        if self._offset + count <= len(self._buffer):
            self._offset += count
            return
        target = self.position + count
        self._file.seek(target)
        self._buffer, self._start, self._offset = b"", target, 0

    def take(self, count: int) -> bytes:
        self._require(count)
        if self._offset + count > len(self._buffer):
            self._fill(count)
        begin = self._offset
        self._offset += count
        return self._buffer[begin : self._offset]

    def number(self, code: str) -> int:
        return int(self.fixed(code) or 0)

    def fixed(self, code: str) -> JsonScalar:
        size = struct.calcsize("<" + code)
        (value,) = struct.unpack("<" + code, self.take(size))
        return value if isinstance(value, (bool, int, float)) else None

    def text(self) -> str:
        return self.take(self.number("Q")).decode("utf-8", errors="replace")

    def skip_strings(self, count: int) -> None:
        """Walk over `count` strings; a vocabulary has up to some 300,000."""
        for _ in range(count):
            if self._offset + 8 > len(self._buffer):
                self._require(8)
                self._fill(8)
            length = int.from_bytes(self._buffer[self._offset : self._offset + 8], "little")
            self._offset += 8
            self.skip(length)

    def _require(self, count: int) -> None:
        if count > self.left:
            raise _Refused("it ends in the middle of its header; the file is cut off or damaged")
        if self.position + count > MAX_HEADER_BYTES:
            raise _Refused("its header is damaged (far too large)")

    def _fill(self, count: int) -> None:
        rest = self._buffer[self._offset :]
        fresh = self._file.read(max(_READ_BYTES, count - len(rest)))
        self._buffer, self._start, self._offset = rest + fresh, self.position, 0
        if len(self._buffer) < count:
            raise _Refused("it became shorter while it was read")


def _read_preamble(cursor: _Cursor, size: int) -> tuple[int, int]:
    if size == 0:
        raise _Refused("it is empty")
    magic = cursor.take(min(4, size))
    if magic != b"GGUF":
        raise _Refused(*_what_else(magic + cursor.take(min(252, cursor.left))))
    version = cursor.number("I")
    if version in (2 << 24, 3 << 24):
        raise _Refused("it was made for big-endian computers", _NOT_A_MODEL)
    if version not in (2, 3):
        raise _Refused(f"its GGUF version is {version}, and only 2 and 3 are known")
    tensor_count, entry_count = cursor.number("Q"), cursor.number("Q")
    for what, count in (("tensors", tensor_count), ("metadata entries", entry_count)):
        if count >= MAX_ENTRIES:
            raise _Refused(f"its header is damaged (it claims {count} {what})")
    if tensor_count == 0:
        raise _Refused("it has a vocabulary but no weights", _NOT_A_MODEL)
    return tensor_count, entry_count


def _what_else(start: bytes) -> tuple[str, str]:
    """Reason and hint for a file that is no GGUF, from its first bytes."""
    text = start.lstrip().lower()
    if text.startswith((b"<!doctype", b"<html", b"<head", b"<?xml")):
        return "it is a web page, not a model: the download went wrong", _DOWNLOAD_AGAIN
    if text.startswith(b"version https://git-lfs"):
        return "it is only a Git LFS pointer, not the model itself", _DOWNLOAD_AGAIN
    if start.startswith(b"PK"):
        return "it is a ZIP or PyTorch file, not a GGUF file", _NOT_A_MODEL
    if b"__metadata__" in start or start[8:10] == b'{"':
        return "it is a safetensors file, not a GGUF file", _NOT_A_MODEL
    if start.startswith((b"lmgg", b"fmgg", b"tjgg")):
        return "it is in an older format than GGUF", _NOT_A_MODEL
    if b"GGUF".startswith(start):
        return (
            "it ends in the middle of its header; the file is cut off or damaged",
            _DOWNLOAD_AGAIN,
        )
    if not any(start):
        return "it is filled with zeros: the download was not finished", _DOWNLOAD_AGAIN
    return "it is not a GGUF file", _NOT_A_MODEL


def _read_entries(cursor: _Cursor, count: int) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    for _ in range(count):
        key = cursor.text()
        if key in entries:
            raise _Refused(f"its header is damaged (“{key[:60]}” stands in it twice)")
        entries[key] = _read_value(cursor, cursor.number("I"))
    return entries


def _read_value(cursor: _Cursor, kind: int) -> _Entry:
    if kind == _STRING:
        return cursor.text()
    if kind == _ARRAY:
        return _read_array(cursor)
    code = _FIXED.get(kind)
    if code is None:
        raise _Refused(f"its header is damaged (unknown value type {kind})")
    return cursor.fixed(code)


def _read_array(cursor: _Cursor) -> _Array:
    kind, count = cursor.number("I"), cursor.number("Q")
    if kind == _STRING:
        if count > cursor.left // 8:
            raise _Refused("it ends in the middle of its header; the file is cut off or damaged")
        cursor.skip_strings(count)
        return _Array(kind, count)
    code = _FIXED.get(kind)
    if code is None:
        raise _Refused(f"its header is damaged (unknown array type {kind})")
    if count <= MAX_BLOCKS and code in "BbHhIiQq?":
        return _Array(kind, count, tuple(cursor.number(code) for _ in range(count)))
    cursor.skip(count * struct.calcsize("<" + code))
    return _Array(kind, count)


def _read_tensor(cursor: _Cursor) -> _Tensor:
    name = cursor.text()
    dimensions = cursor.number("I")
    if not 1 <= dimensions <= 4:
        raise _Refused(f"its header is damaged (“{name[:60]}” has {dimensions} dimensions)")
    shape = tuple(cursor.number("Q") for _ in range(dimensions))
    return _Tensor(name, shape, cursor.number("I"), cursor.number("Q"))


def _tensor_bytes(tensor: _Tensor) -> int:
    """Bytes of a tensor's data; at least 1 for a type that is not in our table."""
    values = 1
    for extent in tensor.shape:
        values *= extent
    if values == 0 or values >= 2**56:
        raise _Refused(f"its header is damaged (“{tensor.name[:60]}” has a size of {values})")
    if tensor.kind not in _BLOCKS:
        return 1
    per_block, size = _BLOCKS[tensor.kind]
    if tensor.shape[0] % per_block:
        raise _Refused(f"its header is damaged (the rows of “{tensor.name[:60]}” do not fit)")
    return values // per_block * size


def _check_tensor_data(
    tensors: Sequence[_Tensor], entries: Mapping[str, _Entry], header_end: int, size: int
) -> None:
    alignment = entries.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment > 2**20:
        raise _Refused("its header is damaged (alignment)")
    data_start = -(-header_end // alignment) * alignment
    needed = data_start
    for tensor in tensors:
        if tensor.offset % alignment:
            raise _Refused(f"its header is damaged (“{tensor.name[:60]}” starts at a wrong place)")
        needed = max(needed, data_start + tensor.offset + _tensor_bytes(tensor))
    if needed > size:
        missing = needed - size
        raise _Refused(f"{missing:,} bytes of {needed:,} are missing; the download was cut off")


def _judged(
    path: Path, size: int, entries: Mapping[str, _Entry], tensors: Sequence[_Tensor]
) -> GgufHeader:
    architecture = entries.get("general.architecture")
    if not isinstance(architecture, str) or not architecture:
        raise _Refused("it does not say which architecture it is")
    if architecture == "clip":
        raise _Refused("it is the picture part of another model, not a model", _NOT_A_MODEL)
    if _whole(entries, "split.count", 1) > 1:
        raise _Refused(
            f"it is one part of a model in {entries['split.count']} files",
            "Choose a model that comes as one file.",
        )
    blocks = _checked_blocks(_whole(entries, f"{architecture}.block_count", 0), tensors)
    context = _whole(entries, f"{architecture}.context_length", 0)
    if not 1 <= context <= MAX_CONTEXT:
        raise _Refused(f"its header is damaged (a context length of {context})")
    width = _checked_width(architecture, entries, tensors)
    scalars = {key: value for key, value in entries.items() if not isinstance(value, _Array)}
    arrays = {key: value for key, value in entries.items() if isinstance(value, _Array)}
    return GgufHeader(
        path,
        size,
        architecture,
        blocks,
        context,
        width,
        _checked_vocabulary(entries),
        MappingProxyType(scalars),
        MappingProxyType({key: value.numbers for key, value in arrays.items() if value.numbers}),
    )


def _whole(entries: Mapping[str, _Entry], key: str, default: int) -> int:
    value = entries.get(key, default)
    if isinstance(value, _Array) and value.numbers:
        value = max(value.numbers)
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def _checked_blocks(claimed: int, tensors: Sequence[_Tensor]) -> int:
    """`claimed` when it is the number of blocks whose tensors are there.

    llama.cpp aborts the process on a count of 0 or of a million, and trusts any other.
    """
    found = {int(match[1]) for tensor in tensors if (match := _BLOCK_NAME.search(tensor.name))}
    if not 1 <= claimed <= MAX_BLOCKS:
        raise _Refused(f"its header is damaged (it claims {claimed} blocks)")
    if claimed != len(found) or max(found) != claimed - 1:
        raise _Refused(f"its header claims {claimed} blocks, the file has {len(found)}")
    return claimed


def _checked_width(
    architecture: str, entries: Mapping[str, _Entry], tensors: Sequence[_Tensor]
) -> int:
    width = _whole(entries, f"{architecture}.embedding_length", 0)
    if not 1 <= width <= MAX_WIDTH:
        raise _Refused(f"its header is damaged (an embedding length of {width})")
    heads_key = f"{architecture}.attention.head_count"
    attention = any(".attn_q" in tensor.name for tensor in tensors)
    heads = _whole(entries, heads_key, 0)
    if attention and not 1 <= heads <= MAX_HEADS:
        raise _Refused(f"its header is damaged (it claims {heads} attention heads)")
    for key in (f"{heads_key}_kv", f"{architecture}.rope.dimension_count"):
        if not 0 <= _whole(entries, key, 0) <= MAX_WIDTH:
            raise _Refused(f"its header is damaged (“{key}”)")
    return width


def _checked_vocabulary(entries: Mapping[str, _Entry]) -> int:
    tokens = entries.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, _Array) or tokens.kind != _STRING or tokens.count == 0:
        raise _Refused("it has no vocabulary")
    for key, value in entries.items():
        # llama.cpp loads such a file and reads outside its tables later. 2^32 - 1 is what some
        # converters write for "none".
        names_token = key.startswith("tokenizer.ggml.") and key.endswith("_token_id")
        fits = isinstance(value, int) and (-1 <= value < tokens.count or value == 2**32 - 1)
        if names_token and not fits:
            raise _Refused(f"its header is damaged (“{key}” is {value!r})")
    return tokens.count
