"""Two pipes, three agents, and a program that is killed whenever it hurts.

MOLTBOT_SOAK_KILLS and MOLTBOT_SOAK_MESSAGES make it long: `packaging/dev.py soak`.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import sqlite3
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

import pytest

from tests.fakes.forked_program import ForkedProgram
from tests.fakes.instant import WORD
from tests.fakes.openai_server import ApiServer, Reply, ends, streams, text
from tests.fakes.pipes import AGENTS, PEERS, Script, pipe_settings, scripts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="FIFOs")

KILLS = int(os.environ.get("MOLTBOT_SOAK_KILLS", "50"))
MESSAGES = int(os.environ.get("MOLTBOT_SOAK_MESSAGES", "2000"))
SEED = int(os.environ.get("MOLTBOT_SOAK_SEED", "7"))
STARTER_KILLS, STARTER_MESSAGES = 8, 200
PATIENCE_SECONDS = 90.0
PLACES = tuple((name, peer) for name, peers in PEERS.items() for peer in peers)


@dataclass
class Scene:
    """The program, the scripts at its pipes, and what was asked at them.

    Attributes:
        done: what side effects there were, one a line.
        asked: ids of the messages at each (account, peer), in their order.
        words: of each message, by id.
    """

    home: Path
    program: ForkedProgram
    scripts: Mapping[str, Script]
    done: Path
    asked: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    words: dict[str, str] = field(default_factory=dict)

    @property
    def said(self) -> int:
        return len(self.words)

    def say(self, name: str, peer: Mapping[str, str], words: str) -> None:
        message_id = str(self.said)
        self.asked[name, peer["id"]].append(message_id)
        self.words[message_id] = words
        self.scripts[name].say(message_id, peer, words)

    def kill(self) -> None:
        """SIGKILL, and a new start; what nobody has acknowledged is said again."""
        assert self.program.kill() == -9
        for script in self.scripts.values():
            script.take_back()
        self.program.start()
        for script in self.scripts.values():
            script.say_again()

    def until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not true():
            assert time.monotonic() < end, (
                self.errors(),
                {n: (len(s.unacknowledged), len(s.answers)) for n, s in self.scripts.items()},
            )
            time.sleep(0.002)

    def answered(self) -> int:
        return sum(len(script.answers) for script in self.scripts.values())

    def acknowledged(self) -> int:
        return sum(len(script.acknowledged) for script in self.scripts.values())

    def some_moment(self, chance: random.Random) -> None:
        """Wait until the program is anywhere: in its start, keeping messages, answering, idle."""
        match chance.randrange(4):
            case 0:
                time.sleep(chance.random() * 0.4)
            case 1:
                more = min(self.acknowledged() + chance.randrange(1, 20), self.said)
                self.until(lambda: self.acknowledged() >= more)
                time.sleep(chance.random() * 0.01)
            case 2:
                more = min(self.answered() + chance.randrange(1, 40), self.said)
                self.until(lambda: self.answered() >= more)
                time.sleep(chance.random() * 0.01)
            case _:
                self.until(lambda: self.answered() == self.said)
                time.sleep(chance.random() * 0.05)

    def ends_well(self) -> None:
        """Everything was answered and nothing waits; SIGTERM ends it without a word."""
        self.until(
            lambda: (
                self.answered() >= self.said
                and not any(script.unacknowledged for script in self.scripts.values())
            )
        )
        assert self.program.end() == 0
        assert "Traceback" not in self.errors()

    def errors(self) -> str:
        found = self.program.errors
        return found.read_text("utf-8", "replace")[-5000:] if found.exists() else ""

    def answers(self) -> dict[tuple[str, str], dict[str, str]]:
        """What was answered at each place, each key once, by the message that it answers."""
        told: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for name, script in self.scripts.items():
            for answer in script.answers.values():
                place = told[name, answer["peer"]["id"]]
                assert answer["replyTo"] not in place, f"answered twice: {answer}"
                place[answer["replyTo"]] = answer["text"]
        return told

    def left(self) -> tuple[int, int, int]:
        """Messages in the book: taken in, not finished, answers not sent."""
        with contextlib.closing(sqlite3.connect(self.home / "mail.sqlite")) as book:
            return (
                *book.execute("SELECT count(*), count(*) - count(done) FROM inbox").fetchone(),
                *book.execute("SELECT count(*) FROM outbox WHERE ended IS NULL").fetchone(),
            )


@dataclass
class Heard:
    """One conversation, as its transcript has it.

    Attributes:
        runs: by run, the words of the person in it; one each.
        ends: how many runs of each message ended, by message and kind.
    """

    agent: str
    runs: dict[str, str] = field(default_factory=dict)
    ends: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def messages(self) -> dict[str, str]:
        """The words of each message, without the name before them in a group, in the order in which
        they were first said to the agent."""
        found: dict[str, str] = {}
        for run, words in self.runs.items():
            message = run.partition("~")[0]
            assert found.setdefault(message, words) == words
        return found


def transcripts(home: Path) -> list[Heard]:
    """Of the conversations in which something was said."""
    found = [heard(path) for path in sorted(home.glob("agents/*/sessions/*.jsonl"))]
    return [one for one in found if one.runs]


def heard(path: Path) -> Heard:
    found = Heard(path.parent.parent.name)
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if entry["type"] == "message" and entry["message"]["role"] == "user":
            assert entry["runId"] not in found.runs, "the words of one run stand there twice"
            # What stands above the words is a part of its own.
            said = "".join(part["text"] for part in entry["message"]["content"])
            found.runs[entry["runId"]] = said.removeprefix("ada: ")
        elif entry.get("customType") == "outcome":
            found.ends[entry["runId"].partition("~")[0]][entry["data"]["kind"]] += 1
    return found


@contextlib.contextmanager
def scene_in(folder: Path, settings: Mapping[str, object], done: Path | None) -> Iterator[Scene]:
    home = folder / "home" / ".moltbot"
    home.mkdir(parents=True)
    (home / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")
    with scripts(folder) as both, ForkedProgram(home, done) as program:
        yield Scene(home, program, both, done or folder / "done")


@pytest.fixture
def one_by_one(tmp_path: Path) -> Iterator[Scene]:
    """A model that answers at once."""
    with scene_in(tmp_path, pipe_settings(tmp_path, mode="followup"), tmp_path / "done") as scene:
        yield scene


@pytest.fixture
def starter(tmp_path: Path) -> Iterator[Scene]:
    """The built-in model."""
    with scene_in(tmp_path, pipe_settings(tmp_path, mode="followup"), None) as scene:
        yield scene


def assert_each_was_answered_once(scene: Scene, fits: Callable[[str, str], bool]) -> None:
    """In its conversation's order, with an answer that `fits` its words, and nothing is left."""
    answers = scene.answers()
    for place, asked in scene.asked.items():
        assert differences(asked, list(answers[place])) == [], place
        for message_id, said in answers[place].items():
            assert fits(scene.words[message_id], said), (scene.words[message_id], said)
    assert scene.left() == (scene.said, 0, 0)


def differences(asked: Sequence[str], found: Sequence[str]) -> list[str]:
    """With what stands around each."""
    return [] if asked == found else list(unified_diff(asked, found, lineterm="", n=2))


def assert_transcripts_hold_each_once(scene: Scene) -> None:
    """With the agent it was for. A try that was killed stands there as one; of all tries of a
    message at most one came to an end."""
    found = sorted((one.agent, tuple(one.messages().values())) for one in transcripts(scene.home))
    asked = {place: tuple(scene.words[one] for one in ids) for place, ids in scene.asked.items()}
    wanted = sorted((AGENTS[place], words) for place, words in asked.items())
    for (agent, words), (its_agent, its_words) in zip(found, wanted, strict=True):
        assert agent == its_agent
        assert differences(its_words, words) == [], agent
    for one in transcripts(scene.home):
        for message, kinds in one.ends.items():
            assert sum(kinds.values()) - kinds["cancelled"] <= 1, (message, kinds)


def same_word(words: str, answer: str) -> bool:
    """Of something that was done before a kill no more than that is told."""
    found = set(WORD.findall(answer))
    return found == set(WORD.findall(words)) or (words.startswith("do ") and not found)


def tell_of_progress(kill: int) -> None:
    """For whoever waits for `packaging/dev.py soak`."""
    if kill % max(1, KILLS // 20) == 0:
        sys.stdout.write(f"  killed {kill} times\n")
        sys.stdout.flush()


@pytest.mark.slow
@pytest.mark.timeout(120 + 3 * KILLS + MESSAGES // 10)
def test_nothing_is_lost_or_doubled_or_out_of_order_whenever_it_is_killed(
    one_by_one: Scene,
) -> None:
    """Every fifth message has something done that may not be done twice."""
    scene, chance = one_by_one, random.Random(SEED)
    scene.program.start()
    kills = sorted(chance.sample(range(1, MESSAGES - 1), KILLS))  # something is said after the last
    for number in range(MESSAGES):
        scene.say(*chance.choice(PLACES), f"do m{number}" if number % 5 == 0 else f"m{number}")
        if number in kills:
            scene.some_moment(chance)
            scene.kill()
            tell_of_progress(kills.index(number) + 1)
    scene.ends_well()
    assert_each_was_answered_once(scene, same_word)
    assert_transcripts_hold_each_once(scene)
    done = Counter(scene.done.read_text("ascii").split())
    assert [word for word, times in done.items() if times > 1] == []


# --------------------------------------------------------------------------- the built-in model


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_built_in_model_answers_each_with_its_own_answer_whenever_it_is_killed(
    starter: Scene,
) -> None:
    scene, chance = starter, random.Random(SEED)
    scene.program.start()
    kills = sorted(chance.sample(range(20, STARTER_MESSAGES - 1), STARTER_KILLS))
    for number in range(STARTER_MESSAGES):
        scene.say(*chance.choice(PLACES), REQUESTS[number % len(REQUESTS)].format(number))
        if number in kills:
            scene.some_moment(chance)
            scene.kill()
    scene.ends_well()
    assert_each_was_answered_once(scene, is_its_answer)
    assert_transcripts_hold_each_once(scene)
    told = [said for answers in scene.answers().values() for said in answers.values()]
    assert sum(" = " in said for said in told) > STARTER_MESSAGES / 2


REQUESTS = (
    "Add {0} and 1000",
    "What is {0} times 7?",
    "What is 5000 minus {0}?",
    "What is {0} plus 250?",
    "remind me tomorrow at 9 to call number {0}",
)


def is_its_answer(words: str, answer: str) -> bool:
    """It is about the numbers that were asked about, and a sum is right.

    A kill between what a tool changed and the answer is told in place of it, and only of tools
    that change something.
    """
    if answer.startswith("I was interrupted while I did this"):
        return words.startswith("remind me") and "reminder_add" in answer
    asked = [int(one) for one in re.findall(r"[0-9]+", words)]
    told = [int(one) for one in re.findall(r"[0-9]+", answer)]
    if " = " not in answer:
        return set(asked) <= set(told)  # a question, or what it may not do
    first, second = asked
    right = {first + second, first * second if "times" in words else first - second}
    return told[:-1] in (asked, asked[::-1]) and told[-1] in right


# --------------------------------------------------------------------------- other promises


def echo(body: Mapping[str, object]) -> Reply:
    """The words of the last message, so that an answer tells what it answers."""
    said = [one["content"] for one in body["messages"] if one["role"] == "user"]
    return streams(text(" ".join(WORD.findall(said[-1])) or "well"), ends())


@pytest.fixture
def may_answer() -> threading.Event:
    """The model of `together` says nothing before."""
    return threading.Event()


@pytest.fixture
def together(tmp_path: Path, may_answer: threading.Event) -> Iterator[Scene]:
    def slow(body: Mapping[str, object]) -> Reply:
        may_answer.wait(PATIENCE_SECONDS)
        return echo(body)

    with ApiServer(answer=slow) as server:
        settings = pipe_settings(tmp_path, mode="collect")
        settings["models"] = {"providers": {"lab": {"baseUrl": server.base_url, "apiKey": "none"}}}
        settings["agents"]["defaults"]["model"] = "lab/instant"
        with scene_in(tmp_path, settings, None) as scene:
            try:
                yield scene
            finally:
                may_answer.set()


def test_what_comes_while_it_answers_is_answered_together(
    together: Scene, may_answer: threading.Event
) -> None:
    scene, script = together, together.scripts["two"]
    scene.program.start()
    for number in range(20):
        scene.say("two", PEERS["two"][0], f"m{number}")
    scene.until(lambda: not script.unacknowledged)
    may_answer.set()
    scene.until(lambda: len(script.answers) >= 2)
    assert scene.program.end() == 0  # whatever it has answered by now
    scene.program.start()
    scene.say("two", PEERS["two"][0], "m20")
    scene.until(lambda: any("m20" in str(one["text"]) for one in script.answers.values()))
    told = [word for one in script.answers.values() for word in str(one["text"]).split()]
    assert told == [f"m{number}" for number in range(21)]
    assert len(script.answers) < 21
    assert scene.program.end() == 0


def test_bad_and_torn_lines_are_told_and_the_next_one_is_answered(one_by_one: Scene) -> None:
    scene, script = one_by_one, one_by_one.scripts["two"]
    scene.program.start()
    script.write(b"not json\n[]\n{}\n\xff\n\n")
    scene.say("two", PEERS["two"][0], "hello")
    scene.until(lambda: len(script.answers) == 1)
    assert [error["line"] for error in script.errors] == ["not json", "[]", "{}", "\ufffd"]
    scene.say("two", PEERS["two"][0], "/status")
    scene.until(lambda: len(script.answers) == 2)
    assert scene.program.end() == 0


def test_a_group_calls_it_by_its_user_name_or_with_an_answer_to_its_words(tmp_path: Path) -> None:
    settings = pipe_settings(tmp_path, mode="followup")
    settings["channels"]["pipe"] |= {"username": "clerk", "groups": {"*": {}}}
    with scene_in(tmp_path, settings, tmp_path / "done") as scene:
        script, group = scene.scripts["one"], PEERS["one"][1]
        scene.program.start()
        scene.say("one", group, "@clerk m1")
        scene.until(lambda: len(script.answers) == 1)
        scene.say("one", group, "m2")  # to the others
        [key] = script.answers
        about = {"messageId": "x", "text": "m3", "sender": "ada", "peer": group, "replyTo": key}
        script.write(json.dumps(about).encode() + b"\n")
        scene.until(lambda: len(script.answers) == 2)
        assert scene.program.end() == 0
        told = [(one["replyTo"], str(one["text"]).split()) for one in script.answers.values()]
        assert told == [("0", ["m1"]), ("x", ["m2", "m3"])]  # what was said before is context
