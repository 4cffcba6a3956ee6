"""Whether a model fits: the arithmetic, against figures that were measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import ModelTooLarge
from moltbot_desktop.models.catalogue import load_catalogue
from moltbot_desktop.models.fit import (
    SMALLEST_WINDOW,
    SPARE_BYTES,
    Need,
    Verdict,
    context_for,
    judge,
    kv_bytes_per_token,
    tokens_per_second,
)
from moltbot_desktop.models.gguf_header import GgufHeader, read_header
from moltbot_desktop.models.machine import Memory, parse_meminfo, parse_vm_stat
from tests.data.make_gguf import TinyModel, write_chat_model

GIB = 2**30


def header(
    size: int = 2_500_000_000, context: int = 40_960, layers: int = 36, **more: int
) -> GgufHeader:
    """Shaped like a 4-billion-parameter model of 2025."""
    attention = {"head_count": 32, "head_count_kv": 8, "key_length": 128, "value_length": 128}
    metadata = {f"x.attention.{key}": value for key, value in {**attention, **more}.items()}
    return GgufHeader(Path("m.gguf"), size, "x", layers, context, 2560, 150_000, metadata)


def test_a_token_takes_what_was_measured() -> None:
    assert kv_bytes_per_token(header(), "f16") == 144 * 1024
    assert kv_bytes_per_token(header(), "q8_0") == 144 * 1024 * 34 // 64


def test_catalogue_and_file_agree(checkout: Path) -> None:
    """The same model from the catalogue's figures and from such a header."""
    entry = next(e for e in load_catalogue(checkout / "resources") if e.name == "qwen3-4b")
    need = Need.of_entry(entry, "f16")
    assert need is not None and need.per_token == kv_bytes_per_token(header(), "f16")


def test_heads_of_each_layer_are_summed(tmp_path: Path) -> None:
    """Mixed models keep keys in some layers only; an array in the file says in which."""
    mixed = GgufHeader(
        Path("m.gguf"), 1, "x", 4, 512, 2048, 1000,
        {"x.attention.head_count": 32}, {"x.attention.head_count_kv": (0, 0, 8, 0)},
    )  # fmt: skip
    assert kv_bytes_per_token(mixed, "f16") == 8 * (64 + 64) * 2


def test_a_real_header_gives_its_own_figures(tmp_path: Path) -> None:
    path = write_chat_model(tmp_path / "tiny.gguf", TinyModel(width=32, layers=2))
    assert kv_bytes_per_token(read_header(path), "f16") == 2 * 2 * (16 + 16) * 2


@pytest.mark.parametrize(
    ("free", "total", "verdict"),
    [(6, 8, Verdict.FITS), (4, 8, Verdict.TIGHT), (2, 8, Verdict.TIGHT), (2, 3, Verdict.NO)],
)
def test_verdicts(free: int, total: int, verdict: Verdict) -> None:
    fit = judge(Need.of_header(header(), "f16"), 8192, Memory(free * GIB, total * GIB))
    assert fit.verdict is verdict
    assert (fit.window == 8192) is (verdict is Verdict.FITS)


@given(st.integers(0, 64 * GIB), st.integers(256, 65_536), st.sampled_from(["f16", "q8_0"]))
def test_the_window_is_the_largest_that_leaves_a_gibibyte(
    free: int, wanted: int, kv_type: str
) -> None:
    model = header()
    a_token = kv_bytes_per_token(model, kv_type)
    try:
        window = context_for(free, model, wanted, kv_type)
    except ModelTooLarge as refused:
        least = min(SMALLEST_WINDOW, wanted)
        assert free < model.size_bytes + least * a_token + SPARE_BYTES + 256 * a_token
        assert "GB are free" in refused.message and refused.hint
        return
    longest = min(wanted, model.context_length)
    assert window == longest or window % 256 == 0
    assert model.size_bytes + window * a_token + SPARE_BYTES <= free
    more = window + 256
    assert window == longest or model.size_bytes + more * a_token + SPARE_BYTES > free


def test_a_model_with_a_tiny_window_is_no_problem() -> None:
    assert context_for(2 * GIB, header(size=5_000_000, context=192), 8192, "f16") == 192


def test_speed_is_memory_over_size() -> None:
    assert tokens_per_second(2_500_000_000, 25e9) == pytest.approx(10.0)


def test_memory_of_linux_and_of_macos() -> None:
    meminfo = "MemTotal:  16000 kB\nMemFree: 10 kB\nMemAvailable:   8000 kB\nHugePages_Total: 0\n"
    assert parse_meminfo(meminfo) == Memory(8000 * 1024, 16000 * 1024)
    vm_stat = (
        "Mach Virtual Memory Statistics: (page size of 16384 bytes)\n"
        "Pages free:                 100.\nPages active:    50.\nPages inactive:   20.\n"
        "Pages speculative:           3.\n"
    )
    assert parse_vm_stat(vm_stat, 2**30) == Memory(123 * 16384, 2**30)


@given(st.text())
def test_texts_that_say_nothing_are_no_memory(text: str) -> None:
    for found in (parse_meminfo(text), parse_vm_stat(text, 2**30)):
        assert found is None or found.free >= 0
