"""The assistant put together does by itself what was asked of it on the command line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.cron_command import run_cron_command
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import AssistantStatus, ClientEvent, Notice
from moltbot_desktop.gateway.standby import STANDBY_FILE

PATIENCE = 60.0


@pytest.fixture
def paths(tmp_path: Path, checkout: Path) -> Paths:
    (tmp_path / ".moltbot").mkdir()
    return Paths(tmp_path / ".moltbot", tmp_path, checkout)


def cron(paths: Paths, *words: str, language: Language = Language.ENGLISH) -> int:
    loaded = load_config(paths.home)
    return run_cron_command(paths, loaded, SystemClock(), parse(["cron", *words]), language)


async def told(paths: Paths, meanwhile: Callable[[], object] = lambda: None) -> str:
    """Run the assistant, and again and again do `meanwhile`, until it tells of a job."""
    options = AssistantOptions(Language.ENGLISH, stays=True)
    heard: asyncio.Queue[str] = asyncio.Queue()

    def listen(event: ClientEvent) -> None:
        if isinstance(event, Notice) and "cheduled job" in event.text:
            heard.put_nowait(event.text)

    async with open_assistant(paths, load_config(paths.home), SystemClock(), options) as client:
        client.subscribe(listen)
        async with asyncio.timeout(PATIENCE):
            while heard.empty():
                meanwhile()
                await asyncio.sleep(0.2)
            return heard.get_nowait()


@pytest.mark.parametrize(
    ("words", "says", "names", "chinese"),
    [
        (
            ("--channel", "nope", "--to", "x"),
            "“nope” is not set up",
            "There are: pipe",
            "没有设置渠道",
        ),
        (
            ("--channel", "off", "--to", "x"),
            "“off” is not set up",
            "There are: pipe",
            "没有设置渠道",
        ),
        (("--to", "x"), "to somebody on a channel", "--channel last", "某个渠道"),
        (("--channel", "pipe"), "to somebody on a channel", "--to", "某个渠道"),
        (("--agent", "nope"), "no agent “nope”", "There are: work", "智能体"),
    ],
)
def test_a_job_for_nobody_is_refused_with_those_who_are_there(
    paths: Paths, words: tuple[str, ...], says: str, names: str, chinese: str
) -> None:
    (paths.home / "moltbot.json").write_text(
        '{"channels": {"pipe": {"accounts": {}}, "off": {"enabled": false}},'
        ' "agents": {"list": [{"id": "work"}]}}'
    )
    with pytest.raises(UserInputInvalid, match=says) as refused:
        cron(paths, "add", "every day at 9", "hello", *words)
    assert names in refused.value.hint
    with pytest.raises(UserInputInvalid, match=chinese):
        cron(paths, "add", "every day at 9", "hello", *words, language=Language.CHINESE)
    assert cron(paths, "add", "every day at 9", "a", "--channel", "last", "--agent", "Work") == 0
    assert cron(paths, "add", "every day at 9", "b", "--channel", "pipe", "--to", "x") == 0


def test_an_import_of_nothing_says_what_to_choose(paths: Paths, tmp_path: Path) -> None:
    for name in (str(tmp_path / "gone"), str(tmp_path), "a\0b"):
        with pytest.raises(UserInputInvalid, match="no file of jobs") as refused:
            cron(paths, "import", name)
        assert "Errno" not in str(refused.value)


def test_a_job_added_on_the_command_line_runs(
    paths: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cron(paths, "add", "every 1 second", "what is 6 times 7", "--name", "sum") == 0
    text = asyncio.run(told(paths))
    assert text.startswith("Scheduled job “sum”") and "42" in text
    capsys.readouterr()
    cron(paths, "runs", "sum", "--json")
    entries = json.loads(capsys.readouterr().out)["entries"]
    assert "ok" in {entry["status"] for entry in entries}


def test_it_needs_a_yes_and_nobody_is_there(paths: Paths) -> None:
    """A job may not make itself more jobs, nor anything else that would need a card."""
    cron(paths, "add", "every 1 second", "run ls", "--name", "ls")
    text = asyncio.run(told(paths))
    assert "ls" in text


def test_a_run_that_was_asked_for_happens_once(
    paths: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    cron(paths, "add", "every day at 9", "what is 2 times 3", "--name", "sum")
    cron(paths, "run", "sum")
    assert "is not running now" in capsys.readouterr().out
    assert "6" in asyncio.run(told(paths))
    cron(paths, "runs", "sum", "--json")
    assert len(json.loads(capsys.readouterr().out)["entries"]) == 1


def test_the_command_in_both_languages(paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    cron(paths, "list")
    cron(paths, "list", language=Language.CHINESE)
    empty = capsys.readouterr().out
    assert "Nothing is scheduled" in empty and "没有定时任务" in empty
    cron(paths, "add", "每天早上9点", "今天有什么安排？", "--tz", "Asia/Shanghai")
    cron(paths, "disable", "今天有什么安排？")
    cron(paths, "list", language=Language.CHINESE)
    assert "每天09:00（Asia/Shanghai）；已关闭" in capsys.readouterr().out
    cron(paths, "edit", "今天有什么安排？", "--when", "every 20 minutes", "--name", "brief")
    cron(paths, "enable", "brief")
    cron(paths, "list")
    assert "brief: every 20 minutes; next" in capsys.readouterr().out
    cron(paths, "export")
    exported = capsys.readouterr().out
    assert json.loads(exported)["jobs"][0]["schedule"]["everyMs"] == 1_200_000
    cron(paths, "remove", "brief")
    (paths.home / "old.json").write_text(exported.replace(json.loads(exported)["jobs"][0]["id"],
                                                          "another"))  # fmt: skip
    capsys.readouterr()
    cron(paths, "import", str(paths.home / "old.json"))
    cron(paths, "import", str(paths.home / "old.json"))
    assert capsys.readouterr().out.splitlines()[0] == "Taken in: 1."
    cron(paths, "status", "--json")
    status = json.loads(capsys.readouterr().out)
    assert (status["jobs"], status["running"], status["enabled"]) == (1, False, True)


@pytest.mark.parametrize(
    "words",
    [
        ("add", "sometime", "x"),
        ("add", "every day at 9", " "),
        ("add", "every 5 minutes", "x", "--tz", "Asia/Shanghai"),
        ("add", "every day at 9", "x", "--tz", "Mars/Base"),
        ("add", "0 0 31 2 *", "x"),
        ("remove", "nothing"),
        ("import", "nothing.json"),
    ],
)
def test_what_cannot_be_done_is_told(paths: Paths, words: tuple[str, ...]) -> None:
    with pytest.raises(UserInputInvalid):
        cron(paths, *words)


def test_jobs_of_the_reference_are_taken_in_at_the_start(paths: Paths) -> None:
    folder = paths.home / "cron"
    folder.mkdir()
    job = {
        "id": "old-job",
        "name": "sum",
        "enabled": True,
        "schedule": {"kind": "every", "everyMs": 1000},
        "sessionTarget": "isolated",
        "wakeMode": "now",
        "payload": {"kind": "agentTurn", "message": "what is 6 times 7"},
    }
    (folder / "jobs.json").write_text(json.dumps({"version": 1, "jobs": [job]}))
    assert "42" in asyncio.run(told(paths))


def test_a_standing_intent_runs_at_every_start(paths: Paths) -> None:
    cron(paths, "add", "at startup", "what is 6 times 7", "--name", "hello")
    assert "42" in asyncio.run(told(paths))


def test_a_standing_intent_sees_a_file_change(paths: Paths) -> None:
    cron(paths, "add", "when lists/*.txt changes", "what is 6 times 7", "--name", "seen")
    lists = paths.default_workspace / "lists"

    def save() -> None:
        lists.mkdir(exist_ok=True, parents=True)
        path = lists / f"{len(list(lists.iterdir())) % 50}.txt"
        path.write_text("milk")

    save()
    assert asyncio.run(told(paths, save)).startswith("Scheduled job “seen”")


def test_in_a_pause_no_job_begins_and_then_it_goes_on(paths: Paths) -> None:
    cron(paths, "add", "every 1 second", "what is 6 times 7", "--name", "often")
    heard: list[ClientEvent] = []

    async def scenario() -> str:
        (paths.home / STANDBY_FILE).write_text('{"until": null}')  # as the start before left it
        options = AssistantOptions(Language.ENGLISH, stays=True)
        async with open_assistant(paths, load_config(paths.home), SystemClock(), options) as client:
            client.subscribe(heard.append)
            client.request_status()
            async with asyncio.timeout(PATIENCE):
                while not any(isinstance(one, AssistantStatus) for one in heard):
                    await asyncio.sleep(0.05)
                assert next(one for one in heard if isinstance(one, AssistantStatus)).paused
                assert not list((paths.home / "cron").glob("executor.lock"))
                client.pause(None)
                while not any(isinstance(one, Notice) and "often" in one.text for one in heard):
                    await asyncio.sleep(0.05)
        last = [one for one in heard if isinstance(one, AssistantStatus)][-1]
        assert not last.paused
        return "gone on"

    assert asyncio.run(scenario()) == "gone on"


def test_switched_off_nothing_runs(paths: Paths) -> None:
    paths.config.write_text('{"cron": {"enabled": false}}')
    cron(paths, "add", "every 1 second", "what is 6 times 7")

    async def a_moment() -> None:
        options = AssistantOptions(Language.ENGLISH, stays=True)
        async with open_assistant(paths, load_config(paths.home), SystemClock(), options):
            await asyncio.sleep(0)

    asyncio.run(a_moment())
    assert not list((paths.home / "cron").glob("executor.lock"))
    with pytest.raises(MoltbotError):
        cron(paths, "runs", "nothing")


def test_an_answer_goes_to_the_channel_the_job_names(paths: Paths) -> None:
    into, out = paths.user_home / "in", paths.user_home / "out"
    into.touch()
    out.touch()
    account = {"in": str(into), "out": str(out)}
    paths.config.write_text(json.dumps({"channels": {"pipe": {"accounts": {"default": account}}}}))
    cron(paths, "add", "every day at 9", "what is 6 times 7", "--channel", "pipe", "--to", "ada")
    cron(paths, "run", "what is 6 times 7")

    async def sent() -> str:
        options = AssistantOptions(Language.ENGLISH, stays=True)
        async with open_assistant(paths, load_config(paths.home), SystemClock(), options):
            async with asyncio.timeout(PATIENCE):
                while not out.read_text().strip():
                    await asyncio.sleep(0.1)
        return out.read_text()

    line = json.loads(asyncio.run(sent()).splitlines()[0])
    assert "42" in line["text"] and line["peer"] == {"kind": "dm", "id": "ada"}


def test_a_channel_that_is_not_there_costs_no_answer(paths: Paths) -> None:
    paths.config.write_text('{"channels": {"telegram": {"enabled": true}}}')
    cron(paths, "add", "every 1 second", "what is 6 times 7", "--channel", "telegram", "--to", "a")
    paths.config.unlink()  # it was taken away since
    text = asyncio.run(told(paths))
    assert "telegram" in text and "42" in text
