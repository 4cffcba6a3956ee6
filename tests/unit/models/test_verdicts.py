"""Which verdicts about a model file last: those about the file, never those about the moment."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.models.verdicts import Verdict, VerdictStore, judge

ABORTED, SEGMENT, FLOATING = -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGFPE


def test_an_answer_counts_whatever_the_exit_code_is() -> None:
    assert judge(ABORTED, b'{"reason": ""}', b"") == Verdict("", lasting=True)
    assert judge(1, b'{"reason": "it is odd"}', b"") == Verdict("it is odd", lasting=True)
    assert judge(1, b'{"trouble": "later"}', b"") == Verdict("later", lasting=False)


@pytest.mark.parametrize("code", [ABORTED, SEGMENT, FLOATING, 0xC0000005, 0xC0000409])
def test_a_child_that_a_file_broke_lasts(code: int) -> None:
    verdict = judge(code, b"", b"")
    assert verdict.lasting and str(code) in verdict.reason


def test_an_assertion_lasts_however_the_child_ended() -> None:
    verdict = judge(3, b"", b"x\n/a/ggml.c:1: GGML_ASSERT(a == b) failed\nlast\n")
    assert verdict.lasting and "ggml.c:1: GGML_ASSERT(a == b) failed" in verdict.reason


@pytest.mark.parametrize("code", [-9, -15, 0, 1, 3])
def test_any_other_end_does_not_last(code: int) -> None:
    verdict = judge(code, b"", b"some words")
    assert verdict.reason and not verdict.lasting
    assert ("outside" in verdict.reason) is (code == -9)


TROUBLES = [
    "terminate called after throwing an instance of 'std::bad_alloc'",
    "ggml_aligned_malloc: insufficient memory (attempted to allocate 4096.00 MB)",
    "failed to allocate buffer for kv cache",
    "unable to allocate CPU_REPACK buffer",
    "mmap failed: Cannot allocate memory",
    "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 1.00 GiB",
    "MemoryError",
    "ggml-cuda.cu:88: CUDA error: out of memory",
    # Of llama.cpp for an address space 1 to 256 MiB larger than Python's: it starts a thread.
    "Resource temporarily unavailable",
    "failed to open the file: Too many open files",
    "read error: Input/output error",
]


@pytest.mark.parametrize("said", TROUBLES)
def test_too_little_of_something_does_not_last_whoever_says_it(said: str) -> None:
    dying = f"{said}\n/a/ggml.c:1: GGML_ASSERT(buffer) failed\n".encode()
    assert not judge(ABORTED, b"", dying).lasting
    assert not judge(1, json.dumps({"reason": said}).encode(), b"").lasting


@given(st.integers(-64, 2**32), st.binary(), st.binary())
def test_any_end_is_a_verdict(code: int, output: bytes, errors: bytes) -> None:
    assert len(judge(code, output, errors).reason) < 300 or b"reason" in output


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda x: st.lists(x) | st.dictionaries(st.sampled_from(["reason", "trouble", "x"]), x),
    )
)
def test_any_json_is_a_verdict(value: object) -> None:
    assert isinstance(judge(1, json.dumps(value).encode(), b""), Verdict)


def test_what_is_kept_comes_back_and_the_oldest_go(tmp_path: Path) -> None:
    store = VerdictStore(tmp_path / "new" / "verdicts.json")
    assert store.reason("a") is None
    store.keep("a", "")
    store.keep("b", "it is odd: 坏")
    assert (store.reason("a"), store.reason("b")) == ("", "it is odd: 坏")
    for number in range(500):
        store.keep(f"file {number}", "")
    assert store.reason("a") is None is store.reason("b")
    assert store.reason("file 0") == ""
