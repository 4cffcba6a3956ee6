"""runs list, show and replay, over the real program with its real tools.

A file is written, a note kept, a reminder set, an address asked for; told anew, nothing of it
happens again, whoever watches the disk and the network.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest

from moltbot_desktop.agent.run import RunCancel
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.replays import replays_alone
from moltbot_desktop.app.runs_command import run_runs_command
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.cli.runs import RunsShell, replay_wanted, since_of
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sdk.activity import Change, ReplayReport, ReplayWanted
from moltbot_desktop.sessions.activity import StoredRuns
from tests.fakes.obedient import obedient, socket_of

MAIN = "agent:main:main"
CACHES = ("runs.sqlite", "search.sqlite", "index-", "embeddings", "logs/")
"""What reading makes, and can be deleted at any time."""
SKILL = "---\nname: tea\ndescription: {about}\n---\n{text}\n"


CHECKOUT = Path(__file__).resolve().parents[3]


def paths_of(home: Path) -> Paths:
    return Paths(home, home.parent, CHECKOUT)


def files(home: Path) -> Mapping[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and not any(name in str(path) for name in CACHES)
    }


async def said(home: Path, *messages: str) -> list[str]:
    """The answers of an assistant that is started for it and ended again."""
    async with socket_of(home, {}) as ask:
        return [await ask(MAIN, text) for text in messages]


async def told_anew(home: Path, wanted: ReplayWanted) -> ReplayReport:
    paths = paths_of(home)
    loaded = load_config(paths.home)
    async with replays_alone(paths, loaded, SystemClock(), Language.ENGLISH) as replays:
        return await replays.replay(wanted, RunCancel())


def shell(home: Path, *words: str, language: Language = Language.ENGLISH) -> int:
    paths = paths_of(home)
    arguments = parse(["runs", *words])
    return run_runs_command(paths, load_config(paths.home), SystemClock(), arguments, language)


def test_a_run_that_changed_something_changes_nothing_when_it_is_told_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    told = {
        "write": 'write {"path": "a.md", "content": "tea"}',
        "remember": 'memory_store {"text": "Anna likes tea"}',
        "remind": 'reminder_add {"text": "call Anna", "when": "in 5 minutes"}',
        "fetch": 'web_fetch {"url": "http://192.0.2.1/"}',
    }
    with obedient():
        asyncio.run(said(home, *told.values()))
        written = home / "workspace" / "a.md"
        assert written.read_text() == "tea"
        written.write_text("mine")
        runs = StoredRuns(home).runs().runs
        assert len(runs) == len(told)
        before, connected = files(home), list[object]()
        real = socket.socket.connect

        def connect(self: socket.socket, address: object) -> object:
            if self.family != socket.AF_UNIX:
                connected.append(address)
            return real(self, address)  # type: ignore[arg-type]

        monkeypatch.setattr(socket.socket, "connect", connect)
        for run in runs:
            report = asyncio.run(told_anew(home, ReplayWanted(run.id)))
            assert report.after.outcome is OutcomeKind.ANSWERED
            assert [(one.change, one.from_record) for one in report.calls] == [(Change.SAME, True)]
            assert report.answer_diff == ""
            assert report.changed in ((), ("memory",), ("skills",))
        assert files(home) == before
        assert connected == []
        assert shell(home, "replay", runs[-1].id[:8]) == 0
        assert files(home) == before
    out = capsys.readouterr().out
    assert out.startswith("Nothing is carried out, and nothing is kept.")
    assert "  = write" in out and "The answer is the same." in out


def test_another_version_of_a_skill_is_read_in_its_place(tmp_path: Path) -> None:
    home = tmp_path / "home"
    here, there = home / "workspace" / "skills" / "tea", tmp_path / "new"
    for folder, text in ((here, "Boil it."), (there, "Brew it.")):
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(about="Tea", text=text))
    with obedient():
        (answer,) = asyncio.run(said(home, f'read {{"path": "{here / "SKILL.md"}"}}'))
        assert "Boil it." in answer
        (run,) = StoredRuns(home).runs().runs
        wanted = ReplayWanted(run.id, skills={"tea": str(there)})
        report = asyncio.run(told_anew(home, wanted))
        assert "Brew it." in report.after.answer and "Boil it." not in report.after.answer
        assert "+" in report.answer_diff
        with pytest.raises(UserInputInvalid, match="no skill"):
            asyncio.run(told_anew(home, ReplayWanted(run.id, skills={"coffee": str(there)})))


def test_the_list_and_one_run_in_both_languages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    assert shell(home, "list") == 1
    assert "no such runs" in capsys.readouterr().out
    with obedient():
        asyncio.run(said(home, "你好", 'calc {"expression": "2+3"}'))
    assert shell(home, "list") == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "answered" in first and first.endswith("(calc)") and "你好" in second
    assert shell(home, "list", "--last", "1", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert len(listed["runs"]) == 1 and listed["runs"][0]["tools"] == ["calc"]
    assert shell(home, "list", "--before", listed["older"], "--json") == 0
    assert [one["words"] for one in json.loads(capsys.readouterr().out)["runs"]] == ["你好"]
    assert shell(home, "list", "--search", "你好") == 0
    assert shell(home, "list", "--failed") == 1
    assert shell(home, "list", "--since", "1h", "--agent", "other") == 1
    capsys.readouterr()
    name = listed["runs"][0]["id"]
    assert shell(home, "show", name, language=Language.CHINESE) == 0
    shown = capsys.readouterr().out
    assert "模型：obedient" in shown and "calc" in shown and "无需确认" in shown
    assert shell(home, "show", name, "--json") == 0
    detail = json.loads(capsys.readouterr().out)
    assert detail["steps"][0]["verdict"]["by"] == "policy"
    assert detail["facts"]["model"] == "obedient"
    assert {"persona", "tools", "request"} <= {one["name"] for one in detail["facts"]["pieces"]}


def test_what_cannot_be_understood_is_said() -> None:
    now = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
    words = RunsShell(Language.ENGLISH, StringIO())
    assert since_of("", now, words) is None
    assert since_of("2d", now, words) == datetime(2026, 1, 3, 12, 0, tzinfo=UTC)
    assert since_of("2026-01-04", now, words) == datetime(2026, 1, 4, tzinfo=UTC)
    with pytest.raises(UserInputInvalid, match="is no time"):
        since_of("soon", now, words)
    with pytest.raises(UserInputInvalid, match="names no folder"):
        replay_wanted(parse(["runs", "replay", "x", "--skill", "tea"]), words)
    wanted = replay_wanted(
        parse(["runs", "replay", "x", "--skill", "tea=/a=b", "--model", "m"]), words
    )
    assert wanted == ReplayWanted("x", "m", {"tea": "/a=b"})
