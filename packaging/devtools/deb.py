"""The .deb, of the frozen folder.

    /usr/lib/moltbot-desktop/       the folder
    /usr/bin/moltbot-desktop        a link to its program
    /usr/share/…                    menu entry, AppStream, icons, copyright

What it depends on is not written down: it is read out of the programs and libraries in it. It runs
no script on the person's computer; dpkg's own triggers renew the menus.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from devtools import shipping
from devtools.licences import debian_package
from devtools.places import PACKAGING, ROOT, SetupError
from devtools.steps import run_logged
from devtools.system import output_of

NAME = "moltbot-desktop"
LINUX = PACKAGING / "linux"
CONTROL = PACKAGING / "deb" / "control"
TREE = shipping.BUILD / "deb"
APP_ID = "io.github.moltbot_desktop.MoltbotDesktop"
"""What software centres, macOS and its launchd know the program by. The project has no domain of
its own; whoever gives it one says it here and in the files that a test names."""
METAINFO = f"{APP_ID}.metainfo.xml"
MAINTAINER = "The Moltbot Desktop contributors <moltbot-desktop@packages.invalid>"
"""A name that leads nowhere (RFC 2606), so that no stranger gets the mail."""
_ELF = b"\x7fELF"


def make_deb(folder: Path) -> Path:
    """The package in `dist/`.

    Raises SetupError when a tool of Debian's is missing or refuses it.
    """
    if TREE.exists():
        shutil.rmtree(TREE)
    lay_out(folder, TREE)
    architecture = output_of("dpkg", "--print-architecture") or "amd64"
    fields = {
        "VERSION": shipping.version(),
        "ARCHITECTURE": architecture,
        "DEPENDS": ", ".join(dependencies(folder)),
        "SIZE": str(installed_kilobytes(TREE)),
        "MAINTAINER": maintainer(os.environ),
    }
    (TREE / "DEBIAN").mkdir()
    (TREE / "DEBIAN" / "control").write_text(control(fields), encoding="utf-8")
    (TREE / "DEBIAN" / "md5sums").write_text(md5sums(TREE), encoding="utf-8")
    target = shipping.DIST / f"{NAME}_{fields['VERSION']}_{architecture}.deb"
    shipping.DIST.mkdir(exist_ok=True)
    # Everything belongs to root, whoever builds it. What has this glibc has a dpkg that knows zstd.
    pack = ("dpkg-deb", "--root-owner-group", "-Zzstd", "-z9", "--build", TREE, target)
    run_logged("Packing the .deb", 120, pack)
    return target


def lay_out(folder: Path, tree: Path) -> None:
    """Everything but the control file below `tree`, with the modes that Debian wants."""
    shutil.copytree(folder, tree / "usr/lib" / NAME, symlinks=True)
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "usr/bin" / NAME).symlink_to(f"../lib/{NAME}/{NAME}")
    share = tree / "usr/share"
    put(LINUX / f"{NAME}.desktop", share / "applications" / f"{NAME}.desktop")
    put(LINUX / METAINFO, share / "metainfo" / METAINFO)
    for icon in sorted(shipping.ICONS.glob("*.png")):
        size = f"{icon.stem}x{icon.stem}"
        put(icon, share / "icons/hicolor" / size / "apps" / f"{NAME}.png")
    svg = ROOT / "resources/icons/moltbot.svg"
    put(svg, share / "icons/hicolor/scalable/apps" / f"{NAME}.svg")
    put(shipping.LICENCES, share / "doc" / NAME / "copyright")
    log = share / "doc" / NAME / "changelog.gz"
    changes = (ROOT / "moltbot_desktop/docs/CHANGELOG.md").read_bytes()
    log.write_bytes(gzip.compress(changes, 9, mtime=0))
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            runs = path.is_dir() or path.name == NAME
            path.chmod(0o755 if runs else 0o644)


def put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def control(fields: dict[str, str]) -> str:
    """The control file, from its template."""
    lines = CONTROL.read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    for name, value in fields.items():
        text = text.replace(f"@{name}@", value)
    if re.search(r"@[A-Z]+@", text):
        raise SetupError(f"{CONTROL} names a field that nobody fills in.")
    return f"{text.strip()}\n"


def maintainer(environment: Mapping[str, str]) -> str:
    """Whoever builds it, where they say so as Debian's own tools ask for it."""
    name, address = (environment.get(one, "") for one in ("DEBFULLNAME", "DEBEMAIL"))
    return f"{name} <{address}>" if name and address else MAINTAINER


def installed_kilobytes(tree: Path) -> int:
    files = (path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(-(-path.stat().st_size // 1024) for path in files)


def md5sums(tree: Path) -> str:
    """What `dpkg --verify` compares with."""
    names = sorted(
        path.relative_to(tree).as_posix()
        for path in (tree / "usr").rglob("*")
        if path.is_file() and not path.is_symlink()
    )
    done = subprocess.run(
        ["md5sum", "--", *names], cwd=tree, capture_output=True, text=True, check=True
    )
    return done.stdout


def programs_in(folder: Path) -> list[Path]:
    """Programs and libraries, by their first bytes."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(4) == _ELF:
                    found.append(path)
    return found


def dependencies(folder: Path) -> list[str]:
    """Debian's packages whose libraries the folder asks for and does not have.

    Raises SetupError when one belongs to no package.
    """
    files = programs_in(folder)
    done = subprocess.run(["objdump", "-p", *files], capture_output=True, text=True, check=False)
    inside = {path.name for path in folder.rglob("*")}
    found = set()
    for library in sorted(needed_libraries(done.stdout) - inside):
        package = debian_package(library)
        if not package:
            raise SetupError(f"{library} is asked for by the build and belongs to no package.")
        newest = newest_glibc(done.stdout) if package == "libc6" else ""
        found.add(f"{package} (>= {newest})" if newest else package)
    # Loaded by name, which no header says: the system's fonts.
    return sorted({*found, "fontconfig"})


def needed_libraries(headers: str) -> set[str]:
    """Sonames that programs ask for, in what objdump -p prints."""
    return set(re.findall(r"^  NEEDED +(\S+)$", headers, re.MULTILINE))


def newest_glibc(headers: str) -> str:
    """The oldest glibc that has all they ask for; "" when they ask for none."""
    asked = re.findall(r" GLIBC_(\d+(?:\.\d+)+)$", headers, re.MULTILINE)
    return max(asked, key=lambda one: [*map(int, one.split("."))], default="")
