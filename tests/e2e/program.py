"""Drives the real program from outside: a process, its streams, its home folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 100


@dataclass(frozen=True)
class Program:
    """The program in a home of its own; no display unless the test gives one."""

    home: Path
    extra: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
        }
        return kept | {
            "MOLTBOT_HOME": str(self.home),
            "HOME": str(self.home.parent),
            "PYTHONPATH": str(CHECKOUT),
            "LANG": "en_US.UTF-8",
            **self.extra,
        }

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "moltbot_desktop", *arguments]

    def run(self, *arguments: str, lines: str | bytes = "") -> subprocess.CompletedProcess[str]:
        """Run to the end with `lines` as standard input."""
        data = lines.encode() if isinstance(lines, str) else lines
        done = subprocess.run(
            self.command(*arguments),
            input=data,
            capture_output=True,
            env=self.environment(),
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def chat(self, *lines: str) -> list[dict[str, object]]:
        """`chat --json` with one line each; the objects it printed."""
        done = self.run("chat", "--json", lines="".join(f"{line}\n" for line in lines))
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    @contextmanager
    def started(self, arguments: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
        """A running process with open pipes; killed at the end if it still runs."""
        process = subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment(),
            text=True,
            encoding="utf-8",
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def transcripts(self) -> list[Path]:
        return sorted((self.home / "agents" / "main" / "sessions").glob("*.jsonl"))

    def daily_notes(self) -> str:
        notes = (self.home / "workspace" / "memory").glob("*.md")
        return "\n".join(path.read_text(encoding="utf-8") for path in notes)
