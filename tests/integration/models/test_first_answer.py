"""The first answer of a model that is loaded waits for nothing but the model.

What is imported at its first use holds the interpreter: 10 to 50 ms a module, while the window is
to show the words that were just sent.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from moltbot_desktop.models.catalogue import STARTER_FILE

ROOT = Path(__file__).parents[3]
FIRST_ANSWERS = """
import asyncio, json, sys
from pathlib import Path
from moltbot_desktop.models.chat import load_chat_model
from moltbot_desktop.models.thread import ModelThread
from tests.fakes.asking import asking, calls_in, done, events_of
from tests.fakes.built_in_tools import BUILT_IN

CALC = tuple(tool for tool in BUILT_IN if tool.name == "calc")

async def main(thread, file, state, forced):
    model = await load_chat_model(thread, file, context_tokens=4096, threads=1, state_dir=state)
    loaded = set(sys.modules)
    events = await events_of(
        model, asking("what is 12 * 7", tools=CALC, force_tool=forced, temperature=1.0)
    )
    words = await events_of(model, asking("tell me more", temperature=0.9, top_p=0.8, max_tokens=8))
    late = sorted(set(sys.modules) - loaded)
    print(json.dumps([late, len(calls_in(events)), done(words).usage.completion_tokens]))
    model.close()

thread = ModelThread()
thread.start()
try:
    asyncio.run(main(thread, Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] or None))
finally:
    thread.stop()
    thread.join(30)
"""


def first_answers(file: Path, state: Path, forced: str) -> tuple[list[str], int, int]:
    """What was imported for them, how many calls were written, and how many tokens of text."""
    command = [sys.executable, "-c", FIRST_ANSWERS, str(file), str(state), forced]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    late, calls, tokens = json.loads(ended.stdout)
    return late, calls, tokens


def test_nothing_is_imported_for_the_first_call_and_the_first_words(
    chat_file: Path, state_dir: Path
) -> None:
    late, calls, tokens = first_answers(chat_file, state_dir, "calc")
    assert (late, calls) == ([], 1)
    assert tokens > 0


def test_nothing_is_imported_for_the_first_call_of_the_starter(state_dir: Path) -> None:
    file = ROOT / "resources" / "models" / STARTER_FILE
    late, calls, tokens = first_answers(file, state_dir, "")
    assert (late, calls) == ([], 1)
    assert tokens > 0
