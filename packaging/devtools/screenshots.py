"""Pictures of places, forms and questions of the window, in both languages and looks, to look at.

python3 packaging/dev.py screenshots --out DIR -- --only doctor --home trouble --scale 1

tests/e2e/desktop/pictures.py takes them, with the program's own environment; it needs a virtual
desktop (Xvfb, openbox, trayer, xdotool: packaging/apt-test.txt).
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from devtools.places import ROOT, say, venv_program


def take_screenshots(out: Path, rest: Sequence[str]) -> int:
    """The exit code; `rest` narrows down which are taken."""
    argv = [str(venv_program("python")), "-m", "tests.e2e.desktop.pictures", "--out", str(out)]
    done = subprocess.run([*argv, *rest], cwd=ROOT, check=False)
    if done.returncode == 0:
        say(f"The pictures are in {out}")
    return done.returncode
