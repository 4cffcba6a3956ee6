"""The owner's words are on the disk before anything is told of their run or the model is asked,
and the flush is not waited for while the prompt is made."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.events import RunEnded, RunStarted
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import ClientEvent, Notice
from tests.fakes.instant import InstantModel, assistant_in, instant

QUIET = {"agents": {"defaults": {"memorySearch": {"enabled": False}}}}


class SlowDisk:
    """`os.fsync` that waits in every thread but this one until `let`, and then fails if told."""

    def __init__(self, real: Callable[[int], None], *, broken: bool = False) -> None:
        self.real, self.broken = real, broken
        self.here, self.asked = threading.get_ident(), threading.Event()
        self._open = threading.Event()

    def let(self) -> None:
        self._open.set()

    def __call__(self, descriptor: int) -> None:
        if threading.get_ident() != self.here:
            self.asked.set()
            assert self._open.wait(20)
            if self.broken:
                raise OSError(errno.EIO, "the disk refuses")
        self.real(descriptor)


async def seen(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.005)


def asked_while_flushing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, broken: bool
) -> tuple[list[ClientEvent], int]:
    """What was told of a message, and how often the model was asked before the disk had it."""
    told: list[ClientEvent] = []
    generations: list[object] = []
    generate = InstantModel.generate

    def counted(*arguments: object) -> object:
        generations.append(arguments)
        return generate(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(InstantModel, "generate", counted)

    async def scene() -> int:
        with instant(folder / "done"):
            async with assistant_in(folder / ".moltbot", QUIET, SystemClock()) as client:
                disk = SlowDisk(os.fsync, broken=broken)
                monkeypatch.setattr(os, "fsync", disk)
                client.subscribe(told.append)
                client.send("m1")
                await seen(disk.asked.is_set)
                await asyncio.sleep(0.05)
                before = len(generations)
                assert not [event for event in told if isinstance(event, RunStarted)]
                disk.let()
                await seen(lambda: any(isinstance(event, RunEnded) for event in told))
                monkeypatch.undo()
        return before

    return told, asyncio.run(scene())


def test_nothing_is_told_and_no_model_asked_before_the_words_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, before = asked_while_flushing(tmp_path, monkeypatch, broken=False)
    assert before == 0
    (end,) = (event for event in told if isinstance(event, RunEnded))
    assert end.outcome.kind is OutcomeKind.ANSWERED
    numbers = [event.seq for event in told if isinstance(event, RunStarted | RunEnded)]
    assert numbers == sorted(numbers)


@pytest.mark.expect_log("what was said last may not survive")
def test_a_disk_that_refuses_the_words_is_told_and_the_model_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, before = asked_while_flushing(tmp_path, monkeypatch, broken=True)
    assert before == 0
    assert any(isinstance(event, Notice) and event.serious for event in told)
    (end,) = (event for event in told if isinstance(event, RunEnded))
    assert end.outcome.kind is OutcomeKind.FAILED
