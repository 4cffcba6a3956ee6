"""What an answer took, in words: "231 tokens in 12.3 s (19 a second) · qwen3-4b"."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate

_LEAST_SECONDS = 0.05
"""What took less was written by no model."""


def figures_of(tokens: int, seconds: float, model: str) -> str:
    """`seconds` is the whole run, reading and tools included; what is not known is left out."""
    if seconds < _LEAST_SECONDS:
        return ""
    if not tokens:
        return ""
    speed = tokens / seconds
    told = translate("Conversations", "{tokens} tokens in {seconds} s ({speed} a second)")
    told = told.replace("{tokens}", f"{tokens:,}").replace("{seconds}", f"{seconds:.1f}")
    told = told.replace("{speed}", f"{speed:.0f}" if speed >= 10 else f"{speed:.1f}")
    return f"{told} · {model}" if model else told
