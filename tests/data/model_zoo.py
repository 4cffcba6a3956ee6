"""Model files that are not what they should be, each made from a good one.

They are the files that were tried on llama.cpp itself: it refuses most of them, loads some and
babbles, and dies of two (a block count of 0 and of a million).
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

Damage = Callable[[bytes], bytes]


def put(data: bytes, offset: int, form: str, value: int) -> bytes:
    """`data` with a packed number written over it."""
    return data[:offset] + struct.pack(form, value) + data[offset + struct.calcsize(form) :]


def set_key(data: bytes, key: str, value: int) -> bytes:
    """`data` with another value of the 32-bit entry `key`, which follows its name and type."""
    at = data.index(key.encode() + b"\x04\0\0\0") + len(key) + 4
    return put(data, at, "<I", value)


def _noise(_: bytes) -> bytes:
    return random.Random(1).randbytes(5000)


def _flipped(seed: int, bits: int) -> Damage:
    """Some bits of the header the other way round."""

    def flip(good: bytes) -> bytes:
        damaged, chance = bytearray(good), random.Random(seed)
        for _ in range(bits):
            damaged[chance.randrange(24, 20_000)] ^= 1 << chance.randrange(8)
        return bytes(damaged)

    return flip


def _not_numbers(good: bytes) -> bytes:
    """Two thousand bytes of the weights are 0xFF, which makes NaN of some."""
    damaged, chance = bytearray(good), random.Random(1)
    for _ in range(2000):
        damaged[chance.randrange(len(good) // 2, len(good))] = 0xFF
    return bytes(damaged)


def _key(name: str, value: int) -> Damage:
    return lambda good: set_key(good, name, value)


def _cut(end: int) -> Damage:
    return lambda good: good[:end]


# What every one of them must be refused for, by a reason that holds these words.
REFUSED: dict[str, tuple[Damage, str]] = {
    "empty": (lambda good: b"", "it is empty"),
    "noise": (_noise, "not a GGUF file"),
    "web page": (lambda good: b"<html>404 not found</html>" * 50, "web page"),
    "magic only": (lambda good: b"GGUF", "ends in the middle"),
    "cut at 24": (_cut(24), "ends in the middle"),
    "cut at 100": (_cut(100), "ends in the middle"),
    "cut at 5000": (_cut(5000), "ends in the middle"),
    "cut at 50000": (_cut(50_000), "cut off"),
    "cut in half": (lambda good: good[: len(good) // 2], "cut off"),
    "cut by 10": (_cut(-10), "10 bytes of"),
    "version 99": (lambda good: put(good, 4, "<I", 99), "version is 99"),
    "2^62 tensors": (lambda good: put(good, 8, "<Q", 2**62), "damaged"),
    "1e9 tensors": (lambda good: put(good, 8, "<Q", 10**9), "damaged"),
    "2^62 entries": (lambda good: put(good, 16, "<Q", 2**62), "damaged"),
    "1e9 entries": (lambda good: put(good, 16, "<Q", 10**9), "damaged"),
    "2^60 in a key": (lambda good: put(good, 24, "<Q", 2**60), "middle of its header"),
    "unknown architecture": (lambda good: good.replace(b"llama", b"zzzzz"), "architecture"),
    "1e6 blocks": (_key("llama.block_count", 10**6), "1000000 blocks"),
    "0 blocks": (_key("llama.block_count", 0), "0 blocks"),
    "0 heads": (_key("llama.attention.head_count", 0), "0 attention heads"),
    "7 heads": (_key("llama.attention.head_count", 7), "n_rot"),
    "width 100000": (_key("llama.embedding_length", 100_000), "n_rot"),
    "bos 1e9": (_key("tokenizer.ggml.bos_token_id", 10**9), "bos_token_id"),
    "eos 1e9": (_key("tokenizer.ggml.eos_token_id", 10**9), "eos_token_id"),
    "no context": (_key("llama.context_length", 0), "context"),
    "rope of 77": (_key("llama.rope.dimension_count", 77), "n_rot: 77"),
    "weights that are no numbers": (_not_numbers, "tensor"),
}
# These may be harmless: that depends on where the bits fall.
FLIPPED: dict[str, Damage] = {
    **{f"12 bits flipped, {seed}": _flipped(seed, 12) for seed in range(6)},
    **{f"1 bit flipped, {seed}": _flipped(seed, 1) for seed in range(12)},
}
