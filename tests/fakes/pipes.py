"""Scripts at the ends of pipes: they write messages until they are acknowledged, gather answers.

with scripts(folder) as ends:                   # FIFOs for the accounts `one` and `two`
    ends["one"].say("1", PEERS["one"][0], "m1")
    ends["one"].take_back()                     # after the program was killed, before its start
    ends["one"].say_again()                     # after it
    ends["one"].answers, ends["one"].unacknowledged
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

PEERS = {
    "one": [{"kind": "dm", "id": "ada"}, {"kind": "group", "id": "ops-room"}],
    "two": [{"kind": "dm", "id": "ben"}, {"kind": "dm", "id": "ada"}],
}
AGENTS = {
    ("one", "ada"): "main",
    ("one", "ops-room"): "ops",
    ("two", "ben"): "work",
    ("two", "ada"): "work",
}
"""By account and peer."""


def pipe_settings(folder: Path, **queue: object) -> dict[str, object]:
    """moltbot.json for two pipes and three agents; nobody's memory is searched. `AGENTS` says
    who answers whom."""
    ops_room = {"kind": "group", "id": "ops-room"}
    return {
        "agents": {
            "defaults": {
                "memorySearch": {"enabled": False},
                # A message that is taken up again after a kill has the words it had.
                "envelopeTimestamp": "off",
                "envelopeElapsed": "off",
            },
            "list": [{"id": "main", "default": True}, {"id": "work"}, {"id": "ops"}],
        },
        # Four in the morning begins no conversation anew.
        "session": {"reset": {"mode": "idle", "idleMinutes": 100_000}},
        "bindings": [
            {"agentId": "work", "match": {"channel": "pipe", "accountId": "two"}},
            {"agentId": "ops", "match": {"channel": "pipe", "accountId": "one", "peer": ops_room}},
        ],
        "messages": {"queue": {"debounceMs": 0, "cap": 10_000, **queue}},
        "channels": {
            "pipe": {
                "dmPolicy": "open",
                "allowFrom": ["*", "ada"],
                "groupPolicy": "open",
                "groups": {"*": {"requireMention": False}},
                "accounts": {
                    name: {"in": str(folder / f"{name}.in"), "out": str(folder / f"{name}.out")}
                    for name in PEERS
                },
            }
        },
    }


@dataclass
class Script:
    """One end of a pipe. `answers` by key: what a crash made it say again counts once.

    Attributes:
        when: seconds of the monotonic clock at which each key came first.
        repeated: how many answers came again under their key.
    """

    name: str
    folder: Path
    unacknowledged: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, dict[str, object]] = field(default_factory=dict)
    errors: list[dict[str, object]] = field(default_factory=list)
    when: dict[str, float] = field(default_factory=dict)
    acknowledged: set[str] = field(default_factory=set)
    repeated: int = 0

    def __post_init__(self) -> None:
        for end in ("in", "out"):
            os.mkfifo(self.folder / f"{self.name}.{end}")
        # Open for both, so that neither end ever waits for the program.
        self._in = os.open(self.folder / f"{self.name}.in", os.O_RDWR | os.O_NONBLOCK)
        self._out = os.open(self.folder / f"{self.name}.out", os.O_RDWR | os.O_NONBLOCK)
        self._rest = b""
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._read, name=f"script {self.name}")
        self._thread.start()

    def say(self, message_id: str, peer: Mapping[str, object], words: str) -> None:
        record = {"messageId": message_id, "text": words, "sender": "ada", "peer": peer}
        line = json.dumps(record).encode() + b"\n"
        with self._lock:
            self.unacknowledged[message_id] = line
        self.write(line)

    def write(self, data: bytes) -> None:
        while data and not self._ended.is_set():
            select.select([], [self._in], [], 0.1)
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self._in, data) :]

    def take_back(self) -> None:
        """Take what a program that was killed had not read out of the pipe. The next one would
        read it before what was lost with the first, and answer in that order."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._in, 65_536):
                pass

    def say_again(self) -> None:
        """What was not acknowledged, in its order."""
        with self._lock:
            lines = tuple(self.unacknowledged.values())
        # The program may have been killed in the middle of a line.
        self.write(b"\n" + b"".join(lines))

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        os.close(self._in)
        os.close(self._out)

    def _read(self) -> None:
        while not self._ended.is_set():
            if not select.select([self._out], [], [], 0.05)[0]:
                continue
            *lines, self._rest = (self._rest + os.read(self._out, 65_536)).split(b"\n")
            for line in lines:
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            record = json.loads(line)
        except ValueError:
            # The program was killed in the middle of a line; the next one begins behind it.
            start = line.rfind(b'{"', 1)
            if start > 0:
                self._take(line[start:])
            return
        with self._lock:
            if "ack" in record:
                self.unacknowledged.pop(record["ack"], None)
                self.acknowledged.add(record["ack"])
            elif "error" in record:
                self.errors.append(record)
            else:
                self.repeated += record["key"] in self.answers
                self.answers.setdefault(record["key"], record)
                self.when.setdefault(record["key"], time.monotonic())


@contextlib.contextmanager
def scripts(folder: Path) -> Iterator[dict[str, Script]]:
    ends: dict[str, Script] = {}
    try:
        for name in PEERS:
            ends[name] = Script(name, folder)
        yield ends
    finally:
        for end in ends.values():
            end.close()
