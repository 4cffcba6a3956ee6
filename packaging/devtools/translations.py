"""The windows' sentences in Chinese: collected from the source, compiled for the program.

    python3 packaging/dev.py translations      # after a tr() was added, and after it was translated

One file for what lies in `ui` itself, `moltbot_zh.ts`, and one for each of its packages, such as
`memory_zh.ts`: who works at one place touches one file. What is not translated yet is listed; it
stands in the .ts as <translation type="unfinished">, to be filled in by hand or with Linguist.
"""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from devtools.places import ROOT, SetupError, say, venv_program

UI = ROOT / "moltbot_desktop" / "ui"
TRANSLATIONS = ROOT / "resources" / "translations"
_WHOLE = "moltbot"


def areas(ui: Path = UI) -> Mapping[str, list[Path]]:
    """The source files behind each .ts, by the first part of its name."""
    packages = sorted(one for one in ui.iterdir() if (one / "__init__.py").exists())
    found = {_WHOLE: sorted(ui.glob("*.py"))}
    found |= {one.name: sorted(one.rglob("*.py")) for one in packages}
    return {name: files for name, files in found.items() if any(map(_speaks, files))}


def update() -> int:
    """Bring all .ts and .qm up to date; 1 when something waits for its translation."""
    waiting = []
    for name, files in areas().items():
        sentences = TRANSLATIONS / f"{name}_zh.ts"
        _run("pyside6-lupdate", *map(str, files), *_LUPDATE, "-ts", str(sentences))
        _run("pyside6-lrelease", "-silent", str(sentences))
        waiting += [f"{sentences.name}: {one}" for one in unfinished(sentences)]
    for one in waiting:
        say(f"not translated: {one}")
    say("All is translated." if not waiting else f"{len(waiting)} sentences wait.")
    return int(bool(waiting))


def unfinished(sentences: Path) -> Iterator[str]:
    """The English of what has no Chinese yet."""
    for message in ElementTree.parse(sentences).getroot().iter("message"):
        translation = message.find("translation")
        if translation is None or translation.get("type") == "unfinished":
            yield message.findtext("source", "")


def _speaks(file: Path) -> bool:
    text = file.read_text(encoding="utf-8")
    return "self.tr(" in text or "translate(" in text


_LUPDATE: Sequence[str] = ("-no-obsolete", "-locations", "none", "-target-language", "zh_CN")


def _run(program: str, *arguments: str) -> None:
    argv = [str(venv_program(program)), *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SetupError(f"{program} failed:\n{done.stdout}{done.stderr}")
