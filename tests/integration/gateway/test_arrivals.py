"""Files that the window sends with a message: kept first, in order, and given back when not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.events import RunStarted
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import FilesKept, GivenFile, HistoryLoaded
from moltbot_desktop.sdk.attachments import MOST_BYTES, MOST_FILES, AttachedFile
from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.entries import UserEntry
from tests.fakes.chat_model import calls, hangs, says
from tests.fakes.tools import FakeTool, spec
from tests.integration.gateway.test_front_desk import COMMAND, Assistant, play

T = TypeVar("T")
LIST = GivenFile("shopping list.md", b"milk and bread\n")
PNG = GivenFile("cat.png", b"\x89PNG\r\n\x1a\n" + bytes(30))
LIST_PLACE = "media/inbound/00000001-shopping_list.md"
LIST_FILE = AttachedFile(LIST_PLACE, "text/plain")


class Slowly:
    """A worker thread that is held up until the test lets it go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def __call__(self, call: Callable[[], T]) -> T:
        await self.go.wait()
        return call()


def lying(home: Path) -> dict[str, bytes]:
    folder = home / "workspace" / "media" / "inbound"
    return {one.name: one.read_bytes() for one in folder.iterdir()} if folder.exists() else {}


def test_files_are_kept_before_their_message_and_the_agent_reads_where(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Milk.")]) as assistant:
            run_id = assistant.client.send("  what is on it? ", [LIST, PNG])
            end = await assistant.ended(run_id)
            assert (end.outcome.kind, end.outcome.text) == (OutcomeKind.ANSWERED, "Milk.")
            files = (
                LIST_FILE,
                AttachedFile("media/inbound/00000002-cat.png", "image/png"),
            )
            mine = [e for e in assistant.events if isinstance(e, FilesKept | RunStarted)]
            assert mine[0] == FilesKept(run_id, files)
            said = "\n".join(("what is on it?", *(one.line for one in files)))
            assert isinstance(mine[1], RunStarted) and mine[1].user_text == said
            assert assistant.model.requests[0].messages[-1].content.startswith(said)
            assert lying(tmp_path)["00000001-shopping_list.md"] == LIST.content
            labels = assistant.desk.session.transcript.labels()
            assert Labels.from_mapping(labels).untrusted

    play(scenario)


def test_files_alone_are_a_message(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("A list.")]) as assistant:
            await assistant.ended(assistant.client.send("", [LIST]))
            (item, _) = assistant.desk.session.transcript.messages()
            assert item.content == LIST_FILE.line

    play(scenario)


def test_what_is_said_and_done_meanwhile_waits_its_turn(tmp_path: Path) -> None:
    async def scenario() -> None:
        slowly = Slowly()
        async with Assistant(tmp_path, [hangs()], keep_files=slowly) as assistant:
            old = assistant.desk.session
            first = assistant.client.send("with a file", [LIST])
            second = assistant.client.send("without")
            assistant.client.new_session()
            await assistant.settled()
            assert assistant.events == [] and old.transcript.entries() == ()
            slowly.go.set()
            await assistant.until(lambda event: isinstance(event, HistoryLoaded))
            await assistant.ended(first)
            await assistant.ended(second)
            said = [one.text for one in old.transcript.entries() if isinstance(one, UserEntry)]
            assert said == [f"with a file\n{LIST_FILE.line}", "without"]
            assert assistant.desk.session is not old

    play(scenario)


def test_stopping_meanwhile_stops_that_message_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        slowly = Slowly()
        async with Assistant(tmp_path, [says("never")], keep_files=slowly) as assistant:
            run_id = assistant.client.send("with a file", [LIST])
            assistant.client.stop()
            await assistant.settled()
            slowly.go.set()
            assert (await assistant.ended(run_id)).outcome.kind is OutcomeKind.CANCELLED

    play(scenario)


def test_the_end_of_the_program_loses_no_message(tmp_path: Path) -> None:
    async def scenario() -> None:
        slowly = Slowly()
        async with Assistant(tmp_path, [says("Milk.")], keep_files=slowly) as assistant:
            assistant.client.send("with a file", [LIST])
            await assistant.settled()
            asyncio.get_running_loop().call_soon(slowly.go.set)
            session = assistant.desk.session
            await assistant.arrivals.close()
            said = [one for one in session.transcript.entries() if isinstance(one, UserEntry)]
            assert said[0].text.startswith("with a file\n[media attached: ")
            assistant.client.send("too late", [LIST])
            await assistant.settled()
        assert len(lying(tmp_path)) == 1

    play(scenario)


@pytest.mark.parametrize(
    ("text", "file", "problem"),
    [
        ("what is it?", GivenFile("a.md", b""), "File 1 is empty."),
        ("/help", LIST, "A command takes no files."),
    ],
)
def test_what_cannot_be_kept_ends_before_it_began(
    tmp_path: Path, text: str, file: GivenFile, problem: str
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            end = await assistant.ended(assistant.client.send(text, [file]))
            assert end.outcome.kind is OutcomeKind.FAILED
            assert end.outcome.text.startswith(problem)
            assert not [e for e in assistant.events if isinstance(e, FilesKept | RunStarted)]
            assert assistant.desk.session.transcript.messages() == () and lying(tmp_path) == {}

    play(scenario)


@pytest.mark.parametrize(
    "files",
    [
        [LIST] * (MOST_FILES + 1),
        [GivenFile("a", bytes(MOST_BYTES // 2 + 1)), GivenFile("b", bytes(MOST_BYTES // 2))],
    ],
)
def test_too_much_is_refused_at_once(tmp_path: Path, files: list[GivenFile]) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            with pytest.raises(UserInputInvalid):
                assistant.client.send("all of it", files)
            with pytest.raises(UserInputInvalid):
                assistant.client.send("  ")

    play(scenario)


@pytest.mark.parametrize("text", ["what does it say?", "", "请读一下这个文件"])
def test_a_command_model_is_not_asked_what_a_file_says(tmp_path: Path, text: str) -> None:
    reads = FakeTool(spec("read"), lambda given: ToolResult({}, "milk and bread"))

    async def scenario() -> None:
        async with Assistant(tmp_path, [], info=COMMAND, tools=(reads,)) as assistant:
            end = await assistant.ended(assistant.client.send(text, [LIST]))
            assert (end.outcome.kind, end.outcome.text) == (OutcomeKind.ANSWERED, "milk and bread")
            assert [dict(given) for given, _ in reads.got] == [{"path": LIST_PLACE}]
            assert assistant.model.requests == []

    play(scenario)


def test_a_command_model_says_that_it_has_no_eyes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [], info=COMMAND) as assistant:
            end = await assistant.ended(assistant.client.send("what do you see?", [PNG]))
            assert end.outcome.text == (
                "I keep cat.png, but I cannot see what is in a picture: my model reads text alone."
            )

    play(scenario)


def test_a_command_model_reads_the_words_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [calls("note", {"text": "the garage is green"})]
        async with Assistant(tmp_path, script, info=COMMAND) as assistant:
            end = await assistant.ended(assistant.client.send("remember: garage green", [LIST]))
            assert end.outcome.text == "Noted 7."
            (message,) = assistant.model.requests[0].messages
            assert message.content == "remember: garage green"

    play(scenario)
