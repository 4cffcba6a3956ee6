"""A channel that a plugin brings, in the whole program: answered once, killed, switched off."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.fakes.folder_channel import add_plugin, answers, folder_settings, post
from tests.fakes.forked_program import ForkedProgram

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")
PATIENCE_SECONDS = 60.0
BROKEN = {"path": "/nowhere", "mood": "break"}


@dataclass
class Scene:
    folder: Path
    home: Path
    program: ForkedProgram

    def write(self, settings: dict[str, object]) -> None:
        (self.home / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")

    def told(self, account: str) -> dict[str, list[str]]:
        return answers(self.folder / account)

    def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not true():
            assert time.monotonic() < end, self.program.errors.read_text()[-3000:]
            time.sleep(0.01)

    def channels(self) -> dict[str, dict[str, object]]:
        """The accounts as ``channels.status`` of the running program has them."""
        done = Program(self.home).run("call", "channels.status")
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout)["channelAccounts"].get("folder", [])
        return {row["accountId"]: row for row in rows}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    home = tmp_path / "home" / ".moltbot"
    home.mkdir(parents=True)
    add_plugin(home)
    with contextlib.ExitStack() as stack:
        program = stack.enter_context(ForkedProgram(home, tmp_path / "done"))
        yield Scene(tmp_path, home, program)


@pytest.mark.timeout(180)
def test_each_message_is_answered_once_whenever_it_is_killed(scene: Scene) -> None:
    """One account breaks all the time; the others take no notice."""
    scene.write(folder_settings(scene.folder, bad=BROKEN))
    scene.program.start()
    for number in range(60):
        post(scene.folder / ("one", "two")[number % 2], str(number), f"m{number}")
        if number % 15 == 14:
            least = number // 4
            scene.until(lambda least=least: len(scene.told("one")) >= least)  # type: ignore[misc]
            assert scene.program.kill() == -9
            scene.program.start()
    scene.until(lambda: len(scene.told("one")) + len(scene.told("two")) == 60)
    rows = scene.channels()
    assert (rows["one"]["running"], rows["one"]["state"]) == (True, "online")
    assert not rows["bad"]["running"] and "this account is broken" in str(rows["bad"]["lastError"])
    assert scene.program.end() == 0
    for account, odd in (("one", 0), ("two", 1)):
        told = scene.told(account)
        assert sorted(map(int, told)) == list(range(odd, 60, 2))
        assert {len(texts) for texts in told.values()} == {1}


@pytest.mark.timeout(180)
def test_it_goes_and_comes_with_its_plugin_and_with_its_settings(scene: Scene) -> None:
    settings = folder_settings(scene.folder)
    scene.write(settings)
    scene.program.start()
    post(scene.folder / "one", "1", "m1")
    scene.until(lambda: "1" in scene.told("one"))

    scene.write(settings | {"plugins": {"entries": {"folder": {"enabled": False}}}})
    scene.until(lambda: not scene.channels()["one"]["running"])
    post(scene.folder / "one", "2", "m2")

    more = folder_settings(scene.folder, three={"path": str(scene.folder / "three")})
    scene.write(more)
    post(scene.folder / "three", "1", "m3")
    scene.until(lambda: "2" in scene.told("one") and "1" in scene.told("three"))

    scene.write(folder_settings(scene.folder, three={"pfad": "x"}))
    scene.until(lambda: scene.channels()["three"]["state"] == "failed")
    row = scene.channels()["three"]
    assert not row["configured"] and "pfad" in str(row["lastError"])

    post(scene.folder / "one", "3", "hang up")  # the connection ends, and another one is made
    post(scene.folder / "one", "4", "m4 " + "m5 " * 30)
    scene.until(lambda: "4" in scene.told("one"))
    scene.until(lambda: len(" ".join(scene.told("one")["4"]).split()) == 31)
    assert all(len(part) <= 40 for part in scene.told("one")["4"])
    assert scene.program.end() == 0


@pytest.mark.timeout(180)
def test_the_first_channel_of_all_goes_live_while_the_program_runs(scene: Scene) -> None:
    """It goes with its last account and comes again; what was said meanwhile is answered once."""
    whole = folder_settings(scene.folder)
    nothing = {key: one for key, one in whole.items() if key not in ("channels", "plugins")}
    scene.write(nothing)
    scene.program.start()
    scene.until((scene.home / "gateway.sock").exists)
    scene.until(lambda: scene.channels() == {})
    assert not (scene.home / "mail.sqlite").exists()
    post(scene.folder / "one", "1", "m1")
    scene.write(whole)
    scene.until(lambda: scene.told("one") == {"1": ["m1"]})
    assert scene.channels()["one"]["state"] == "online"
    scene.write(nothing)
    scene.until(lambda: scene.channels() == {})
    post(scene.folder / "two", "2", "m2")
    scene.write(whole)
    scene.until(lambda: scene.told("two") == {"2": ["m2"]})
    assert scene.told("one") == {"1": ["m1"]}
    assert scene.program.end() == 0
