"""When a model's process is started again, and what the person hears when it died."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.models.worker.deaths import Deaths, death_error, too_many_error


def _deaths(*times: float) -> Deaths:
    deaths = Deaths()
    for time in times:
        deaths = deaths.after(time)
    return deaths


def test_after_one_death_it_is_started_at_once_and_after_the_second_within_two_seconds() -> None:
    assert Deaths().pause(5.0) == 0.0
    assert _deaths(5.0).pause(5.0) == 0.0
    assert _deaths(5.0, 6.0).pause(6.0) == 1.0
    assert _deaths(5.0, 6.0).pause(6.75) == 0.25
    assert _deaths(5.0, 6.0).pause(8.0) == 0.0


def test_the_third_death_within_a_minute_is_one_too_many() -> None:
    assert not _deaths(0.0, 10.0).too_many(10.0)
    third = _deaths(0.0, 10.0, 59.0)
    assert third.too_many(59.5) and third.pause(59.5) == 0.0  # it is said at once


def test_deaths_far_apart_are_never_too_many() -> None:
    deaths = Deaths()
    for time in range(0, 1000, 31):
        deaths = deaths.after(float(time))
        assert not deaths.too_many(float(time))


def test_a_minute_after_the_first_of_three_it_is_tried_again_and_one_more_ends_that() -> None:
    deaths = _deaths(0.0, 1.0, 2.0)
    assert deaths.too_many(59.9) and not deaths.too_many(60.0)
    assert deaths.after(60.5).too_many(60.5)


@pytest.mark.parametrize(
    ("code", "words", "said"),
    [
        (-9, [], "memory ran out"),
        (
            -6,
            ["load: ok", "x.c:1: GGML_ASSERT(a) failed", "(stack)"],
            "SIGABRT: x.c:1: GGML_ASSERT",
        ),
        (-11, [], "SIGSEGV"),
        (-11, ["Fatal Python error: Segmentation fault", '  File "a.py", line 3'], "Fatal Python"),
        (
            -6,
            ["/tmp/a b/src/llama.cpp:12: GGML_ASSERT(a/b) failed"],
            r"\(SIGABRT: .*llama.cpp:12: G",
        ),
        (-6, ["C:\\a\\src\\llama.cpp:12: GGML_ASSERT(b)"], r"\(SIGABRT: llama.cpp:12: GGML_ASS"),
        (1, ["  | RuntimeError: in a group"], r"\(exit code 1: RuntimeError: in a group"),
        (1, ["Traceback", "ValueError: x"], "exit code 1: ValueError: x"),
        (3, ["all well"], r"\(exit code 3\)"),
        (0, [], "exit code 0"),
        (0xC0000005, [], "exit code 0xc0000005"),
        (-120, [], "signal 120"),
    ],
    ids=range(12),
)
def test_a_death_is_told_in_words_with_what_to_do(code: int, words: list[str], said: str) -> None:
    error = death_error(code, words)
    with pytest.raises(ModelError, match=said):
        raise error
    assert "Ask again" in error.hint and error.message.startswith("The model's process")


def test_a_long_last_word_is_cut() -> None:
    assert len(death_error(1, ["Error: " + "x" * 5000]).message) < 300


def test_too_many_deaths_name_the_model_the_last_cause_and_a_way_out() -> None:
    error = too_many_error("qwen.gguf", death_error(-6, ["GGML_ASSERT(x) failed"]))
    assert "qwen.gguf" in error.message and "GGML_ASSERT(x)" in error.message
    assert "llama.cpp is at fault" in error.message and "another model" in error.hint
