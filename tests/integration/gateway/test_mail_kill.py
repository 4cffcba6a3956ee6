"""kill -9 in the middle of receiving, answering and sending: nothing lost, nothing doubled."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from moltbot_desktop.gateway.postman import MOST_IN_A_ROW
from tests.fakes.mail_program import AT_ONCE, PEERS

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


def sent_in(folder: Path) -> list[list[str]]:
    """Key and text of all that was sent so far, what was sent again too."""
    sent = folder / "sent"
    return [line.split() for line in sent.read_text().splitlines()] if sent.exists() else []


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_program_that_is_killed_again_and_again_answers_every_message_once(tmp_path, checkout):
    chance = random.Random(7)
    acknowledged: set[int] = set()
    lengths = [0]
    for _ in range(KILLS):
        acknowledged |= set(killed_after(tmp_path, chance.randint(1, 12), checkout))
        lengths.append(len(sent_in(tmp_path)))
    last = (max(acknowledged) // AT_ONCE + 1) * AT_ONCE
    subprocess.run([*PROGRAM, str(tmp_path), str(last)], check=True, cwd=checkout)
    lines = sent_in(tmp_path)
    texts = dict(lines)  # by key: in the order of the first sending
    answered = [int(text.split(".")[0]) for text in texts.values()]
    assert acknowledged <= set(answered)
    assert sorted(texts.values()) == sorted(
        f"{number}.{part}" for number in set(answered) for part in range(2)
    )
    for before, after in pairwise([*lengths, len(lines)]):
        known = {key for key, _ in lines[:before]}
        again = sum(key in known for key, _ in lines[before:after])
        # At most what each of the peers was just being sent, which was not noted yet.
        assert again <= PEERS * MOST_IN_A_ROW
    by_peer: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for text in texts.values():
        number, part = map(int, text.split("."))
        by_peer[number % PEERS].append((number, part))
    assert all(order == sorted(order) for order in by_peer.values())
