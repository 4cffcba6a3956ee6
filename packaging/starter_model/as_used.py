"""The same lists through the whole program: what a person gets, rules of the harness included.

    counts = as_used(cases, Path("starter-q8_0.gguf"))     # cases of one language

Each request is the first of a conversation of `chat --json` in an empty home. What the program
asks back about ("Did I get that right?") is counted apart: nothing was done then.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starter_model.cases import Case

ROOT = Path(__file__).parents[2]


def as_used(cases: Sequence[Case], model: Path) -> dict[str, int]:
    """Counts over `cases` of one language.

    Returns:
        requests, of these done (`exact`: the right tool with exact arguments) and asked about;
        chat, of these `false calls` done, `only looked` into memory, and asked about.
    """
    count: Counter[str] = Counter()
    requests = [case.user for case in cases]
    for case, answer in zip(cases, _answers(requests, model), strict=True):
        calls = answer["tool_calls"]
        asked = answer["outcome"] == "needs_you"
        if case.tool:
            count["requests"] += 1
            count["asked"] += asked
            count["done"] += bool(calls) and not asked
            exact = bool(calls) and _is_exact(case, calls[0])
            count["exact"] += exact and not asked
            count["asked, exact"] += exact and asked
        else:
            count["chat"] += 1
            count["false calls"] += bool(calls) and not asked
            count["only looked"] += bool(calls) and calls[0]["name"] == "memory_search"
            count["asked on chat"] += asked
    return dict(count)


def _is_exact(case: Case, call: dict[str, Any]) -> bool:
    given = {name: str(value) for name, value in call["arguments"].items()}
    names = call["name"] == case.tool and set(given) == set(case.args)
    return names and all(given[name] in case.args[name] for name in given)


def _answers(requests: list[str], model: Path) -> list[dict[str, Any]]:
    """One answer of the program for each request.

    Raises:
        SystemExit: it did not answer all of them; says what it printed instead.
    """
    lines = "".join(f"/new\n{' '.join(text.splitlines())}\n" for text in requests)
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ,
            "HOME": home,
            "MOLTBOT_HOME": f"{home}/.moltbot",
            "PYTHONPATH": str(ROOT),
        }
        done = subprocess.run(
            [sys.executable, "-m", "moltbot_desktop", "chat", "--json", "--model", str(model)],
            input=lines,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=environment,
            check=False,
        )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    answers = [answer for answer in found if answer["input"] != "/new"]
    if len(answers) != len(requests):
        raise SystemExit(f"{len(answers)} answers to {len(requests)} requests: {done.stderr}")
    return answers
