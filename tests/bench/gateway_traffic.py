"""Many messages over pipes, some twice, some while the program is killed: `bench_gateway`."""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.bench.gateway_figures import MILLISECONDS, Counts, cpu_seconds, figure
from tests.fakes.forked_program import ForkedProgram
from tests.fakes.pipes import PEERS, Script, pipe_settings, scripts

_PATIENCE = 600.0
_PLACES = [(name, peer) for name, peers in PEERS.items() for peer in peers]
_NONE_WRONG = "0, 0, 0"

Ends = Mapping[str, Script]
Asked = dict[tuple[str, str], list[str]]
"""Ids of messages by account and peer, in their order."""


@contextmanager
def world(folder: Path, **queue: object) -> Iterator[tuple[ForkedProgram, Ends]]:
    """The program, not started yet, and the scripts at its two pipes."""
    home = folder / ".moltbot"
    home.mkdir(parents=True)
    settings = json.dumps(pipe_settings(folder, **queue))
    (home / "moltbot.json").write_text(settings, encoding="utf-8")
    with scripts(folder) as ends, ForkedProgram(home, folder / "done") as program:
        yield program, ends


def until(true: Callable[[], bool], program: ForkedProgram, pause: float = 0.005) -> None:
    end = time.monotonic() + _PATIENCE
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(program.errors.read_text("utf-8", "replace")[-2000:])
        time.sleep(pause)


def flood(counts: Counts, folder: Path) -> bool:
    asked: Asked = defaultdict(list)
    chance = random.Random(7)
    with world(folder / "c", mode="followup") as (program, ends):
        program.start()
        _say(ends, asked, "two", PEERS["two"][0], 0)
        until(lambda: _answered(ends) == 1, program)
        begun, cpu = time.monotonic(), cpu_seconds(program.pid)
        for number in range(1, counts.flood + 1):
            _say(ends, asked, *chance.choice(_PLACES), number)
        until(lambda: _answered(ends) > counts.flood, program)
        seconds = time.monotonic() - begun
        cpu = cpu_seconds(program.pid) - cpu
        code = program.end()
    wrong = _wrong(ends, asked)
    note = f"{counts.flood} over two pipes, three agents, four conversations"
    figure("messages through one process", counts.flood / seconds, "a second", ">= 500", note)
    each = cpu / counts.flood * MILLISECONDS
    figure("  of the processor", each, "ms a message", "< 2", "all threads of the program")
    figure("  lost, doubled, conversations out of order", _shown(wrong), "", _NONE_WRONG)
    return code == 0 and not any(wrong)


def events(counts: Counts, folder: Path) -> bool:
    """Each event comes one to three times, up to fifty events away from its place."""
    chance = random.Random(11)
    several = [n for n in range(counts.events // 2) for _ in range(chance.choice((1, 2, 3)))]
    late = sorted(range(len(several)), key=lambda at: at + chance.randrange(50))
    distinct = set(several)
    with world(folder / "d", mode="followup") as (program, ends):
        program.start()
        end = ends["two"]
        for at in late:
            number = several[at]
            end.say(str(number), PEERS["two"][number % 2], f"m{number}")
        until(lambda: len(end.answers) >= len(distinct) and not end.unacknowledged, program)
        time.sleep(0.5)  # what would come twice comes by now
        code = program.end()
    answers = Counter(str(one.get("replyTo")) for one in end.answers.values())
    once = sum(answers[str(number)] == 1 for number in distinct)
    figure("events from a channel, duplicated and reordered", len(several), "", "10,000")
    figure("  of those that differ, handled once", f"{once} of {len(distinct)}", "", "each")
    return code == 0 and once == len(distinct) == len(answers)


def kills(counts: Counts, folder: Path) -> bool:
    """Every third message has a side effect. What says `do mN` is never done twice."""
    chance = random.Random(13)
    asked: Asked = defaultdict(list)
    number = restarts = 0
    with world(folder / "e", mode="followup") as (program, ends):
        program.start()
        for kill in range(counts.kills):
            for _ in range(chance.randrange(1, 6)):
                name, peer = chance.choice(_PLACES)
                _say(ends, asked, name, peer, number, "do " if number % 3 == 0 else "")
                number += 1
            # Anywhere from the first steps of its start to well after the last answer.
            time.sleep(chance.choice((0.02, 0.1, 0.3, 0.5)) * chance.random() * 2)
            restarts += program.kill() == -9
            for end in ends.values():
                end.take_back()
            program.start()
            for end in ends.values():
                end.say_again()
            if (kill + 1) % 100 == 0:
                sys.stderr.write(f"  killed {kill + 1} times\n")
        until(lambda: not any(end.unacknowledged for end in ends.values()), program)
        until(lambda: _answered(ends) >= number, program)
        time.sleep(1.0)  # what would come twice comes by now
        code = program.end()
    done = Counter((folder / "e" / "done").read_text("ascii").split())
    twice = sum(count > 1 for count in done.values())
    wrong = _wrong(ends, asked)
    figure("kill -9 at random points", restarts, "", "1,000", f"{number} messages")
    what = "  acknowledged messages lost, answered twice, conversations out of order"
    figure(what, _shown(wrong), "", _NONE_WRONG)
    figure("  side effects done twice", twice, "", "0", f"{len(done)} were done")
    repeated = sum(end.repeated for end in ends.values())
    figure("  answers that came again under their key", repeated, "", "", "a script knows the key")
    return code == 0 and not twice and not any(wrong)


def _say(
    ends: Ends, asked: Asked, name: str, peer: Mapping[str, str], number: int, first: str = ""
) -> None:
    asked[name, peer["id"]].append(str(number))
    ends[name].say(str(number), peer, f"{first}m{number}")


def _answered(ends: Ends) -> int:
    return sum(len(end.answers) for end in ends.values())


def _wrong(ends: Ends, asked: Asked) -> tuple[int, int, int]:
    """Messages without an answer, answered under two keys, places answered out of order."""
    lost = doubled = disordered = 0
    for (name, peer), ids in asked.items():
        answers = [one for one in ends[name].answers.values() if _peer(one) == peer]
        answered = [str(one["replyTo"]) for one in answers]
        first = list(dict.fromkeys(answered))
        lost += len(set(ids) - set(first))
        doubled += len(answered) - len(first)
        disordered += first != [one for one in ids if one in set(first)]
    return lost, doubled, disordered


def _peer(answer: Mapping[str, object]) -> str:
    peer = answer["peer"]
    return str(peer["id"]) if isinstance(peer, Mapping) else ""


def _shown(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
