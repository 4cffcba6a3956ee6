"""The real program in its window, driven by keys on a real X server with a tray host."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.make_gguf import write_chat_model
from tests.e2e.desktop.driver import (
    DesktopDriver,
    been_here,
    missing_programs,
    virtual_desktop,
    wait_until,
)
from tests.e2e.program import CHECKOUT, Program

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(missing_programs()), reason=f"needs {missing_programs()}"),
]
SIX_LINES = (
    ("Remember that my dentist is Dr. Okafor, phone 555-0142", "memory_store"),
    ("Who is my dentist?", "memory_search"),
    ("记住我的车牌号是沪A12345", "memory_store"),
    ("我的车牌号是什么？", "memory_search"),
    ("Remind me in 2 minutes to call Anna", "reminder_add"),
    ("What reminders do I have?", "reminder_list"),
)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "moltbot_desktop", *arguments]


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DesktopDriver]:
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    with virtual_desktop(tmp_path) as desktop:
        driver = DesktopDriver(desktop, command())
        been_here(driver.home)
        yield driver
        if driver.running:
            driver.kill()


def outcomes(driver: DesktopDriver) -> list[str]:
    """The texts of all finished runs, in order."""
    records = [json.loads(line) for line in driver.transcripts().splitlines()]
    return [record["data"]["text"] for record in records if _is_outcome(record)]


def _is_outcome(record: dict[str, object]) -> bool:
    data = record.get("data")
    return isinstance(data, dict) and "kind" in data and "text" in data


def say(driver: DesktopDriver, text: str) -> str:
    """Type a line and wait for the answer to it."""
    before = len(outcomes(driver))
    driver.say(text)
    wait_until(lambda: len(outcomes(driver)) > before, f"an answer to {text!r}", 60)
    return outcomes(driver)[-1]


def test_six_lines_in_the_window(driver: DesktopDriver) -> None:
    driver.start()
    answers = [say(driver, text) for text, _ in SIX_LINES]
    driver.screenshot("window-six-lines")
    assert "Dr. Okafor" in answers[1]
    assert "555-0142" in answers[1]
    assert "沪A12345" in answers[3]
    assert "call Anna" in answers[5]
    transcript = driver.transcripts()
    for _, tool in SIX_LINES:
        assert f'"{tool}"' in transcript
    assert driver.quit() == 0
    assert "Traceback" not in driver.printed


def test_the_conversation_is_there_again_after_a_restart(driver: DesktopDriver) -> None:
    driver.start()
    say(driver, "Remember that the blue box holds the passports")
    assert driver.quit() == 0
    driver.start()
    driver.screenshot("window-after-restart")
    assert "passports" in say(driver, "What is in the blue box?")
    assert driver.quit() == 0


def test_a_shell_talks_to_the_assistant_in_the_window(driver: DesktopDriver) -> None:
    driver.start()
    shell = Program(driver.home)
    say(driver, "Remember that the blue box holds the passports")
    before = len(outcomes(driver))
    done = shell.run("chat", "--resume", lines="What is in the blue box?\n")
    assert done.returncode == 0, done.stderr
    assert "passports" in done.stdout
    driver.screenshot("window-asked-from-a-shell")
    # In the one conversation there is, which the window shows.
    assert len(outcomes(driver)) == before + 1
    status = json.loads(shell.run("status", "--json").stdout)
    assert status["session"] == "agent:main:main"
    assert status["model"]["name"]
    assert driver.quit() == 0
    assert not (driver.home / "gateway.sock").exists()


def test_a_second_start_shows_the_first_window(driver: DesktopDriver) -> None:
    driver.start()
    second = DesktopDriver(driver.desktop, command())
    second.start(wait_for_window=False)
    wait_until(lambda: not second.running, "the second start to end", 60)
    assert second.quit() == 0
    assert driver.running
    assert driver.quit() == 0


def test_killed_while_answering(driver: DesktopDriver, tmp_path: Path) -> None:
    model = tmp_path / "slow.gguf"
    write_chat_model(model)
    slow = DesktopDriver(driver.desktop, command())
    (slow.home / "moltbot.json").write_text(f'{{models: {{chat: "{model}"}}}}', encoding="utf-8")
    slow.start()
    slow.say("tell me a very long story")
    slow.wait_for_transcript("tell me a very long story")
    slow.kill()
    (slow.home / "moltbot.json").unlink()
    driver.start()
    driver.wait_for_transcript("the program ended")
    assert "42" in say(driver, "What is 6*7?")
    driver.screenshot("window-after-a-kill")
    records = [json.loads(line) for line in driver.transcripts().splitlines()]
    told = [record["data"]["kind"] for record in records if _is_outcome(record)]
    assert told == ["cancelled", "answered"]
    assert driver.quit() == 0


def test_a_bad_model_file_leaves_the_running_window_alone(
    driver: DesktopDriver, tmp_path: Path
) -> None:
    driver.start()
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + os.urandom(4_000))
    done = Program(driver.home).run("ask", "--model", str(bad), "hello")
    assert done.returncode == 2
    assert "42" in say(driver, "What is 6*7?")
    assert driver.quit() == 0


def test_chinese_and_dark(driver: DesktopDriver) -> None:
    (driver.home / "moltbot.json").write_text(
        '{ui: {theme: "dark"}, agents: {defaults: {language: "zh"}}}', encoding="utf-8"
    )
    driver.start()
    assert "42" in say(driver, "6 乘以 7 等于多少？")
    say(driver, "你能做什么？")
    driver.screenshot("window-chinese-dark")
    assert driver.quit() == 0
