"""Loads an unknown model file in a process of its own before it is loaded here.

A file that llama.cpp aborts on must not take the assistant with it. The child loads it, checks
its weights for NaN, evaluates a few tokens and renders its template; the verdict is remembered by
path, size and time of change, so a file is probed once.

    python -m moltbot_desktop.models.probe FILE       # prints one JSON object, exit code 0 or 1
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from moltbot_desktop.core.errors import ModelError, ModelFileInvalid, StorageError
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.models.gguf_header import GgufHeader, read_header
from moltbot_desktop.models.llama import (
    LlamaContext,
    LlamaEmbedding,
    LlamaParameters,
    StopFlag,
    default_threads,
)
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.models.worker.command import (
    CREATION_FLAGS,
    ChildRole,
    child_environment,
    own_command,
    settle_child,
)
from moltbot_desktop.models.worker.deaths import telling_line
from moltbot_desktop.storage.files import make_private_dir, write_atomic

if sys.platform != "win32":
    import resource

_LOGGER = logging.getLogger(__name__)
VERDICTS_FILE = "probed-models.json"
# Bump when the probe looks at more, so that old verdicts are not believed.
PROBE_VERSION = 1
PROBE_WINDOW = 256
_SECONDS = 60
_BYTES_PER_SECOND = 20 * 2**20
_SPARE_MEMORY = 4 * 2**30
_MAX_VERDICTS = 500
_HINT = "Download the file again, or choose another one."


def ensure_probed(
    header: GgufHeader, state_dir: Path, *, command: Sequence[str] | None = None
) -> None:
    """Probe the file unless the same file was probed before.

    Args:
        state_dir: its `probed-models.json` keeps the verdicts; losing it costs a new probe.
        command: how to start the child, the file's path is added; None for this program's own.

    Raises:
        ModelFileInvalid: llama.cpp refuses the file, dies on it or does not get ready; says which.
    """
    store = state_dir / VERDICTS_FILE
    key = _key(header)
    verdicts = _read_verdicts(store)
    reason = verdicts.get(key)
    if reason is None:
        reason = _probe(header, command or own_command(ChildRole.PROBE))
        _remember(store, {**verdicts, key: reason})
    if reason:
        raise ModelFileInvalid(
            f"The model file “{header.path.name}” cannot be used: {reason}.", hint=_HINT
        )


def _key(header: GgufHeader) -> str:
    changed = header.path.stat().st_mtime_ns
    return f"{PROBE_VERSION}|{header.path.resolve()}|{header.size_bytes}|{changed}"


def _read_verdicts(store: Path) -> dict[str, str]:
    """Reasons by key, "" for a good file; empty when there are none or they cannot be read."""
    try:
        parsed = json.loads(store.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(parsed, dict):
        return {}
    return {key: value for key, value in parsed.items() if isinstance(value, str)}


def _remember(store: Path, verdicts: Mapping[str, str]) -> None:
    recent = dict(list(verdicts.items())[-_MAX_VERDICTS:])
    try:
        make_private_dir(store.parent)
        write_atomic(store, json.dumps(recent, ensure_ascii=False, indent=1).encode())
    except StorageError as error:
        # The file can be used all the same; it is only probed again next time.
        _LOGGER.info("the verdict about a model file was not kept: %s", error)


def _probe(header: GgufHeader, command: Sequence[str]) -> str:
    """Reason why the file cannot be used, "" when it can."""
    seconds = _SECONDS + header.size_bytes // _BYTES_PER_SECOND
    try:
        done = subprocess.run(
            [*command, str(header.path)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            env=child_environment(),
            creationflags=CREATION_FLAGS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not get ready within {seconds} seconds"
    except OSError as error:
        return f"it could not be tried out ({error.strerror or error})"
    return _verdict(done.returncode, done.stdout, done.stderr)


def _verdict(code: int, output: bytes, errors: bytes) -> str:
    try:
        answer: JsonValue = json.loads(output)
    except ValueError:
        answer = None
    if isinstance(answer, Mapping) and isinstance(reason := answer.get("reason"), str):
        return reason
    # It died: ggml's assertion stands in what it wrote last.
    lines = errors.decode(errors="replace").strip().splitlines()
    said = telling_line(lines) or (lines or [f"exit code {code}"])[-1].strip()
    return f"llama.cpp breaks down on it ({said[:200]})"


def try_file(path: Path) -> JsonObject:
    """Use the file once, in this process. `reason` is "" for a good one."""
    try:
        header = read_header(path)
        if header.pooled:
            _try_embedding(path)
        else:
            _try_chat(path)
    except ModelError as error:
        return {"reason": _bare_reason(error, path)}
    return {"reason": ""}


def _bare_reason(error: ModelError, path: Path) -> str:
    prefix = f"The model file “{path.name}” cannot be used: "
    return error.message.removeprefix(prefix).removesuffix(".")


def _try_chat(path: Path) -> None:
    parameters = LlamaParameters(PROBE_WINDOW, default_threads(), check_weights=True)
    context = LlamaContext(path, parameters, StopFlag())
    template = ChatTemplate(
        context.metadata.get("tokenizer.chat_template", ""),
        bos_token=context.bos_text,
        eos_token=context.eos_text,
        control_tokens=context.control_texts,
    )
    prompt = template.render((ChatMessage(Role.USER, "Hello, 你好."),))
    tokens = context.tokenize(prompt, special=True)[: context.batch_tokens - 1]
    if not tokens:
        raise ModelError("its vocabulary cannot write a word")
    context.advance(tokens)
    token = int(context.logits().argmax())
    context.piece(token)
    context.advance([token])
    context.logits()
    context.close()


def _try_embedding(path: Path) -> None:
    embedding = LlamaEmbedding(path, default_threads())
    embedding.embed("Hello, 你好.", 64)
    embedding.close()


def _limit_memory(path: Path) -> None:
    """An own limit instead of the whole computer's memory."""
    if sys.platform == "win32":
        return
    size = path.stat().st_size if path.is_file() else 0
    limit = 2 * size + _SPARE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main(arguments: Sequence[str]) -> int:
    """The child's side."""
    path = Path(arguments[0])
    settle_child()
    _limit_memory(path)
    answer = try_file(path)
    sys.stdout.write(json.dumps(answer) + "\n")
    return 1 if answer["reason"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
