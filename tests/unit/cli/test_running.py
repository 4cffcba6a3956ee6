"""What `status`, `health` and `call` print of what the running assistant answers."""

from __future__ import annotations

import io
import json

import pytest

from moltbot_desktop.cli.parser import parse
from moltbot_desktop.cli.running import run_running
from moltbot_desktop.core.errors import NobodyListens, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue

STATUS: JsonObject = {
    "version": "1.2.3",
    "pid": 4711,
    "uptimeSeconds": 7_510,
    "model": {"name": "tiny", "contextTokens": 8192},
    "runs": {"running": 1, "waiting": 2},
    "memory": {"files": 12, "note": "Words only."},
    "reminders": 3,
    "channels": [
        {"channel": "pipe", "accountId": "a", "enabled": True, "running": True},
        {
            "channel": "pipe",
            "accountId": "b",
            "enabled": True,
            "running": True,
            "lastError": "/x: gone",
        },
        {"channel": "pipe", "accountId": "c", "enabled": False, "running": False},
        {
            "channel": "telegram",
            "accountId": "default",
            "enabled": True,
            "running": False,
            "lastError": "This version has no such channel.",
        },
    ],
}


class Assistant:
    """Answers every method with `payload`."""

    def __init__(self, payload: JsonValue) -> None:
        self.payload = payload
        self.asked: list[tuple[str, JsonObject]] = []

    def __call__(self, method: str, params: JsonObject) -> JsonValue:
        self.asked.append((method, params))
        return self.payload


def said(
    assistant: Assistant, *argv: str, language: Language = Language.ENGLISH
) -> tuple[int, str]:
    out = io.StringIO()
    code = run_running(assistant, parse(argv), language, out)
    return code, out.getvalue()


def test_status_in_words() -> None:
    code, text = said(Assistant(STATUS), "status")
    assert code == 0
    assert text.splitlines() == [
        "Moltbot 1.2.3 is running (process 4711), for 2 h 5 min.",
        "Model: tiny, window 8,192 tokens",
        "Answers going on: 1, waiting: 2",
        "Memory: 12 files. Words only.",
        "Reminders ahead: 3",
        "Channel pipe a: open",
        "Channel pipe b: open, but /x: gone",
        "Channel pipe c: switched off in the settings",
        "Channel telegram default: This version has no such channel.",
    ]


def test_status_says_what_was_put_aside() -> None:
    account = {"channel": "pipe", "accountId": "a", "enabled": True, "running": True, "putAside": 2}
    told = {**STATUS, "channels": [account]}
    _, text = said(Assistant(told), "status")
    assert text.splitlines()[-1] == (
        "Channel pipe a: open; put aside, because they break something in it: 2"
    )


def test_status_in_chinese_before_any_model_is_loaded() -> None:
    told = {**STATUS, "model": {"name": ""}, "uptimeSeconds": 59}
    _, text = said(Assistant(told), "status", language=Language.CHINESE)
    assert "已运行 不到一分钟" in text
    assert "尚未载入" in text


@pytest.mark.parametrize(
    ("seconds", "age"),
    [(60, "1 min"), (3_600, "1 h"), (90_061, "1 d 1 h"), (86_460, "1 d 1 min")],
)
def test_an_age_has_its_two_largest_units(seconds: int, age: str) -> None:
    _, text = said(Assistant({**STATUS, "uptimeSeconds": seconds}), "status")
    assert f"for {age}." in text


def test_status_for_a_script_is_the_answer_itself() -> None:
    assert json.loads(said(Assistant(STATUS), "status", "--json")[1]) == STATUS


@pytest.mark.parametrize(("problem", "code"), [("", 0), ("the disk is full", 1)])
def test_health_is_an_exit_code(problem: str, code: int) -> None:
    got, text = said(Assistant({"ok": not problem, "problem": problem}), "health")
    assert got == code
    assert problem in text


def test_call_hands_its_parameters_on_and_prints_the_answer() -> None:
    assistant = Assistant([{"key": "agent:main:main"}])
    code, text = said(assistant, "call", "sessions.list", '{"limit": 3}')
    assert (code, json.loads(text)) == (0, assistant.payload)
    assert assistant.asked == [("sessions.list", {"limit": 3})]


@pytest.mark.parametrize("text", ["3", "{", "[1]", "[" * 50_000])
def test_parameters_that_are_no_object_are_refused_with_an_example(text: str) -> None:
    assistant = Assistant(None)
    with pytest.raises(UserInputInvalid) as told:
        said(assistant, "call", "status", text, language=Language.CHINESE)
    assert "{" in told.value.hint
    assert not assistant.asked


def test_nobody_running_is_told_by_the_one_who_asks() -> None:
    def nobody(_: str, __: JsonObject) -> JsonValue:
        raise NobodyListens("No Moltbot Desktop is running.")

    with pytest.raises(NobodyListens):
        run_running(nobody, parse(["status"]), Language.ENGLISH, io.StringIO())
