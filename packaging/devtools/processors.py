"""Does what was built run on an older processor? Read out of its code, and tried on one.

    wide_code(folder)               # libraries whose code needs AVX-512 or its kin
    try_older_processor(built)      # a processor of 2013, emulated (qemu-user-static)

A `-march=native` of whoever built it would show in both.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from devtools.places import SetupError, say

OLDEST, TOO_OLD = "Haswell", "Nehalem"
"""The first with AVX2, which llama.cpp's portable code asks for; and one without."""
QUESTION, ANSWER = "what is 12 * 34", "408"
_EMULATOR = "qemu-x86_64-static"
_LIMIT = 600.0
# Registers and instructions that only came after AVX2, as objdump writes them.
_WIDE = re.compile(r"%zmm|%[xy]mm(1[6-9]|2\d|3[01])|%k[1-7]\b|\bvpdp|\btdp|\bvcvtne")


def is_wide(code: str) -> bool:
    return _WIDE.search(code) is not None


def wide_code(folder: Path) -> list[str]:
    """Names of the libraries in `folder` that could not run on `OLDEST`."""
    found = []
    for path in sorted(folder.glob("*.so*")):
        command = ["objdump", "--disassemble", "--no-show-raw-insn", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        if is_wide(done.stdout):
            found.append(path.name)
    return found


def try_older_processor(built: Path) -> None:
    """A first answer of the frozen folder `built`, on emulated processors; nothing where there is
    no emulator.

    Raises SetupError: `OLDEST` does not answer, or `TOO_OLD` does, so that nothing was emulated.
    """
    emulator = shutil.which(_EMULATOR)
    if emulator is None or platform.machine() != "x86_64":
        say(f"  (not tried on an older processor: there is no {_EMULATOR} here)")
        return
    if ANSWER not in answered(built, emulator, OLDEST):
        raise SetupError(f"It does not run on an older processor ({OLDEST}).")
    if ANSWER in answered(built, emulator, TOO_OLD):
        raise SetupError("The emulator was left: what was tried is this computer's processor.")
    say(f"  it answers on an older processor ({OLDEST}, emulated)")


def answered(built: Path, emulator: str, processor: str) -> str:
    """What it prints. Its loader starts the program anew, which would leave the emulator; so it is
    told, in the loader's own words, that this has happened."""
    internal, program = built / "_internal", built / "moltbot-desktop"
    with tempfile.TemporaryDirectory(prefix="moltbot-older-") as home:
        told = {
            "LD_LIBRARY_PATH": str(internal),
            "_PYI_APPLICATION_HOME_DIR": str(internal),
            "_PYI_ARCHIVE_FILE": str(program),
            "_PYI_PARENT_PROCESS_LEVEL": "1",
        }
        done = subprocess.run(
            [emulator, "-cpu", processor, str(program), "ask", QUESTION],
            env={"HOME": home, "PATH": os.defpath, "LANG": "C.UTF-8", **told},
            capture_output=True,
            text=True,
            timeout=_LIMIT,
            check=False,
        )
    return done.stdout
