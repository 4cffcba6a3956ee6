"""A real bash in an empty world, as the oracle of what a command line starts.

    bash = BashOracle(folder)
    bash.started("ls a && cat b", answer=0)    # Counter of argv, and "": it did nothing else

Its world is a folder with bash and its libraries and nothing else (a user namespace and chroot),
so that a payload which does more than it should finds nothing to do it with; where the system lets
nobody make such a world, bash has nothing on its PATH. All builtins are off, and each program that
is not found is written down, so nothing else is seen than bash's own reading of the line.
"""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from moltbot_desktop.security.commands.lexer import Argv

_PROLOGUE = r"""
answer=$1
command_not_found_handle() { printf '%s\001' "$@" $'\002' >&9; return $answer; }
for one in $(compgen -b); do
  case $one in printf|enable|return|exit) ;; *) off="$off $one";; esac
done
exec 9>&1 <IN >OUT
enable -n $off
"""
_WORLD = ("--user", "--map-root-user", "--mount", "--net", "--ipc")
_PATIENCE = 300.0
_LETTERS = Path("/usr/lib/locale/C.utf8")
"""Without it bash reads bytes, not letters."""


class BashOracle:
    """Used by one thread. `walled`: whether its world is empty.

    Raises:
        FileNotFoundError: there is no bash here.
    """

    def __init__(self, folder: Path) -> None:
        found = shutil.which("bash")
        if found is None:
            raise FileNotFoundError("there is no bash here")
        self._root = folder / "world"
        self._work = self._root / "work"
        self._work.mkdir(parents=True)
        (self._root / "in").touch()
        # Under a name nobody guesses: a payload that starts a bash must not find this one.
        inside = f"/{secrets.token_hex(8)}"
        shutil.copy(found, self._root / inside[1:])
        self._libraries(found)
        unshare, chroot = shutil.which("unshare"), shutil.which("chroot", path=_SYSTEM)
        self._start = [unshare or "", *_WORLD, chroot or "", str(self._root), inside]
        self._prologue = "cd /work" + _PROLOGUE.replace("IN", "/in").replace("OUT", "/out")
        self.walled = bool(unshare and chroot) and self._works()
        if not self.walled:
            self._start = [found]
            here = str(self._root)
            self._prologue = _PROLOGUE.replace("IN", f"{here}/in").replace("OUT", f"{here}/out")

    def started(self, line: str, answer: int) -> tuple[Counter[Argv], str]:
        """The words of every program that bash starts when each of them ends with `answer`, and
        what else it did: its complaints, and the files it made."""
        ended = self._run(line, answer)
        records = ended.stdout.decode("utf-8", "surrogateescape").split("\2\1")[:-1]
        also = [ended.stderr.decode("utf-8", "replace").strip()]
        for path in self._work.iterdir():
            also.append(f"made {path.name!r}")
            path.unlink()
        return Counter(tuple(one.split("\1")[:-1]) for one in records), "; ".join(
            filter(None, also)
        )

    def _libraries(self, bash: str) -> None:
        ldd = shutil.which("ldd")
        if ldd is None:
            return
        told = subprocess.run([ldd, bash], capture_output=True, text=True, check=False).stdout
        for library in re.findall(r"/\S+", told):
            place = self._root / library[1:]
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, place)
        if _LETTERS.is_dir():
            shutil.copytree(_LETTERS, self._root / str(_LETTERS)[1:])

    def _works(self) -> bool:
        try:
            ended = self._run("ls a", 0)
        except OSError:
            return False
        return ended.returncode == 0 and ended.stdout == b"ls\1a\1\2\1"

    def _run(self, line: str, answer: int) -> subprocess.CompletedProcess[bytes]:
        script = f"{self._prologue}\n{line}\n"
        return subprocess.run(
            [*self._start, "--norc", "--noprofile", "-c", script, "bash", str(answer)],
            cwd=self._work,
            env={"PATH": "/nothing", "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )


_SYSTEM = "/usr/sbin:/usr/bin:/sbin:/bin"
