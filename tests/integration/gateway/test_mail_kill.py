"""kill -9 in the middle of receiving, answering and sending: nothing lost, nothing doubled."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.fakes.mail_program import AT_ONCE

KILLS = int(os.environ.get("MOLTBOT_KILLS", "20"))
PROGRAM = [sys.executable, "-m", "tests.fakes.mail_program"]


def killed_after(folder: Path, lines: int, checkout: Path) -> list[int]:
    """Run the program until it has said so many lines; the numbers that it acknowledged."""
    program = subprocess.Popen(
        [*PROGRAM, str(folder), "0"], stdout=subprocess.PIPE, text=True, cwd=checkout
    )
    with program:
        assert program.stdout is not None
        said = [program.stdout.readline() for _ in range(lines)]
        program.send_signal(signal.SIGKILL)
        rest = program.stdout.read()
    whole = "".join(said) + rest[: rest.rfind("\n") + 1]
    return [int(number) for number in whole.split()]


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_program_that_is_killed_again_and_again_answers_every_message_once(tmp_path, checkout):
    chance = random.Random(7)
    acknowledged: set[int] = set()
    for _ in range(KILLS):
        acknowledged |= set(killed_after(tmp_path, chance.randint(1, 12), checkout))
    last = (max(acknowledged) // AT_ONCE + 1) * AT_ONCE
    subprocess.run([*PROGRAM, str(tmp_path), str(last)], check=True, cwd=checkout)
    lines = [line.split() for line in (tmp_path / "sent").read_text().splitlines()]
    texts = dict(lines)  # by key: in the order of the first sending
    answered = [int(text.split(".")[0]) for text in texts.values()]
    assert acknowledged <= set(answered)
    assert sorted(texts.values()) == sorted(
        f"{number}.{part}" for number in set(answered) for part in range(2)
    )
    assert len(lines) - len(texts) <= 3 * KILLS  # at most what was just being sent to each peer
    by_peer: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for text in texts.values():
        number, part = map(int, text.split("."))
        by_peer[number % 3].append((number, part))
    assert all(order == sorted(order) for order in by_peer.values())
