"""The import contracts of pyproject.toml hold, and each has been seen to fail.

The failing runs use a small package of the same name and shape in a temporary folder, with the
contracts copied from pyproject.toml: what is tested is the configuration that really runs.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    *(
        "app",
        "ui",
        "cli",
        "qt",
        "backup",
        "gateway",
        "schedule",
        "agent",
        "tools",
        "channels",
        "plugins",
    ),
    *("skills", "memory", "sessions", "models", "security", "config", "storage", "sdk", "core"),
)


def lint(folder: Path) -> tuple[int, str]:
    """Run import-linter as the quick check does; exit code and output."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.path.insert(0, '.'); " + code],
        cwd=folder,
        env={**os.environ, "COLUMNS": "300"},  # its report is wrapped to the terminal
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def build_house(folder: Path) -> Path:
    """A checkout with empty rooms, the real contracts and the real contract types."""
    package = folder / "moltbot_desktop"
    for room in (*ROOMS, "extensions/weather", "extensions/irc"):
        (package / room).mkdir(parents=True)
        (package / room / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "extensions" / "__init__.py").touch()
    (folder / "tests" / "arch").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "arch" / "contracts.py", folder / "tests" / "arch")
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def write(house: Path, file: str, code: str) -> None:
    (house / "moltbot_desktop" / file).write_text(code)


def test_the_program_keeps_its_import_contracts() -> None:
    code, output = lint(ROOT)
    assert code == 0, output


FLOORS = "An import goes down only; every room is placed"
HOMES = "Each library is imported in its own room only"
UI_DOOR = "Windows reach the assistant through gateway.client only"
CLI_DOOR = "Commands reach the assistant through gateway.client only"
EXTENSIONS = "A bundled extension imports the sdk only, and never another extension"

# contract, file, the one forbidden import in it, words of the report
BAD = [
    (FLOORS, "core/a.py", "import moltbot_desktop.sdk", "core.a -> moltbot_desktop.sdk"),
    (FLOORS, "storage/b.py", "from moltbot_desktop import app", "storage.b -> moltbot_desktop.app"),
    (FLOORS, "memory/c.py", "import moltbot_desktop.models", "memory.c -> moltbot_desktop.models"),
    (FLOORS, "plugins/d.py", "import moltbot_desktop.extensions.irc", "plugins.d -> "),
    (HOMES, "gateway/e.py", "import PySide6.QtCore", "gateway.e (line 1) imports PySide6"),
    (HOMES, "agent/f.py", "import llama_cpp", "agent.f (line 1) imports llama_cpp"),
    (HOMES, "agent/g.py", "def f(): from apsw import Error", "agent.g (line 1) imports apsw"),
    (HOMES, "agent/n.py", "import httpx2", "agent.n (line 1) imports httpx2"),
    (HOMES, "cli/o.py", "from openai import AsyncOpenAI", "cli.o (line 1) imports openai"),
    (HOMES, "memory/h.py", "import sqlite3", "memory.h (line 1) imports sqlite3"),
    (UI_DOOR, "ui/i.py", "import moltbot_desktop.gateway.queue", "ui.i (line 1) imports"),
    (UI_DOOR, "ui/j.py", "import moltbot_desktop.memory", "ui.j (line 1) imports"),
    (CLI_DOOR, "cli/k.py", "import moltbot_desktop.qt", "cli.k (line 1) imports"),
    (EXTENSIONS, "extensions/irc/l.py", "import moltbot_desktop.config", "irc.l (line 1) imports"),
    (
        EXTENSIONS,
        "extensions/irc/m.py",
        "import moltbot_desktop.extensions.weather",
        "irc.m (line 1) imports moltbot_desktop.extensions.weather",
    ),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What import-linter says of a house that breaks every contract (one run: half a second)."""
    house = build_house(tmp_path_factory.mktemp("broken"))
    write(house, "gateway/queue.py", "")
    for _, file, code, _ in BAD:
        write(house, file, code + "\n")
    status, output = lint(house)
    assert status == 1
    return output


@pytest.mark.parametrize(("contract", "file", "code", "words"), BAD)
def test_breaking_a_contract_is_reported(
    report: str, contract: str, file: str, code: str, words: str
) -> None:
    assert f"{contract} BROKEN" in report
    assert words in report


def test_a_room_without_a_place_is_reported(tmp_path: Path) -> None:
    house = build_house(tmp_path)
    write(house, "attic.py", '"""A room that no floor names."""\n')
    status, output = lint(house)
    assert status == 1
    assert "attic" in output


def test_what_the_contracts_allow_is_allowed(tmp_path: Path) -> None:
    house = build_house(tmp_path)
    write(house, "gateway/client.py", "import moltbot_desktop.core\n")
    write(house, "ui/x.py", "import moltbot_desktop.gateway.client, moltbot_desktop.qt\n")
    write(house, "models/x.py", "import llama_cpp, moltbot_desktop.sdk\n")
    write(house, "memory/x.py", "import apsw, sqlite_vec\n")
    write(house, "extensions/irc/x.py", "import moltbot_desktop.sdk\nimport socket\n")
    code, output = lint(house)
    assert code == 0, output


# What is installed on one system alone, by the package that brings it.
OF_OTHER_SYSTEMS = {
    "comtypes": ["comtypes"],
    "ApplicationServices": ["pyobjc-framework-ApplicationServices"],
    "Quartz": ["pyobjc-framework-Quartz"],
    "AppKit": ["pyobjc-framework-Cocoa"],
}


def libraries() -> frozenset[str]:
    """All that the program imports and neither Python nor we bring along."""
    nodes = [
        node
        for file in (ROOT / "moltbot_desktop").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    ]
    plain = (one.name for node in nodes if isinstance(node, ast.Import) for one in node.names)
    taken = (node.module or "" for node in nodes if isinstance(node, ast.ImportFrom))
    tops = {name.partition(".")[0] for name in (*plain, *taken)}
    return frozenset(tops - sys.stdlib_module_names - {"moltbot_desktop", ""})


def test_every_library_has_a_home_and_is_a_dependency() -> None:
    """A library without a row may be imported anywhere, the network's among them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (rows,) = (one["homes"] for one in contracts if one["id"] == "one-home")
    assert libraries() <= {row.split(" ->")[0] for row in rows}
    extras = project["project"]["optional-dependencies"]
    named = project["project"]["dependencies"] + extras["remote"] + extras["mcp"] + extras["acp"]
    named += extras["server"] + extras["lancedb"] + extras["desktop"] + extras["browser"]
    for channel in ("discord", "matrix", "xmpp", "email", "mqtt"):
        named += extras[channel]
    declared = {canonicalize_name(Requirement(row).name) for row in named}
    brought_by = {**packages_distributions(), **OF_OTHER_SYSTEMS}
    undeclared = [
        library
        for library in sorted(libraries())
        if declared.isdisjoint(map(canonicalize_name, brought_by.get(library, ())))
    ]
    assert not undeclared
