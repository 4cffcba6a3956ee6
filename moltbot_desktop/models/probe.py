"""Loads an unknown model file in a process of its own before it is loaded here.

A file that llama.cpp aborts on must not take the assistant with it. The child loads it, checks
its weights for NaN, evaluates a few tokens and renders its template. What that shows about the file
is remembered by path, size and time of change, so a file is probed once; see `verdicts` for what is
not remembered.

    python -m moltbot_desktop.models.probe FILE       # prints one JSON object, exit code 0 or 1
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from moltbot_desktop.core.errors import ModelError, ModelFileInvalid
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.models.gguf_header import GgufHeader, read_header
from moltbot_desktop.models.llama import (
    LlamaContext,
    LlamaEmbedding,
    LlamaParameters,
    default_threads,
)
from moltbot_desktop.models.stop_flag import StopFlag
from moltbot_desktop.models.verdicts import (
    REASON_KEY,
    TROUBLE_KEY,
    VERDICTS_FILE,
    Verdict,
    VerdictStore,
    judge,
)
from moltbot_desktop.models.worker.channel import claim_stdout
from moltbot_desktop.models.worker.command import (
    CREATION_FLAGS,
    ChildRole,
    child_environment,
    own_command,
    settle_child,
)
from moltbot_desktop.sdk.tools import CancelToken

if sys.platform != "win32":
    import resource

# Bump when the probe judges otherwise, so that old verdicts are not believed.
PROBE_VERSION = 2
PROBE_WINDOW = 256
_SECONDS = 60
_BYTES_PER_SECOND = 20 * 2**20
# How often a waiting model thread asks whether it is to end.
_POLLS_PER_SECOND = 10
_SPARE_MEMORY = 4 * 2**30
_HINT = "Download the file again, or choose another one."
_LATER_HINT = "Close other programs and try again."


def ensure_probed(
    header: GgufHeader,
    state_dir: Path,
    cancel: CancelToken,
    *,
    command: Sequence[str] | None = None,
) -> None:
    """Probe the file unless the same file was probed before.

    Args:
        state_dir: its `probed-models.json` keeps the verdicts; losing it costs a new probe.
        cancel: the program is closing; ends the child within a tenth of a second.
        command: how to start the child, the file's path is added; None for this program's own.

    Raises:
        ModelFileInvalid: llama.cpp refuses the file or dies on it; says which.
        ModelError: it could not be tried out this time, or `cancel` came first.
    """
    name = header.path.name
    store = VerdictStore(state_dir / VERDICTS_FILE)
    key = _key(header)
    reason = store.reason(key)
    if reason is None:
        verdict = _probe(header, command or own_command(ChildRole.PROBE), cancel)
        reason = verdict.reason
        if not verdict.lasting:
            raise ModelError(
                f"The model file “{name}” could not be tried out: {reason}.", hint=_LATER_HINT
            )
        store.keep(key, reason)
    if reason:
        raise ModelFileInvalid(f"The model file “{name}” cannot be used: {reason}.", hint=_HINT)


def unreadable(path: Path, error: OSError) -> ModelError:
    """For a model file whose header was read a moment ago."""
    return ModelError(
        f"The model file “{path.name}” can no longer be read ({error.strerror or error}).",
        hint="Check whether it is still there, and the disk.",
    )


def _key(header: GgufHeader) -> str:
    try:
        changed = header.path.stat().st_mtime_ns
        resolved = header.path.resolve()
    except OSError as error:
        raise unreadable(header.path, error) from error
    return f"{PROBE_VERSION}|{resolved}|{header.size_bytes}|{changed}"


def _probe(header: GgufHeader, command: Sequence[str], cancel: CancelToken) -> Verdict:
    try:
        child = subprocess.Popen(
            [*command, str(header.path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(),
            creationflags=CREATION_FLAGS,
        )
    except OSError as error:
        return Verdict(f"its process cannot be started ({error.strerror or error})", lasting=False)
    seconds = _SECONDS + header.size_bytes // _BYTES_PER_SECOND
    with child:
        try:
            return _awaited(child, seconds, cancel)
        finally:
            # Nothing to one that has ended; `with` waits for any other.
            child.kill()


def _awaited(child: subprocess.Popen[bytes], seconds: int, cancel: CancelToken) -> Verdict:
    for _ in range(seconds * _POLLS_PER_SECOND):
        if cancel.cancelled:
            raise ModelError("The model was not loaded because the program is closing.")
        try:
            output, errors = child.communicate(timeout=1 / _POLLS_PER_SECOND)
        except subprocess.TimeoutExpired:
            continue
        return judge(child.returncode, output, errors)
    return Verdict(f"it did not get ready within {seconds} seconds", lasting=False)


def try_file(path: Path) -> JsonObject:
    """Use the file once, in this process.

    Returns:
        `reason`, "" for a good file, or `trouble` when it could not be found out.
    """
    try:
        header = read_header(path)
        if header.pooled:
            _try_embedding(path)
        else:
            _try_chat(path)
    except ModelFileInvalid as error:
        # The disk refused, not the file.
        unread = isinstance(error.__cause__, OSError)
        return {TROUBLE_KEY if unread else REASON_KEY: _bare_reason(error, path)}
    except ModelError as error:
        return {TROUBLE_KEY: _bare_reason(error, path)}
    except MemoryError:
        return {TROUBLE_KEY: "there is not enough memory"}
    except OSError as error:
        return {TROUBLE_KEY: error.strerror or str(error)}
    return {REASON_KEY: ""}


def _bare_reason(error: ModelError, path: Path) -> str:
    prefix = f"The model file “{path.name}” cannot be used: "
    return error.message.removeprefix(prefix).removesuffix(".")


def _try_chat(path: Path) -> None:
    # Late: whoever asks for a verdict renders nothing, and templates take long to load.
    from moltbot_desktop.models.template import ChatTemplate  # noqa: PLC0415

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
        raise ModelFileInvalid("its vocabulary cannot write a word")
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
    # A windowed build has no `sys.stdout`, and what llama.cpp prints is no part of the answer.
    answers = claim_stdout()
    path = Path(arguments[0])
    settle_child()
    _limit_memory(path)
    answer = try_file(path)
    with os.fdopen(answers, "wb") as pipe:
        pipe.write(json.dumps(answer).encode() + b"\n")
    return 0 if answer.get(REASON_KEY) == "" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
