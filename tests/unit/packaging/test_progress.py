"""What a person sees while something takes minutes."""

from __future__ import annotations

import io

import pytest

from devtools.progress import Progress, doing, spoken, usually


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Hand:
    """A clock moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.9, "59 s"), (60, "1:00 min"), (247, "4:07 min")]
)
def test_durations_read_as_people_say_them(seconds: float, text: str) -> None:
    assert spoken(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(3, "usually under 10 s"), (240, "usually about 4 min")]
)
def test_the_usual_time_is_round(seconds: float, text: str) -> None:
    assert usually(seconds) == text


@pytest.mark.parametrize(
    ("log", "text"),
    [
        ("", ""),
        ("nothing known", ""),
        ("Collecting a>=1\n  Downloading a-2.whl (17 MB)", "downloading a-2.whl"),
        ("  [12/193] Building CXX object a.o\n  warning: unused", "compiling 12 of 193"),
        ("  [1/9] x\n  [2/9] y", "compiling 2 of 9"),
        ("  Installing build dependencies: started", "fetching the build tools"),
        ("Installing collected packages: a, b", "unpacking"),
    ],
)
def test_the_log_says_what_is_being_done(log: str, text: str) -> None:
    assert doing(log) == text


def test_a_terminal_gets_one_line_that_is_rewritten() -> None:
    out, clock = Terminal(), Hand()
    progress = Progress("Building", 240, out, clock)
    for clock.now in (1, 2, 65):
        progress.tick("compiling 3 of 9")
    assert "\n" not in out.getvalue()
    assert "Building: 1:05 min (usually about 4 min), compiling 3 of 9" in out.getvalue()
    progress.done()
    assert out.getvalue().endswith("Building: done in 1:05 min\n")


def test_a_shorter_line_leaves_nothing_of_the_longer_one() -> None:
    out = Terminal()
    progress = Progress("Building", 240, out, Hand())
    progress.tick("downloading something-long-1.0.tar.gz")
    long = len(out.getvalue())
    progress.tick("x")
    assert len(out.getvalue()) - long >= long - 1


def test_a_log_file_gets_a_line_at_the_start_and_every_half_minute() -> None:
    out, clock = io.StringIO(), Hand()
    progress = Progress("Building", 240, out, clock)
    for second in range(100):
        clock.now = float(second)
        progress.tick("working")
    assert len(out.getvalue().splitlines()) == 1 + 3
    assert "\r" not in out.getvalue()
