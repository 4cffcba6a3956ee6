"""How `models` looks in the terminal, in both languages and as JSON."""

from __future__ import annotations

import io
import json
import string

import pytest

from moltbot_desktop.cli.models import ModelsOutput, clock_time
from moltbot_desktop.cli.models_texts import PHRASES
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.progress import Phase, TransferProgress
from moltbot_desktop.sdk.model_shelf import FitLine, ModelCheck, ModelLine

GB = 10**9
FITS = FitLine("fits", 5 * GB, 8 * GB, 16 * GB, 8192, 8192)
LINES = (
    ModelLine("mine", "chat", True, in_use=True, size=2 * GB, fit=FITS, tokens_per_second=12.3),
    ModelLine("broken", "chat", True, size=5, problem="It is empty."),
    ModelLine(
        "offer", "embedding", False, size=100, fetched=43, licence="MIT", languages=("en", "zh"),
        context=512, about="Small.", fit=FitLine("no", 9 * GB, GB, 2 * GB, 512, 0),
        tokens_per_second=3.0,
    ),
)  # fmt: skip


class Shown:
    """An output with what it wrote."""

    def __init__(self, language=Language.ENGLISH, as_json: bool = False, live: bool = False):
        self.out, self.err = io.StringIO(), io.StringIO()
        self.output = ModelsOutput(self.out, self.err, language, as_json, live)


def receiving(done: int, **more) -> TransferProgress:
    values = {"bytes_per_second": 2e6, "seconds_left": 75.0, **more}
    return TransferProgress("x", Phase.RECEIVING, done, 200_000_000, **values)


def test_the_list_says_what_is_here_what_is_not_and_whether_it_fits() -> None:
    shown = Shown()
    shown.output.listing(LINES)
    text = shown.out.getvalue()
    here, offers = text.split("Models you can fetch")
    assert "● mine (chat, in use)" in here and "about 12 tokens/s" in here
    assert "fits: needs 5.0 GB with 8,192 tokens, 8.0 GB are free" in here
    assert "✗ broken" in here and "It is empty." in here
    assert "43 % fetched; “models pull offer” goes on" in offers
    assert "MIT · en zh · 512 tokens" in offers and "no: needs 9.0 GB" in offers
    assert "tokens/s" not in offers, "no speed for what cannot be loaded"


@pytest.mark.parametrize(
    ("fit", "words"),
    [
        (FitLine("tight", 5 * GB, 4 * GB, 8 * GB, 8192, 2048), "now it gets 2,048 tokens"),
        (FitLine("tight", 5 * GB, GB, 8 * GB, 8192, 0), "close other programs first"),
    ],
)
def test_tight_says_why(fit: FitLine, words: str) -> None:
    shown = Shown()
    shown.output.listing([ModelLine("m", "chat", False, fit=fit)])
    assert words in shown.out.getvalue()


@pytest.mark.parametrize(("speed", "words"), [(4.04, "4.0"), (55.0, "55"), (9999.0, "over 100")])
def test_a_speed_is_as_exact_as_it_is_known(speed: float, words: str) -> None:
    shown = Shown()
    shown.output.listing([ModelLine("m", "chat", True, fit=FITS, tokens_per_second=speed)])
    assert f"{words} tokens/s" in shown.out.getvalue()


def test_json_is_one_value_with_every_field() -> None:
    shown = Shown(as_json=True)
    shown.output.progress(receiving(1))
    shown.output.listing(LINES)
    values = json.loads(shown.out.getvalue())
    assert [value["name"] for value in values] == ["mine", "broken", "offer"]
    assert values[0]["fit"] == {
        "verdict": "fits", "needed": 5 * GB, "free": 8 * GB, "total": 16 * GB,
        "wanted": 8192, "window": 8192,
    }  # fmt: skip
    assert shown.err.getvalue() == ""


def test_progress_on_a_terminal_is_one_line_with_size_speed_and_time() -> None:
    shown = Shown(live=True)
    shown.output.progress(receiving(50_000_000))
    shown.output.progress(receiving(60_000_000))
    text = shown.err.getvalue()
    assert "\n" not in text and text.count("\r") == 2
    assert "x: 25 %, 50.0 of 200.0 MB, 2.0 MB/s, 1:15 left" in text
    shown.output.end_line()
    assert shown.err.getvalue().endswith("\n")


def test_progress_in_a_file_is_one_line_a_phase() -> None:
    shown = Shown()
    for done in range(0, 200_000_000, 1_000_000):
        shown.output.progress(receiving(done))
    shown.output.progress(TransferProgress("x", Phase.WAITING, 1, 2, reason="It broke."))
    shown.output.progress(TransferProgress("x", Phase.DONE, 2, 2))
    assert shown.err.getvalue().count("\n") == 3
    assert "x: It broke. Trying again…" in shown.err.getvalue()


def test_a_check_says_what_was_measured() -> None:
    shown = Shown()
    shown.output.check(ModelCheck("m", "chat", 1.25, 2.0, 3_000_000, 17.5, "I can\nhelp."))
    assert "17.5 tokens/s, 3 MB of memory" in shown.out.getvalue()
    assert "It wrote: I can help." in shown.out.getvalue()
    shown.output.check(ModelCheck("e", "embedding", 0.5, 0.012, None))
    assert "0.012 s, unknown of memory" in shown.out.getvalue()


@pytest.mark.parametrize("key", sorted(PHRASES.english))
def test_both_languages_have_the_same_slots(key: str) -> None:
    def slots(text: str) -> set[str | None]:
        return {name for _, name, _, _ in string.Formatter().parse(text)} - {None}

    assert slots(PHRASES.english[key]) == slots(PHRASES.chinese[key])


def test_in_chinese() -> None:
    shown = Shown(Language.CHINESE)
    shown.output.listing(LINES)
    shown.output.result("used", {}, name="mine")
    assert "已有的模型" in shown.out.getvalue() and "下次启动起使用 “mine”" in shown.out.getvalue()


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (75.9, "1:15"), (3661, "1:01:01"), (1e12, "99:59:59")]
)
def test_clock_time(seconds: float, text: str) -> None:
    assert clock_time(seconds) == text
