"""Looks into a frozen folder: whose is each thing in it, and what do wheels bring inside?

    check(python_of_the_build, folder, known, text)    # SetupError names what nobody owns

`licences` asks the packages of the build what they are. That is only the truth about the folder
when nothing else is in it: so every file and every module is led back to a package, to CPython, to
PyInstaller or to the system, and every library inside a wheel and every crate that a wheel names in
its bill of materials (CycloneDX) to a licence.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from devtools.licences import Known, canonical, may_ship, system_libraries
from devtools.places import SetupError

# Run by the build's own Python, which has PyInstaller.
_ASK = """
import importlib.metadata, json, sys
from PyInstaller.archive.readers import CArchiveReader
owners = {}
for one in importlib.metadata.distributions():
    for file in one.files or ():
        owners.setdefault(str(file), one.metadata["Name"])
modules = CArchiveReader(sys.argv[1]).open_embedded_archive("PYZ.pyz").toc
json.dump({"owners": owners, "modules": sorted(modules),
           "standard": sorted(sys.stdlib_module_names)}, sys.stdout)
"""
_CPYTHON = ("base_library.zip", "libpython", "python3", "Python")
_WITH_PYTHON = (
    *("libcrypto-", "libssl-", "libffi-", "sqlite3.dll", "VCRUNTIME140", "ucrtbase", "api-ms-win-"),
    *("libcrypto.", "libssl.", "libncurses"),
)
"""What python.org's builds for Windows and macOS bring; their LICENSE.txt has the licences."""
_OURS = ("LICENCES.txt",)
_MADE = "_sysconfigdata"
"""Of CPython, by another name on every system."""
_PYINSTALLER = ("pyimod", "pyi_", "_pyi_", "_pyinstaller_hooks_contrib")
_LIBRARY = re.compile(r"\.so(\.[0-9.]+)?$|\.dylib$|\.dll$", re.IGNORECASE)
_MODULE = re.compile(r"\.(abi3|cpython-[^/]+)\.so$|\.pyd$")
_STEM = re.compile(r"^(.*?)(-[0-9a-f]{8}.*)?\.(so|dylib|dll)\b.*$", re.IGNORECASE)


@dataclass(frozen=True)
class Owners:
    """Attributes:
    files: package by path below site-packages, of everything in the build's environment.
    modules: dotted names in the archive of the program.
    standard: top names of the standard library.
    """

    files: Mapping[str, str]
    modules: tuple[str, ...]
    standard: frozenset[str]


@dataclass(frozen=True)
class Component:
    """Something compiled into a package, as its bill of materials names it; "" where it says no
    licence."""

    package: str
    name: str
    version: str
    licence: str


def owners_of(python: Path, program: Path) -> Owners:
    done = subprocess.run([python, "-P", "-c", _ASK, program], capture_output=True, check=True)
    told = json.loads(done.stdout)
    return Owners(told["owners"], tuple(told["modules"]), frozenset(told["standard"]))


def files_of_nobody(
    paths: Iterable[str], owners: Owners, system: frozenset[str], tools: frozenset[str]
) -> list[str]:
    """Of paths below `_internal` those that no package, not CPython and not the system brought;
    what a tool of the build brought is nobody's either."""
    found = []
    for path in paths:
        name = path.rpartition("/")[2]
        owner = owners.files.get(path)
        if owner is not None and canonical(owner) not in tools:
            continue
        flat = "/" not in path
        cpython = "/lib-dynload/" in path or path.startswith(_CPYTHON)
        windows = flat and name.endswith(".pyd") and name.partition(".")[0] in owners.standard
        beside = flat and name.startswith(_WITH_PYTHON) and name.endswith((".dll", ".dylib"))
        if not (cpython or windows or beside or path in _OURS or (flat and name in system)):
            found.append(path)
    return found


def modules_of_nobody(owners: Owners, tools: frozenset[str]) -> list[str]:
    """As `files_of_nobody`, of modules."""
    folders = {
        parent.as_posix()
        for path, name in owners.files.items()
        if canonical(name) not in tools
        for parent in Path(path).parents
    }
    found = []
    for name in owners.modules:
        place = name.replace(".", "/")
        owner = owners.files.get(f"{place}.py") or owners.files.get(f"{place}/__init__.py")
        known = owner is not None and canonical(owner) not in tools
        standard = name.partition(".")[0] in owners.standard or name.startswith(_MADE)
        if not (known or standard or place in folders or name.startswith(_PYINSTALLER)):
            found.append(name)
    return found


def libraries_inside(paths: Iterable[str]) -> dict[str, str]:
    """Path of a library that came inside a wheel -> its name without version and hash.

    Modules of Python are their package's own; what lies flat came from the system.
    """
    found = {}
    for path in paths:
        name = path.rpartition("/")[2]
        stem = _STEM.match(name)
        if "/" in path and _LIBRARY.search(name) and not _MODULE.search(name) and stem:
            found[path] = stem[1]
    return found


def begins(name: str, *texts: str) -> bool:
    return any(one.startswith(name) for one in texts)


def unknown_libraries(inside: Mapping[str, str], known: Known, text: str) -> list[str]:
    """A line for each that known.toml does not name, and for each whose licence's words are not in
    `text`."""
    problems = []
    for path, stem in sorted(inside.items()):
        rows = known.bundled.items()
        row = next((row for name, row in rows if begins(name, stem, path)), None)
        if row is None or not may_ship(row[0], known.allowed):
            problems.append(f"{path}: a library inside a wheel")
        elif row[1] not in text:
            problems.append(f"{path}: “{row[1]}” of its licence is in no text")
    return problems


def components_in(internal: Path) -> list[Component]:
    """What the bills of materials in the folder name; what they call optional is a library of its
    own where it is there, which `libraries_inside` finds."""
    found = []
    for path in sorted(internal.glob("*.dist-info/sboms/*.json")):
        package = path.parts[-3].partition("-")[0].replace("_", "-")
        for one in json.loads(path.read_text(encoding="utf-8")).get("components", ()):
            if one.get("scope") in ("optional", "excluded"):
                continue
            said = (licence_said(each) for each in one.get("licenses", ()))
            licence = " AND ".join(filter(None, said))
            found.append(Component(package, one["name"], one.get("version", ""), licence))
    return found


def licence_said(entry: Mapping[str, object]) -> str:
    """Of an entry of CycloneDX: an expression, or the id or name of a licence."""
    licence = entry.get("license")
    if isinstance(licence, Mapping):
        return str(licence.get("id") or licence.get("name") or "")
    expression = str(entry.get("expression") or "")
    return f"({expression})" if " OR " in expression else expression


def unknown_components(components: Iterable[Component], known: Known) -> list[str]:
    """A line for each that may not be shipped."""
    return [
        f"{one.name} {one.version} in {one.package}: its licence ({one.licence or 'nothing'})"
        for one in components
        if not may_ship(known.components.get(one.name, one.licence), known.allowed)
    ]


def told_of_components(components: Iterable[Component], known: Known) -> str:
    """A line for each, for the end of the text."""
    lines = sorted(
        f"  {one.package}: {one.name} {one.version}: {known.components.get(one.name, one.licence)}"
        for one in components
    )
    head = "Compiled into packages, as their bills of materials name it:\n\n"
    return head + "\n".join(dict.fromkeys(lines)) + "\n"


def program_in(folder: Path) -> Path:
    """Of the folder, which on Windows has a second one for the shell."""
    return next(one for one in sorted(folder.iterdir()) if one.is_file())


def check(python: Path, folder: Path, known: Known, text: str) -> str:
    """What is to stand below `text`, the licences of what is in `folder`.

    Raises:
        SetupError: something in the folder is nobody's, or has no licence that is known.
    """
    internal = folder / "_internal"
    paths = [
        path.relative_to(internal).as_posix()
        for path in sorted(internal.rglob("*"))
        if path.is_file() and not path.is_symlink()
    ]
    owners = owners_of(python, program_in(folder))
    components = components_in(internal)
    added = told_of_components(components, known)
    system = frozenset(system_libraries(folder))
    problems = [
        *(f"{one}: nobody's" for one in files_of_nobody(paths, owners, system, known.tools)),
        *(f"module {one}: nobody's" for one in modules_of_nobody(owners, known.tools)),
        *unknown_libraries(libraries_inside(paths), known, text),
        *unknown_components(components, known),
    ]
    if problems:
        lines = "\n  ".join(problems)
        raise SetupError(
            f"These are in the build, and packaging/licences/known.toml does not say what they "
            f"are:\n  {lines}\nLook at each, then add it there or leave it out of the build."
        )
    return added
