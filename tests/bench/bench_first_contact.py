"""How long somebody waits for a first answer, and what it needs.

    packaging/dev.py bench first_contact
    packaging/dev.py bench first_contact -- --quick      # without a fresh checkout

The chat in a terminal, as it is started the first and the second time, without a network where this
process may take it away (root on Linux). Then a fresh checkout: one command to a first answer, with
what registries bring; a wheel of llama.cpp that was built here before is used, as for everybody who
clones twice.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.models_figures import tell

ROOT = Path(__file__).resolve().parents[2]
QUESTION, ANSWER = "What is 12 times 34?", "408"
MOST_SECONDS = 3.0
_STARTS = 5
_PATIENCE = 900.0


def without_network() -> tuple[str, ...]:
    """What comes before a command, so that it reaches nobody; () where that cannot be had."""
    able = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("unshare")
    return ("unshare", "--net", "--") if able else ()


def first_answer(home: Path) -> float:
    """Seconds from the start of the process to the first answer."""
    command = (*without_network(), sys.executable, "-m", "moltbot_desktop", "chat", "--json")
    around = {**os.environ, "MOLTBOT_HOME": str(home), "HOME": str(home.parent)}
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        env={**around, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as chat:
        assert chat.stdin is not None and chat.stdout is not None
        chat.stdin.write(f"{QUESTION}\n")
        chat.stdin.flush()
        answer = json.loads(chat.stdout.readline())
        took = time.perf_counter() - began
        chat.stdin.close()
    assert ANSWER in answer["text"], answer
    return took


def starts(folder: Path) -> bool:
    home = folder / "home" / ".moltbot"
    home.parent.mkdir()
    how = "no network there" if without_network() else "the network was not taken away"
    first = first_answer(home)
    tell("first contact: first start of the chat, to its answer", first, "s", how)
    later = [first_answer(home) for _ in range(_STARTS)]
    note = f"best of {_STARTS}; worst {max(later):.2f}; {how}"
    name = "first contact: second start of the chat, to its answer"
    tell(name, min(later), "s", note, f"under {MOST_SECONDS:g}")
    return min(later) < MOST_SECONDS


def fresh_checkout(folder: Path) -> bool:
    """One command; what it said meanwhile is its progress."""
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), clone], check=True)
    home = folder / "new" / ".moltbot"
    home.parent.mkdir()
    command = [sys.executable, "packaging/dev.py", "run", "--", "ask", QUESTION]
    around = {**os.environ, "MOLTBOT_HOME": str(home), "LANG": "C.UTF-8"}
    around.pop("PYTHONPATH", None)
    began = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=clone,
        env=around,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_PATIENCE,
        check=False,
    )
    took = time.perf_counter() - began
    well = done.returncode == 0 and ANSWER in done.stdout
    told = len(done.stderr.splitlines())
    note = f"{told} lines of progress; {'answered' if well else done.stderr[-300:]}"
    tell("first contact: fresh checkout, one command to an answer", took, "s", note, "an answer")
    return well and told > 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without a fresh checkout")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        well = starts(Path(name))
        if not options.quick:
            well = fresh_checkout(Path(name)) and well
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
