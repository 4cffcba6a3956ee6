"""Two pipes, three agents, a model that answers at once, and a program that is killed.

MOLTBOT_SOAK_KILLS and MOLTBOT_SOAK_MESSAGES make it long.
"""

from __future__ import annotations

import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.fakes.openai_server import ApiServer, Reply, ends, streams, text

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="FIFOs")

KILLS = int(os.environ.get("MOLTBOT_SOAK_KILLS", "3"))
MESSAGES = int(os.environ.get("MOLTBOT_SOAK_MESSAGES", "90"))
PATIENCE_SECONDS = 90.0
PEERS = {
    "one": [{"kind": "dm", "id": "ada"}, {"kind": "group", "id": "ops-room"}],
    "two": [{"kind": "dm", "id": "ben"}, {"kind": "dm", "id": "ada"}],
}


def echo(body: Mapping[str, object]) -> Reply:
    """The words of the last message, so that an answer tells what it answers."""
    said = [one["content"] for one in body["messages"] if one["role"] == "user"]
    return streams(text(" ".join(re.findall(r"\bm[0-9]+\b", said[-1])) or "well"), ends())


def settings(server: ApiServer, folder: Path, queue: Mapping[str, object]) -> dict[str, object]:
    return {
        "models": {"providers": {"lab": {"baseUrl": server.base_url, "apiKey": "none"}}},
        "agents": {
            "defaults": {"model": "lab/instant", "memorySearch": {"enabled": False}},
            "list": [{"id": "main", "default": True}, {"id": "work"}, {"id": "ops"}],
        },
        "bindings": [
            {"agentId": "work", "match": {"channel": "pipe", "accountId": "two"}},
            {
                "agentId": "ops",
                "match": {
                    "channel": "pipe",
                    "accountId": "one",
                    "peer": {"kind": "group", "id": "ops-room"},
                },
            },
        ],
        "messages": {
            "queue": {"debounceMs": 0, "cap": 5000, **queue},
            "inbound": {"maxPerMinute": 0},
        },
        "channels": {
            "pipe": {
                "dmPolicy": "open",
                "allowFrom": ["*"],
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
    """One end of a pipe: writes messages until they are acknowledged, gathers answers."""

    name: str
    folder: Path
    unacknowledged: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, dict[str, object]] = field(default_factory=dict)
    errors: list[dict[str, object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for end in ("in", "out"):
            os.mkfifo(self.folder / f"{self.name}.{end}")
        # Open for both, so that neither end ever waits for the program.
        self._in = os.open(self.folder / f"{self.name}.in", os.O_RDWR | os.O_NONBLOCK)
        self._out = os.open(self.folder / f"{self.name}.out", os.O_RDWR | os.O_NONBLOCK)
        self._rest = b""
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def say(self, message_id: str, peer: Mapping[str, object], words: str) -> None:
        record = {"messageId": message_id, "text": words, "sender": "ada", "peer": peer}
        line = json.dumps(record).encode() + b"\n"
        with self._lock:
            self.unacknowledged[message_id] = line
        self.write(line)

    def write(self, data: bytes) -> None:
        while data:
            select.select([], [self._in], [], 0.1)
            try:
                data = data[os.write(self._in, data) :]
            except BlockingIOError:
                if self._ended.is_set():
                    return

    def say_again(self) -> None:
        """What was not acknowledged, in its order."""
        with self._lock:
            lines = tuple(self.unacknowledged.values())
        self.write(b"".join(lines))

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
            return  # the program was killed in the middle of it
        with self._lock:
            if "ack" in record:
                self.unacknowledged.pop(record["ack"], None)
            elif "error" in record:
                self.errors.append(record)
            else:
                self.answers.setdefault(record["key"], record)


@dataclass
class Scene:
    program: Program
    scripts: dict[str, Script]
    may_answer: threading.Event = field(default_factory=threading.Event)
    running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.running = subprocess.Popen(
            self.program.command("serve"),
            env=self.program.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def end(self, number: signal.Signals) -> int:
        assert self.running is not None
        self.running.send_signal(number)
        _, err = self.running.communicate(timeout=PATIENCE_SECONDS)
        code, self.running = self.running.returncode, None
        if number is signal.SIGTERM:
            assert b"Traceback" not in err, err.decode()
        return code

    def until(self, true: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert self.running is not None
            assert self.running.poll() is None, self.running.stderr.read().decode()
            assert time.monotonic() < end, {
                name: (script.unacknowledged, len(script.answers), script.errors)
                for name, script in self.scripts.items()
            }
            time.sleep(0.01)

    def answered(self) -> int:
        return sum(len(script.answers) for script in self.scripts.values())


def scene_of(tmp_path: Path, server: ApiServer, queue: Mapping[str, object]) -> Iterator[Scene]:
    program = Program(tmp_path / "home" / ".moltbot")
    program.home.mkdir(parents=True)
    content = json.dumps(settings(server, tmp_path, queue))
    (program.home / "moltbot.json").write_text(content, encoding="utf-8")
    scripts = {name: Script(name, tmp_path) for name in PEERS}
    scene = Scene(program, scripts)
    try:
        yield scene
    finally:
        if scene.running is not None:
            scene.end(signal.SIGKILL)
        for script in scripts.values():
            script.close()


@pytest.fixture
def one_by_one(tmp_path: Path) -> Iterator[Scene]:
    with ApiServer(answer=echo) as server:
        yield from scene_of(tmp_path, server, {"mode": "followup"})


@pytest.fixture
def together(tmp_path: Path) -> Iterator[Scene]:
    """Its model says nothing until `may_answer`."""
    may_answer = threading.Event()

    def slow(body: Mapping[str, object]) -> Reply:
        may_answer.wait(PATIENCE_SECONDS)
        return echo(body)

    with ApiServer(answer=slow) as server:
        for scene in scene_of(tmp_path, server, {"mode": "collect"}):
            scene.may_answer = may_answer
            try:
                yield scene
            finally:
                may_answer.set()


def test_nothing_is_lost_or_doubled_or_out_of_order_whenever_it_is_killed(
    one_by_one: Scene,
) -> None:
    scene, chance = one_by_one, random.Random(7)
    asked: dict[tuple[str, str], list[str]] = defaultdict(list)
    places = [(name, peer) for name, peers in PEERS.items() for peer in peers]
    scene.start()
    kills = sorted(chance.sample(range(1, MESSAGES), KILLS))
    for number in range(MESSAGES):
        name, peer = chance.choice(places)
        words = f"m{number}"
        asked[name, str(peer["id"])].append(words)
        scene.scripts[name].say(str(number), peer, words)
        if number in kills:
            # Somewhere between its start and the last answer.
            enough = min(scene.answered() + chance.randrange(4), number + 1)
            scene.until(lambda enough=enough: scene.answered() >= enough)
            scene.end(signal.SIGKILL)
            scene.start()
            for script in scene.scripts.values():
                script.say_again()
    scene.until(lambda: scene.answered() >= MESSAGES)
    assert scene.end(signal.SIGTERM) == 0
    told: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, script in scene.scripts.items():
        assert script.unacknowledged == {}
        for answer in script.answers.values():
            words = str(answer["text"]).removeprefix("re ").removeprefix("ada: ")
            told[name, str(answer["peer"]["id"])].append(words)
    assert told == asked
    sessions = {
        path.parent.parent.name for path in (scene.program.home / "agents").glob("*/*/*.jsonl")
    }
    assert {"main", "work", "ops"} <= sessions


def test_what_comes_while_it_answers_is_answered_together(together: Scene) -> None:
    scene = together
    scene.start()
    peer = PEERS["two"][0]
    for number in range(20):
        scene.scripts["two"].say(str(number), peer, f"m{number}")
    script = scene.scripts["two"]
    scene.until(lambda: not script.unacknowledged)
    scene.may_answer.set()
    scene.until(lambda: len(script.answers) >= 2)
    assert scene.end(signal.SIGTERM) == 0  # whatever it has answered by now
    scene.start()
    script.say("20", peer, "m20")
    scene.until(lambda: any("m20" in str(one["text"]) for one in script.answers.values()))
    told = [word for one in script.answers.values() for word in str(one["text"]).split()]
    assert told == [f"m{number}" for number in range(21)]
    assert len(script.answers) < 21
    assert scene.end(signal.SIGTERM) == 0


def test_bad_and_torn_lines_are_told_and_the_next_one_is_answered(one_by_one: Scene) -> None:
    scene = one_by_one
    scene.start()
    script = scene.scripts["two"]
    script.write(b"not json\n[]\n{}\n\xff\n\n")
    script.say("1", PEERS["two"][0], "hello")
    scene.until(lambda: len(script.answers) == 1)
    assert [error["line"] for error in script.errors] == ["not json", "[]", "{}", "\ufffd"]
    script.say("2", PEERS["two"][0], "/status")
    scene.until(lambda: len(script.answers) == 2)
    assert scene.end(signal.SIGTERM) == 0
