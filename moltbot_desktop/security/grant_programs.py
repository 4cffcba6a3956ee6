"""Of which commands a yes may last, because their words say all that they do. Pure.

    says_all(("git", "fetch", "origin"))            # True
    says_all(("git", "-c", "core.pager=x", "log"))  # False
    says_all(("python3", "train.py"))               # False: the file says what it does

Never of interpreters, of programs that start what their words, files or a project name, of those
that reach another machine or user (policy, "Commands"). The list can never be whole; so whatever
lasts holds for exactly the words that were shown, in that folder, behind the walls that stood then
(`security.grants`), and a program that lies where the assistant may write never lasts at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from types import MappingProxyType

_INTERPRETERS = """
    python pypy perl ruby node nodejs deno bun php lua luajit tclsh wish expect guile racket Rscript
    julia ghci runhaskell elixir erl java groovy kotlin scala swift osascript pwsh powershell
    bash sh dash zsh ksh mksh fish csh tcsh ash rbash busybox toybox cmd
    awk gawk mawk nawk original-awk sed ed ex vi vim nvim view emacs nano less more most man
    sqlite sqlite3 psql mysql mariadb gdb lldb bc dc m4 jshell irb ipython jupyter
    R octave gnuplot maxima sage ocaml swipl sbcl clisp ecl scheme gforth forth dart crystal nim
    jbang scala-cli byebug tcc zig v tex latex pdftex pdflatex xetex xelatex luatex lualatex
    gimp inkscape libreoffice soffice code subl
"""
_WRAPPERS = """
    env nice nohup timeout time xargs parallel watch strace ltrace setsid stdbuf ionice chrt
    taskset chroot unshare nsenter setpriv prlimit bwrap firejail fakeroot script screen tmux
    dtach flock exec command builtin eval source nix direnv entr run-parts start-stop-daemon
    systemd-run at batch crontab dbus-send dbus-run-session gdbus busctl xdotool wmctrl xdg-open
    open gio sudo doas su pkexec runuser gosu sg newgrp machinectl ssh scp sftp rsync rsh telnet
    nc ncat netcat socat mosh ansible ansible-playbook docker podman kubectl nerdctl lxc lxd
    vagrant flatpak snap make gmake cmake ninja meson just task rake ant gradle gradlew mvn
    bazel scons tox nox pre-commit npm npx yarn pnpm pip pip3 pipx uv uvx poetry conda mamba
    cargo go gem bundle composer dotnet pytest py.test unittest jest vitest mocha gcc g++ cc c++
    clang ld tar bsdtar zip cpio rpm dpkg apt apt-get yum dnf pacman brew service systemctl
    launchctl gpg openssl curl wget aria2c hg svn bzr fossil cvs gh hub terraform valgrind perf
    chronic unbuffer rlwrap fzf gdbserver rustup rustc ip visudo mount yt-dlp
    youtube-dl ssh-keygen chromium firefox google-chrome guix port update-alternatives
"""
_NEVER = frozenset(f"{_INTERPRETERS} {_WRAPPERS}".casefold().split())
_VERSIONED = re.compile(r"[-_]?(?<![\d.])\d+(?:\.\d+)*$")
_STARTS_BY_OPTION = MappingProxyType(
    {
        "sort": re.compile(r"--comp.*"),
        "pandoc": re.compile(r"-[FLd].*|--(?:lua-)?filter.*|--pdf-engine.*|--defaults.*"),
        "rg": re.compile(r"--pre(?:=.*)?|--hostname-bin.*"),
        "fd": re.compile(r"-[^-]*[xX].*|--exec.*"),
        "fdfind": re.compile(r"-[^-]*[xX].*|--exec.*"),
    }
)
_FIND_DOES = re.compile(r"-(?:exec(?:dir)?|ok(?:dir)?|delete|fprint(?:0|f)?|fls|files0-from)$")
_GIT_SAYS_ALL = frozenset(
    "add status log diff show fetch branch restore tag stash remote reset rm mv blame describe "
    "shortlog ls-files".split()
)
_GIT_STARTS = re.compile(
    r"(?:-c|-C.*|-c.*|--config-env.*|--exec-path.*|--git-dir.*|--work-tree.*|--namespace.*"
    r"|--upload-pack.*|--receive-pack.*|--exec.*|--ext-diff|--textconv|-O.*|--open-files-in-pager.*"
    r"|-u|--template.*|--edit|-e|-i|--interactive|-p|--patch|--output.*)"
)
_REMOTE_HELPER = re.compile(r"^[a-z0-9+.-]+::", re.IGNORECASE)


def says_all(words: Sequence[str]) -> bool:
    """Whether these words (the program's name first, with or without its folder) say everything
    that would happen. Unsure is a no where the program is known to start others."""
    if not words or not words[0]:
        return False
    name = _plain(words[0])
    if name in _NEVER:
        return False
    match name:
        case "find":
            return not any(_FIND_DOES.fullmatch(word) for word in words[1:])
        case "git":
            return _git(words[1:])
    starts = _STARTS_BY_OPTION.get(name)
    return starts is None or not any(starts.fullmatch(word) for word in words[1:])


def _plain(program: str) -> str:
    """`/usr/bin/Python3.11.exe` is `python`."""
    name = PurePath(program.replace("\\", "/")).name.casefold().removesuffix(".exe")
    if name in _NEVER:
        return name
    return _VERSIONED.sub("", name) or name


def _git(words: Sequence[str]) -> bool:
    """An unknown subcommand may be an alias, which is a shell line of the repository's; commit,
    push, checkout and their like run the repository's hooks."""
    if not words or words[0] not in _GIT_SAYS_ALL:
        return False
    if any(_REMOTE_HELPER.match(word) for word in words):
        return False
    return not any(_GIT_STARTS.fullmatch(word) for word in words[1:])
