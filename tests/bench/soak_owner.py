"""The owner in a soak: has things remembered and reminders set over the local socket, and looks
whether they are found, while the program comes and goes.

    owner = Owner(home)
    await owner.live(over)          # until the event is set
    owner.late()                    # notes that the search did not find in time, by number
    owner.kept(), owner.untold(now) # how often each note stands in the files; reminders not told
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from moltbot_desktop.core.errors import GatewayError
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.door import socket_path
from moltbot_desktop.gateway.rpc.frames import RpcFailure

_PAUSE = 0.4
_RUN_MS = 20_000
_FOUND_SECONDS = 30.0
_TRY_SECONDS = 90.0
_EACH = 4
"""Every so many notes there is a reminder."""
_NOTE = re.compile(r"shelf (\d+) holds parrot (\d+)")


@dataclass
class Owner:
    """Attributes:
    home: of the program.
    notes: when each was said to be kept, by number, seconds of the monotonic clock.
    reminders: how many were set.
    refused: notes that the program said it could not keep; each was said again.
    given_up: numbers of notes that it never said to have kept.
    unfound: numbers of notes that were not found in time.
    """

    home: Path
    notes: dict[int, float] = field(default_factory=dict)
    reminders: int = 0
    refused: int = 0
    given_up: list[int] = field(default_factory=list)
    unfound: list[int] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)

    async def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """Raises GatewayError, RpcFailure or OSError when nobody is there to answer."""
        async with connected(socket_path(self.home)) as assistant:
            return await assistant.call(method, dict(params))

    async def is_there(self) -> bool:
        with contextlib.suppress(GatewayError, RpcFailure, OSError):
            await self.call("health", {})
            return True
        return False

    async def live(self, over: asyncio.Event) -> None:
        number = 0
        while not over.is_set():
            number += 1
            if number % _EACH == 0:
                self.reminders += await self._said(
                    f"remind me in 20 seconds to feed parrot {number}", f"reminder-{number}"
                )
            elif await self._kept(number):
                self.notes[number] = time.monotonic()
                if not await self._found(number):
                    self.unfound.append(number)
            else:
                self.given_up.append(number)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PAUSE):
                    await over.wait()

    async def _kept(self, number: int) -> bool:
        words = f"remember that shelf {number} holds parrot {number}"
        last = time.monotonic() + _TRY_SECONDS
        tries = 0
        while time.monotonic() < last:
            tries += 1
            await self._said(words, f"note-{number}-{tries}")
            if not self.kept()[number]:  # it may ask whether it understood
                await self._said("yes", f"yes-{number}-{tries}")
            if self.kept()[number]:
                return True
            self.refused += 1
            await self._remember_why()
            await asyncio.sleep(1.0)
        return False

    async def _remember_why(self) -> None:
        """What was answered in place of keeping it."""
        with contextlib.suppress(GatewayError, RpcFailure, OSError):
            told = await self.call("chat.history", {"limit": 1})
            for one in told["messages"]:
                self.answers[str(one["content"])[:160]] += 1

    async def _said(self, words: str, key: str) -> bool:
        """Said and run to an end, over however many starts of the program."""
        last = time.monotonic() + _TRY_SECONDS
        while time.monotonic() < last:
            with contextlib.suppress(GatewayError, RpcFailure, OSError):
                asked = {"message": words, "idempotencyKey": key}
                told = await self.call("agent", asked)
                ended = await self.call(
                    "agent.wait", {"runId": told["runId"], "timeoutMs": _RUN_MS}
                )
                if ended["status"] != "timeout":
                    return bool(ended["status"] == "ok")
            await asyncio.sleep(0.2)
        return False

    async def _found(self, number: int) -> bool:
        last = time.monotonic() + _FOUND_SECONDS
        while time.monotonic() < last:
            if await self.finds(number):
                return True
            await asyncio.sleep(0.2)
        return False

    async def finds(self, number: int) -> bool:
        """Whether the search finds a note now."""
        asked = {"query": f"what does shelf {number} hold", "maxResults": 20}
        with contextlib.suppress(GatewayError, RpcFailure, OSError):
            told = await self.call("memory.search", asked)
            return any(_says(one["snippet"], number) for one in told["results"])
        return False

    def kept(self) -> Counter[int]:
        """How often each note stands in the files."""
        found: Counter[int] = Counter()
        for path in (self.home / "workspace" / "memory").glob("*.md"):
            for shelf, parrot in _NOTE.findall(path.read_text(encoding="utf-8")):
                found[int(shelf)] += shelf == parrot
        return found

    def untold(self, now: float) -> tuple[int, int]:
        """Reminders in the book, and those that were due a minute before `now` (seconds since
        1970, as the program's clock has it) and were not told."""
        with contextlib.closing(sqlite3.connect(self.home / "state.sqlite")) as book:
            (many,) = book.execute("SELECT count(*) FROM reminders").fetchone()
            late = "told IS NULL AND cancelled IS NULL AND due < ?"
            (left,) = book.execute(
                f"SELECT count(*) FROM reminders WHERE {late}", (now - 60,)
            ).fetchone()
        return many, left


def _says(text: str, number: int) -> bool:
    return any(int(shelf) == number for shelf, _ in _NOTE.findall(text))
