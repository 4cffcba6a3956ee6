"""llama.cpp's library: loaded with the first model, and what it says goes into our log.

prepare()                              # once, before a model is loaded
with CapturedErrors() as lines:
    model = llama_cpp.llama_model_load_from_file(path, parameters)
if not model:
    raise ModelFileInvalid(telling(lines, "llama.cpp gave no reason"))
"""

from __future__ import annotations

import ctypes
import logging
import os
import re
from collections.abc import Sequence
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

from moltbot_desktop.core.late import LateModule

# Before the library loads: otherwise an abort in ggml starts gdb where it is installed.
os.environ.setdefault("GGML_NO_BACKTRACE", "1")
if TYPE_CHECKING:
    import llama_cpp
else:
    llama_cpp = LateModule("llama_cpp")

__all__ = ["CapturedErrors", "llama_cpp", "prepare", "telling"]

_LOGGER = logging.getLogger("moltbot_desktop.models.llama")
_captured: ContextVar[list[str] | None] = ContextVar("captured", default=None)
_LOG_ERROR = 4
_LOG_PREFIX = re.compile(r"^(?:\w+: |error loading model: )+")
_MAX_CAPTURED = 20


def _on_log(level: int, text: bytes | None, _data: object) -> None:
    """Into logging, quietly: whatever matters is also a typed error."""
    line = (text or b"").decode("utf-8", errors="replace").strip()
    if not line:
        return
    lines = _captured.get()
    if level == _LOG_ERROR and lines is not None and len(lines) < _MAX_CAPTURED:
        lines.append(line)
    _LOGGER.log(logging.INFO if level == _LOG_ERROR else logging.DEBUG, "%s", line)


# Here, not where it is set: it must live for as long as C may call it.
_LOG_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(_on_log)


@cache
def prepare() -> None:
    """Load the library and take over its log; after the first time it does nothing."""
    llama_cpp.llama_log_set(ctypes.cast(_LOG_CALLBACK, llama_cpp.llama_log_callback), None)
    llama_cpp.llama_backend_init()


class CapturedErrors:
    """llama.cpp's error lines of a `with` block. A class, because it is entered at every token."""

    __slots__ = ("_before",)

    def __enter__(self) -> list[str]:
        lines: list[str] = []
        self._before = _captured.set(lines)
        return lines

    def __exit__(self, *_: object) -> None:
        _captured.reset(self._before)


def telling(lines: Sequence[str], otherwise: str) -> str:
    """The most telling line without llama.cpp's function names."""
    cleaned = [_LOG_PREFIX.sub("", line) for line in lines]
    told = [line for line in cleaned if line and "failed to load model" not in line]
    return (told or [otherwise])[0].rstrip(".")
