"""Bad model files and bad grammars: how often they end the program, and how often bare llama.cpp.

    python tests/bench/models_zoo.py KIND FOLDER NAME...

tries the named ones in one process, one line of JSON each, and is started again behind whatever
killed it; `zoo` does that and counts.
"""

from __future__ import annotations

import asyncio
import faulthandler
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import llama_cpp

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolSpec
from tests.bench.models_figures import ROOT, program, tell
from tests.data.make_gguf import TinyModel, write_chat_model
from tests.data.model_zoo import FLIPPED, REFUSED
from tests.fakes.asking import asking, calls_in, events_of, malformed_in
from tests.integration.models.test_zoo import BAD_SCHEMAS

# A try that takes longer hangs; bare llama-cpp-python may take no more memory than this.
_SECONDS = 20.0
_MEMORY = 8 * 2**30
_GOOD = "good.gguf"
_BIASED = TinyModel(call_bias=3, quote_bias=6)
# What llama-cpp-python raises on bad input, from its own checks and by accident.
_THEIRS = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError)

Verdict = str | None
"""Why it is refused, "" when it could be used; None: the process died or hung."""


def zoo(folder: Path) -> None:
    """Both counts beside bare llama.cpp's."""
    place = folder / "zoo"
    place.mkdir()
    good = write_chat_model(place / _GOOD, _BIASED).read_bytes()
    damages = {name: damage for name, (damage, _) in REFUSED.items()} | FLIPPED
    files = {f"{number}.gguf": damage for number, damage in enumerate(damages.values())}
    for name, damage in files.items():
        (place / name).write_bytes(damage(good))
    told = {"file": "refused with a reason", "schema": "end in a report, the others in a call"}
    for what, names in (("file", list(files)), ("schema", list(BAD_SCHEMAS))):
        ours = _verdicts(f"our-{what}", place, names)
        bare = _verdicts(f"bare-{what}", place, names)
        refused = sum(bool(verdict) for verdict in ours.values())
        note = (
            f"of {len(names)}; {refused} {told[what]}; "
            f"bare llama-cpp-python: {_deaths(bare)} deaths or hangs"
        )
        tell(f"models: bad {what}s, deaths or hangs", _deaths(ours), "", note, "0")


def _deaths(verdicts: Mapping[str, Verdict]) -> int:
    return sum(verdict is None for verdict in verdicts.values())


def _verdicts(kind: str, folder: Path, names: Sequence[str]) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    left = list(names)
    while left:
        done = subprocess.run(
            [sys.executable, __file__, kind, str(folder), *left],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT), "GGML_NO_BACKTRACE": "1"},
            check=False,
        )
        told = [json.loads(line) for line in done.stdout.splitlines()]
        found |= dict(zip(left, told, strict=False))
        left = left[len(told) :]
        if left:
            found[left.pop(0)] = None
    return found


# --- in the process that may die


def _our_file(folder: Path, name: str) -> str:
    try:
        with program(folder / name, folder, window=256, threads=1) as (_, model):
            asyncio.run(events_of(model, asking("hello", max_tokens=3)))
    except ModelError as error:
        return error.message
    return ""


def _bare_file(folder: Path, name: str) -> str:
    try:
        llama = llama_cpp.Llama(str(folder / name), n_ctx=256, n_threads=1, verbose=False)
        llama.create_completion("hello", max_tokens=3)
    except (*_THEIRS, TypeError, ValueError) as error:
        return str(error)
    return ""


def _tool(schema: JsonValue) -> ToolSpec:
    parameters = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return ToolSpec("odd", "a tool with a bad schema", parameters, Effect.NONE)


def _our_schema(folder: Path, name: str) -> str:
    tools = (_tool(BAD_SCHEMAS[name]),)
    request = asking("hello", tools=tools, force_tool="odd", temperature=1.0, max_tokens=60)
    try:
        with program(folder / _GOOD, folder, window=4096, threads=1) as (_, model):
            events = asyncio.run(events_of(model, request))
    except ModelError as error:
        return error.message
    if calls_in(events):
        return ""
    return "; ".join(one.problem for one in malformed_in(events))


def _bare_schema(folder: Path, name: str) -> str:
    schema = json.dumps(dict(_tool(BAD_SCHEMAS[name]).parameters), default=dict)
    try:
        grammar = llama_cpp.LlamaGrammar.from_json_schema(schema, verbose=False)
        llama = llama_cpp.Llama(str(folder / _GOOD), n_ctx=4096, n_threads=1, verbose=False)
        llama.create_completion("hello", max_tokens=60, temperature=1.0, grammar=grammar)
    except (*_THEIRS, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


_TRIES: dict[str, Callable[[Path, str], str]] = {
    "our-file": _our_file,
    "bare-file": _bare_file,
    "our-schema": _our_schema,
    "bare-schema": _bare_schema,
}


def _limit_memory() -> None:
    """Where the system can: a grammar of 10^9 rules must not take the computer's memory."""
    if importlib.util.find_spec("resource") is not None:
        resource = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def main() -> None:
    """The child's side."""
    kind, folder, *names = sys.argv[1:]
    if kind.startswith("bare"):
        _limit_memory()
    for name in names:
        faulthandler.dump_traceback_later(_SECONDS, exit=True)
        print(json.dumps(_TRIES[kind](Path(folder), name)), flush=True)


if __name__ == "__main__":
    main()
