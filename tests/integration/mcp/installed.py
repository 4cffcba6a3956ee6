"""MCP servers that other people wrote, installed once into a folder for temporary things.

Where a registry or a program is missing, the test that wants one is skipped with the reason.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

SHELF = Path(tempfile.gettempdir()) / f"mcp-servers-for-tests-{os.getuid()}-1"
PYTHON = ("mcp-server-time==2026.10.19", "mcp-server-git==2026.10.19")
NODE = ("@modelcontextprotocol/server-filesystem", "@modelcontextprotocol/server-everything")
# Before a test has a home of its own, where no registry is configured.
OUTSIDE = dict(os.environ)
SECONDS = 300


def python_server(name: str) -> str:
    """The program `name` out of one of `PYTHON`."""
    folder = _made("python", _install_python)
    return str(folder / "bin" / name)


def node_server(name: str) -> str:
    """The program `name` out of one of `NODE`."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("there is no node here")
    folder = _made("node", _install_node)
    return str(folder / "node_modules" / ".bin" / name)


def _install_python(folder: Path) -> list[list[str]]:
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", *PYTHON]
    return [[sys.executable, "-m", "venv", str(folder)], pip]


def _install_node(folder: Path) -> list[list[str]]:
    folder.mkdir(parents=True, exist_ok=True)
    return [["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "-s", *NODE]]


def _made(name: str, commands: Callable[[Path], list[list[str]]]) -> Path:
    """A virtual environment cannot be moved, so a mark says that it is whole."""
    folder, mark = SHELF / name, SHELF / f"{name}.whole"
    if mark.exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    SHELF.mkdir(mode=0o700, exist_ok=True)
    for command in commands(folder):
        try:
            done = subprocess.run(
                command, env=OUTSIDE, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            pytest.skip(f"{command[0]} took longer than {SECONDS} seconds")
        if done.returncode != 0:
            pytest.skip(f"not installed: {done.stderr[-300:]}")
    mark.touch()
    return folder
