"""The licences of everything in a frozen build, in one text; stops at one that nobody looked at.

    text = collect(python_of_the_build, folder)      # SetupError names what is unknown

`packaging/licences/known.toml` says what may be shipped. In a build are Python packages (their own
metadata), what those bring inside and our own files (parts), and libraries of the build's system,
which on Linux are Debian's and have a copyright file there.
"""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from devtools.places import PACKAGING, ROOT, SetupError

FOLDER = PACKAGING / "licences"
TEXTS = FOLDER / "texts"
KNOWN = FOLDER / "known.toml"
DEBIAN_TEXTS = Path("/usr/share/doc")
_TOKEN = re.compile(r"\(|\)|[^\s()]+")
# Run by the build's own Python: its packages with what they say of their licence.
_ASK = """
import importlib.metadata, json, sys, sysconfig
found = []
for one in importlib.metadata.distributions():
    said = one.metadata
    names = ("licen", "licence", "copying", "notice")
    files = [f for f in one.files or () if ".dist-info" in str(f)]
    texts = [f for f in files if any(part in f.name.lower() for part in names)]
    found.append({
        "name": said["Name"], "version": said["Version"],
        "expression": said.get("License-Expression"), "field": said.get("License") or "",
        "classifiers": [c.rpartition("::")[2].strip() for c in said.get_all("Classifier") or ()
                        if c.startswith("License")],
        "texts": [f.read_text() for f in texts],
    })
json.dump({"packages": found, "library": sysconfig.get_path("stdlib")}, sys.stdout)
"""


@dataclasses.dataclass(frozen=True)
class Known:
    """The table of known.toml."""

    allowed: frozenset[str]
    words: Mapping[str, str]
    packages: Mapping[str, str]
    texts: Mapping[str, list[str]]
    parts: Mapping[str, list[str]]
    bundled: Mapping[str, list[str]]
    components: Mapping[str, str]
    tools: frozenset[str]
    debian: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Package:
    """What a Python package says of itself; `texts` are its licence files."""

    name: str
    version: str
    said: tuple[str, ...]
    texts: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Entry:
    """One thing that is shipped, the licence it is shipped under, and its text."""

    what: str
    licence: str
    text: str


def read_known(text: str) -> Known:
    table = tomllib.loads(text)
    return Known(
        frozenset(table["allowed"]),
        table["words"],
        table["packages"],
        table["texts"],
        table["parts"],
        table["bundled"],
        table["components"],
        frozenset(table["tools"]["names"]),
        table["debian"],
    )


def canonical(name: str) -> str:
    """A package's name as PyPI compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def may_ship(expression: str, allowed: frozenset[str]) -> bool:
    """Whether an SPDX expression leaves a way that is allowed. One that cannot be read does not."""
    tokens = _TOKEN.findall(expression)

    def any_of() -> bool:
        holds = all_of()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            holds = all_of() or holds
        return holds

    def all_of() -> bool:
        holds = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            holds = one() and holds
        return holds

    def one() -> bool:
        if not tokens:
            tokens.append("")  # something is missing: what is left over makes it no expression
            return False
        name = tokens.pop(0)
        if name == "(":
            holds = any_of()
            return tokens[:1] == [")"] and tokens.pop(0) == ")" and holds
        if tokens[:1] == ["WITH"] and len(tokens) > 1:
            name = " ".join((name, tokens.pop(0), tokens.pop(0)))
        return name in allowed

    return any_of() and not tokens


def licence_of(package: Package, known: Known) -> str:
    """Its SPDX expression; "" when nothing it says is known."""
    chosen = known.packages.get(canonical(package.name))
    for said in (chosen, *package.said):
        expression = known.words.get(said or "", said or "")
        if expression and may_ship(expression, known.allowed):
            return expression
    return ""


def packages_of(python: Path) -> tuple[list[Package], Path]:
    """The packages of an environment, and the folder of its standard library."""
    done = subprocess.run([python, "-P", "-c", _ASK], capture_output=True, check=True)
    told = json.loads(done.stdout)
    packages = [
        Package(
            one["name"],
            one["version"],
            # The first that counts: an expression is exact, a classifier is broad.
            tuple(
                filter(
                    None,
                    (
                        one["expression"],
                        one["field"].strip().partition("\n")[0],
                        *one["classifiers"],
                    ),
                )
            ),
            tuple(one["texts"]),
        )
        for one in told["packages"]
    ]
    return sorted(packages, key=lambda one: canonical(one.name)), Path(told["library"])


def entries_of_packages(packages: Iterable[Package], known: Known) -> tuple[list[Entry], list[str]]:
    """The entries, and a line for each package that stops the build."""
    found, problems = [], []
    for package in packages:
        name = canonical(package.name)
        if name in known.tools:
            continue
        licence = licence_of(package, known)
        texts = [*package.texts, *(read_text(one) for one in known.texts.get(name, ()))]
        if name == "moltbot-desktop":
            texts = [read_text("root:resources/LICENSE.txt")]
        if not licence:
            said = ", ".join(package.said)[:80] or "nothing"
            problems.append(f"{package.name} {package.version}: its licence ({said})")
        elif not texts:
            problems.append(f"{package.name} {package.version}: there is no text of its licence")
        found.append(Entry(f"{package.name} {package.version}", licence, "\n\n".join(texts)))
    return found, problems


def read_text(place: str, library: Path | None = None) -> str:
    """The text at a place of known.toml."""
    kind, _, rest = place.rpartition(":")
    base = {"": TEXTS, "root": ROOT, "python": library or TEXTS}[kind]
    return (base / rest).read_text(encoding="utf-8", errors="replace")


def entries_of_parts(known: Known, library: Path) -> list[Entry]:
    rows = known.parts.items()
    return [Entry(what, licence, read_text(text, library)) for what, (licence, text) in rows]


def system_libraries(folder: Path) -> list[str]:
    """Names of the libraries in a frozen folder that came from the build's system.

    PyInstaller lays those flat into `_internal`; what a wheel brought keeps its place, and a link
    points there.
    """
    flat = (folder / "_internal").glob("*.so*")
    return sorted(
        path.name
        for path in flat
        if path.is_file() and not path.is_symlink() and path.name.startswith("lib")
    )


def debian_package(library: str) -> str:
    """The package of a system library; "" when dpkg knows none."""
    command = ["dpkg-query", "--search", f"*/{library}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.partition(":")[0]


def entries_of_system(libraries: Iterable[str], known: Known) -> tuple[list[Entry], list[str]]:
    """As `entries_of_packages`, of the system's libraries; Python's own is a part."""
    owners: dict[str, list[str]] = {}
    for name in libraries:
        if not name.startswith("libpython"):
            owners.setdefault(debian_package(name), []).append(name)
    found, problems = [], []
    for owner, names in sorted(owners.items()):
        licence = known.debian.get(owner, "")
        file = DEBIAN_TEXTS / owner / "copyright"
        if not licence or not file.is_file():
            problems.append(f"{', '.join(names)} of the system ({owner or 'no package'})")
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        found.append(Entry(f"{owner} ({', '.join(names)})", licence, text))
    return found, problems


def told(entries: Iterable[Entry]) -> str:
    """The one text: a table first, then every licence."""
    rows = list(entries)
    head = "Moltbot Desktop and what it is built of. The list first, the licences after it.\n"
    table = "\n".join(f"  {one.what}: {one.licence}" for one in rows)
    parts = (f"{'=' * 78}\n{one.what}\n{one.licence}\n\n{one.text.strip()}\n" for one in rows)
    return f"{head}\n{table}\n\n" + "\n".join(parts)


def collect(python: Path, folder: Path, known: Known) -> str:
    """The licences of the frozen `folder`, made in the environment of `python`.

    Raises:
        SetupError: something has none that is known; the message names all of them.
    """
    packages, library = packages_of(python)
    found, problems = entries_of_packages(packages, known)
    system, more = entries_of_system(system_libraries(folder), known)
    if problems or more:
        lines = "\n  ".join((*problems, *more))
        raise SetupError(
            f"These are in the build, and packaging/licences/known.toml does not say that they may "
            f"be:\n  {lines}\nLook at each, then add it there or leave it out of the build."
        )
    return told((*found, *entries_of_parts(known, library), *system))
