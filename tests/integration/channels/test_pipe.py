"""A pipe with real FIFOs, files and threads."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.channels.line_reader import MAX_LINE_BYTES
from moltbot_desktop.channels.pipe import PipeAccount, PipeChannel
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ChannelError, DiskFull
from moltbot_desktop.sdk.channels import DeliveryTarget, Envelope, OutboundMessage

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="FIFOs")
TARGET = DeliveryTarget("pipe", "build")


@dataclass
class Desk:
    """Keeps what comes; `refuses` is raised by the next calls, one each, and the text `poison`
    breaks it every time."""

    kept: list[Envelope] = field(default_factory=list)
    refuses: list[Exception] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    gate: asyncio.Event | None = None
    poison: str = ""

    async def receive(self, envelopes: Sequence[Envelope]) -> None:
        if self.gate is not None:
            await self.gate.wait()
        if self.refuses:
            raise self.refuses.pop(0)
        if any(self.poison and one.text == self.poison for one in envelopes):
            raise KeyError(self.poison)
        self.kept += envelopes

    @property
    def texts(self) -> list[str]:
        return [envelope.text for envelope in self.kept]


def line(text: str) -> bytes:
    return json.dumps({"messageId": text, "text": text}).encode() + b"\n"


def channel(folder: Path, desk: Desk, cursor: str = "") -> PipeChannel:
    account = PipeAccount("build", folder / "in", folder / "out")
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    return PipeChannel(account, desk.receive, clock, desk.problems.append, cursor)


def play(
    folder: Path,
    scenario: Callable[[Desk, PipeChannel], Awaitable[None]],
    cursor: str = "",
    poison: str = "",
) -> None:
    async def run() -> None:
        desk = Desk(poison=poison)
        pipe = channel(folder, desk, cursor)
        pipe.start()
        try:
            async with asyncio.timeout(30):
                await scenario(desk, pipe)
        finally:
            await pipe.stop()

    asyncio.run(run())


async def becomes(true: Callable[[], object]) -> None:
    while not true():
        await asyncio.sleep(0.005)


def add(folder: Path, data: bytes) -> None:
    with (folder / "in").open("ab") as file:
        file.write(data)


def written(folder: Path) -> list[dict[str, object]]:
    path = folder / "out"
    return [json.loads(one) for one in path.read_bytes().splitlines()] if path.exists() else []


def test_a_file_is_followed_from_where_everything_was_kept(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(line("a") + line("b"))
    cursors: list[str] = []

    async def first(desk: Desk, _: PipeChannel) -> None:
        await becomes(lambda: len(desk.kept) == 2)
        cursors.append(desk.kept[0].cursor)  # as if only "a" had been kept
        with (tmp_path / "in").open("ab") as file:
            file.write(line("c")[:5])
            file.flush()
            await asyncio.sleep(0.2)
            file.write(line("c")[5:])
        await becomes(lambda: desk.texts == ["a", "b", "c"] and len(written(tmp_path)) == 3)

    async def second(desk: Desk, _: PipeChannel) -> None:
        await becomes(lambda: desk.texts == ["b", "c"])

    play(tmp_path, first)
    assert [one["ack"] for one in written(tmp_path)] == ["a", "b", "c"]
    play(tmp_path, second, cursors[0])


def test_a_file_that_was_begun_anew_is_read_from_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(line("a long first line"))

    async def scenario(desk: Desk, _: PipeChannel) -> None:
        await becomes(lambda: desk.kept)
        (tmp_path / "in").write_bytes(line("b"))
        await becomes(lambda: desk.texts == ["a long first line", "b"])

    play(tmp_path, scenario)


def test_a_fifo_may_be_closed_and_opened_again_and_a_torn_line_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "in")

    def write(data: bytes) -> None:
        with (tmp_path / "in").open("wb") as end:
            end.write(data)

    async def scenario(desk: Desk, _: PipeChannel) -> None:
        await asyncio.to_thread(write, line("a") + line("b")[:7])
        await becomes(lambda: any("error" in one for one in written(tmp_path)))
        await asyncio.to_thread(write, line("c"))
        await becomes(lambda: desk.texts == ["a", "c"])
        [torn] = [one for one in written(tmp_path) if "error" in one]
        assert "no end" in str(torn["error"])
        assert torn["line"] == line("b")[:7].decode()

    play(tmp_path, scenario)


def test_an_idle_fifo_wakes_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "in")
    reads: list[int] = []
    read = os.read

    def counting(file: int, most: int) -> bytes:
        reads.append(file)
        return read(file, most)

    def write(data: bytes) -> None:
        with (tmp_path / "in").open("wb") as end:
            end.write(data)

    async def scenario(desk: Desk, _: PipeChannel) -> None:
        await asyncio.to_thread(write, line("a"))
        await becomes(lambda: desk.kept)
        monkeypatch.setattr(os, "read", counting)
        quiet = False  # what reads all the time never is
        async with asyncio.timeout(30):
            while not quiet:
                before = len(reads)
                await asyncio.sleep(0.4)
                quiet = len(reads) == before
        await asyncio.to_thread(write, line("b"))
        await becomes(lambda: desk.texts == ["a", "b"])

    play(tmp_path, scenario)


def test_a_file_that_takes_the_place_of_the_one_that_was_followed(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(line("a"))

    async def scenario(desk: Desk, _: PipeChannel) -> None:
        await becomes(lambda: desk.kept)
        (tmp_path / "new").write_bytes(line("b, longer than the first") + line("c"))
        (tmp_path / "new").replace(tmp_path / "in")
        await becomes(lambda: desk.texts == ["a", "b, longer than the first", "c"])

    play(tmp_path, scenario)


def test_a_line_without_an_end_in_sight_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"x" * (MAX_LINE_BYTES * 2) + b"\n" + line("after"))

    async def scenario(desk: Desk, _: PipeChannel) -> None:
        await becomes(lambda: desk.texts == ["after"])
        await becomes(lambda: len(written(tmp_path)) == 2)
        assert "too long" in str(written(tmp_path)[0]["error"])

    play(tmp_path, scenario)


@pytest.mark.expect_log("The disk is full")
def test_what_the_disk_refuses_is_not_acknowledged_and_offered_again(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(line("a"))

    async def scenario(desk: Desk, _: PipeChannel) -> None:
        desk.refuses.append(DiskFull("The disk is full."))
        await becomes(lambda: desk.problems)
        assert written(tmp_path) == []
        await becomes(lambda: desk.texts == ["a"])
        await becomes(lambda: written(tmp_path))
        assert desk.problems == ["The disk is full."]

    play(tmp_path, scenario)


def test_answers_wait_for_a_reader_in_their_order(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out")

    async def scenario(_: Desk, pipe: PipeChannel) -> None:
        sends = [
            asyncio.ensure_future(pipe.send(OutboundMessage(TARGET, f"{n}"), f"k{n}"))
            for n in range(3)
        ]
        await asyncio.sleep(0.2)
        assert not any(send.done() for send in sends)
        read = await asyncio.to_thread(_three_lines, tmp_path / "out")
        assert [json.loads(one)["key"] for one in read] == ["k0", "k1", "k2"]
        assert await asyncio.gather(*sends) == ["", "", ""]

    play(tmp_path, scenario)


def _three_lines(path: Path) -> list[bytes]:
    with path.open("rb") as end:
        return [end.readline() for _ in range(3)]


def test_stopping_ends_what_waits_for_a_reader_and_what_waits_for_the_desk(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out")
    (tmp_path / "in").write_bytes(line("a"))

    async def scenario(desk: Desk, pipe: PipeChannel) -> None:
        desk.gate = asyncio.Event()
        send = asyncio.ensure_future(pipe.send(OutboundMessage(TARGET, "x"), "k"))
        await asyncio.sleep(0.1)
        async with asyncio.timeout(30):
            await pipe.stop()
            with pytest.raises(ChannelError):
                await send

    play(tmp_path, scenario)


def test_the_out_file_is_for_this_user_alone(tmp_path: Path) -> None:
    async def scenario(_: Desk, pipe: PipeChannel) -> None:
        await pipe.send(OutboundMessage(TARGET, "x"), "k")
        assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600

    play(tmp_path, scenario)


@pytest.mark.expect_log
def test_a_bug_costs_its_message_alone_and_is_told(tmp_path: Path) -> None:
    """The line is not acknowledged; whoever writes it again gets it kept when it can be."""
    lines = [line("a"), line("bad"), line("c")]
    (tmp_path / "in").write_bytes(b"".join(lines))
    ill: list[str] = []

    async def scenario(desk: Desk, pipe: PipeChannel) -> None:
        await becomes(lambda: len(written(tmp_path)) == 3)
        assert desk.texts == ["a", "c"]
        told = written(tmp_path)
        assert [one.get("ack") for one in told] == ["a", None, "c"]
        assert (told[1]["line"], "fault" in str(told[1]["error"])) == (
            line("bad")[:-1].decode(),
            True,
        )
        assert pipe.problem == ""  # the one behind it went well
        add(tmp_path, line("bad"))
        await becomes(lambda: len(written(tmp_path)) == 4)
        assert "KeyError" in pipe.problem
        ill.append(pipe.problem)
        desk.poison = ""
        add(tmp_path, line("bad"))
        await becomes(lambda: len(written(tmp_path)) == 5)
        assert (written(tmp_path)[-1], desk.texts[-1], pipe.problem) == ({"ack": "bad"}, "bad", "")
        assert desk.problems == ill * 2

    play(tmp_path, scenario, poison="bad")
