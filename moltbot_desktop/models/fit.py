"""Whether a model fits this computer, with the numbers, before anything is loaded.

A model takes its file (mapped, but every byte is read for each token) and, for each token of
the conversation, keys and values of every layer. One GiB stays spare for llama.cpp's own buffers
and the rest of the program. All of it is pure: memory and headers are handed in.

    need = Need.of_header(header, "f16")
    judge(need, 8192, memory)                      # Fit(verdict, context, needed, ...)
    context_for(memory.free, header, 8192, "f16")  # tokens, or ModelTooLarge
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.core.errors import ModelTooLarge
from moltbot_desktop.models.catalogue import CatalogueEntry
from moltbot_desktop.models.gguf_header import GgufHeader
from moltbot_desktop.models.machine import Memory

SPARE_BYTES = 2**30
WINDOW_STEP = 256
SMALLEST_WINDOW = 2048
# Bytes a value: q8_0 holds 32 values in 34 bytes.
_VALUE_BYTES = {"f16": 2.0, "q8_0": 34 / 32}


class Verdict(StrEnum):
    """Whether a model fits. `TIGHT`: with a smaller window, or once other programs give memory
    back."""

    FITS = "fits"
    TIGHT = "tight"
    NO = "no"


@dataclass(frozen=True)
class Need:
    """What a model asks of memory.

    Attributes:
        weights: bytes of the file.
        per_token: bytes of conversation a token; None when nobody knows.
        longest: the window it was trained for, tokens; None when nobody knows.
    """

    weights: int
    per_token: int | None
    longest: int | None

    @classmethod
    def of_header(cls, header: GgufHeader, kv_type: str) -> Need:
        """From the file itself."""
        per_token = kv_bytes_per_token(header, kv_type)
        return cls(header.size_bytes, per_token, header.context_length)

    @classmethod
    def of_entry(cls, entry: CatalogueEntry, kv_type: str) -> Need | None:
        """From the catalogue; None when it does not know the file's size."""
        if entry.bytes is None:
            return None
        per_token = None
        if entry.layers and entry.kv_heads and entry.head_size:
            values = 2 * entry.layers * entry.kv_heads * entry.head_size
            per_token = int(values * _VALUE_BYTES[kv_type])
        return cls(entry.bytes, per_token, entry.context)

    def window(self, wanted: int) -> int:
        """`wanted` tokens, or the model's own window where that is smaller."""
        return min(wanted, self.longest or wanted)

    def bytes_for(self, window: int) -> int:
        """Memory with a conversation of `window` tokens, the spare GiB included."""
        return self.weights + window * (self.per_token or 0) + SPARE_BYTES

    def window_in(self, free: int, wanted: int) -> int:
        """The largest window, at most `wanted`, that `free` bytes allow; 0 when none does."""
        whole = self.window(wanted)
        if self.bytes_for(whole) <= free:
            return whole
        left = free - self.bytes_for(0)
        if left <= 0 or not self.per_token:
            return 0
        return min(left // self.per_token, whole) // WINDOW_STEP * WINDOW_STEP


@dataclass(frozen=True)
class Fit:
    """The verdict and what it was made of.

    Attributes:
        window: tokens of the window that is possible now; 0 for none.
        needed: bytes for the window that was wanted.
        free: bytes that programs can have now.
        total: bytes of all memory.
    """

    verdict: Verdict
    window: int
    needed: int
    free: int
    total: int


def kv_bytes_per_token(header: GgufHeader, kv_type: str) -> int:
    """Bytes of keys and values that one token of conversation takes in all layers."""
    prefix = f"{header.architecture}.attention."
    heads = _number(header, f"{prefix}head_count", 1)
    default = header.embedding_length // max(heads, 1)
    width = _number(header, f"{prefix}key_length", default) + _number(
        header, f"{prefix}value_length", default
    )
    # Mixed models say it for each layer; those that keep no keys have 0 there.
    each = header.per_layer.get(f"{prefix}head_count_kv")
    if each is None:
        each = (_number(header, f"{prefix}head_count_kv", heads),) * header.block_count
    return int(sum(each) * width * _VALUE_BYTES[kv_type])


def judge(need: Need, wanted: int, memory: Memory) -> Fit:
    """Whether a conversation of `wanted` tokens fits into `memory`, now or at all."""
    window = need.window_in(memory.free, wanted)
    # A model with a window of its own below the smallest useful one needs no more than that.
    useful = min(SMALLEST_WINDOW, need.window(wanted))
    if window >= need.window(wanted):
        verdict = Verdict.FITS
    elif need.window_in(memory.total, wanted) >= useful:
        verdict = Verdict.TIGHT
    else:
        verdict = Verdict.NO
    needed = need.bytes_for(need.window(wanted))
    return Fit(verdict, window, needed, memory.free, memory.total)


def context_for(free_bytes: int, header: GgufHeader, wanted: int, kv_type: str) -> int:
    """The largest window in tokens, at most `wanted`, that leaves one GiB of `free_bytes`.

    A multiple of 256, unless the model's own window or `wanted` is reached.

    Raises:
        ModelTooLarge: not even a short conversation fits; says the numbers.
    """
    need = Need.of_header(header, kv_type)
    useful = min(SMALLEST_WINDOW, need.window(wanted))
    window = need.window_in(free_bytes, wanted)
    if window < useful:
        raise ModelTooLarge(
            f"“{header.path.name}” does not fit into memory: it needs"
            f" {need.bytes_for(useful) / 1e9:.1f} GB for a short conversation,"
            f" {free_bytes / 1e9:.1f} GB are free.",
            hint="Close other programs, or choose a smaller model.",
        )
    return window


def tokens_per_second(weights: int, memory_speed: float) -> float:
    """What to expect while it writes, from bytes a second that memory gives."""
    return memory_speed / max(weights, 1)


def _number(header: GgufHeader, key: str, default: int) -> int:
    value = header.metadata.get(key)
    if value is None and header.per_layer.get(key):
        value = max(header.per_layer[key])
    return value if isinstance(value, int) and not isinstance(value, bool) else default
