"""What goes into a frozen build besides what PyInstaller finds by following imports.

Read by moltbot.spec in the environment of the build, and by the tests without PyInstaller.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

EXCLUDED = (
    # Never imported by what is shipped, or too large to be given unasked (pyproject says why).
    "playwright",
    "lancedb",
    "pyarrow",
    "gguf",
    "tkinter",
    "idlelib",
    "test",
    "turtledemo",
    "ensurepip",
    "lib2to3",
    "pip",
    "setuptools",
    "wheel",
    "PyInstaller",
    "pytest",
    "IPython",
    "matplotlib",
    # GPL: pyautogui offers functions of theirs that we do not use, and does without.
    "mouseinfo",
    "pymsgbox",
    # GNU readline is GPL; our terminal reads lines without it.
    "readline",
    "rlcompleter",
    "_gdbm",
    # Of the standard library, what needs a system library that nobody here would use.
    "_tkinter",
    "nis",
    "ossaudiodev",
)
_NO_PLUGINS = ("libqgtk3", "eglfs", "libqlinuxfb", "libqvkkhrdisplay", "libqvnc", "libQt6Egl")
"""Qt's ways to draw without a desktop, and GTK with forty libraries that would be the wrong ones
for the modules of the person's own GTK; Qt asks the desktop portal for its dialogs and colours."""
TOOLS = frozenset(
    {
        *("pip", "setuptools", "wheel", "pyinstaller", "pyinstaller-hooks-contrib", "altgraph"),
        *("packaging", "macholib", "pefile", "pywin32-ctypes"),
    }
)
"""In the environment of a build, not in what is built; `licences/known.toml` names them too."""
# Packages of ours that are data: read, or run by their path, as files.
_FOLDERS = ("program", "extensions", "docs")
# Imported by name at run time, by themselves or by a library.
_BY_NAME = (
    "llama_cpp",
    "sqlite_vec",
    "keyring.backends.SecretService",
    "keyring.backends.kwallet",
    "keyring.backends.libsecret",
    "keyring.backends.chainer",
    "keyring.backends.fail",
    "keyring.backends.null",
    "keyring.backends.Windows",
    "keyring.backends.macOS",
    "PySide6.QtSvg",  # the plugin that draws our icons
    "aiomqtt",
    "discord",
    "imap_tools",
    "nio",
    "openai",
    "slixmpp",
    "mss",
    "pyautogui",
)


def datas(package: Path) -> list[tuple[str, str]]:
    """(source, folder inside) of our own files that are no code to PyInstaller."""
    own = [(str(package / name), f"moltbot_desktop/{name}") for name in _FOLDERS]
    return [*own, *_of_others()]


def _of_others() -> Iterator[tuple[str, str]]:
    from PyInstaller.utils.hooks import collect_data_files, copy_metadata  # noqa: PLC0415

    for name in ("jsonschema_specifications", "dateutil"):
        yield from collect_data_files(name)
    for name in sorted(_distributions()):  # plugins' manifests ask for versions
        yield from copy_metadata(name)


def _distributions() -> set[str]:
    from importlib.metadata import distributions  # noqa: PLC0415

    return {one.metadata["Name"] for one in distributions()} - TOOLS


def wanted(name: str) -> bool:
    """Whether a library that PyInstaller found is shipped; `name` is its place inside."""
    return not any(part in name for part in _NO_PLUGINS)


def libraries() -> list[tuple[str, str]]:
    """llama.cpp's libraries and sqlite-vec's extension, which are loaded by their path."""
    found = []
    for module, below in (("llama_cpp", "lib"), ("sqlite_vec", ".")):
        folder = Path(str(importlib.util.find_spec(module).origin)).parent  # type: ignore[union-attr]
        inside = module if below == "." else f"{module}/{below}"
        files = sorted((folder / below).iterdir())
        found += [(str(path), inside) for path in files if _is_library(path.name)]
    return found


def _is_library(name: str) -> bool:
    return name.endswith((".dll", ".dylib", ".so")) or ".so." in name


def hidden(package: Path) -> list[str]:
    """Modules that no import statement on the way from the entry names: all of ours, because
    plugins and commands come in late; the whole standard library, because a plugin of the
    person's own may import any of it; and what libraries load by name."""
    return [*own_modules(package), *standard_modules(), *_BY_NAME]


def own_modules(package: Path) -> list[str]:
    """Every module of the package, as dotted names."""
    names = []
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package)
        if inside.parts[0] not in ("program", "docs"):
            parts = inside.with_suffix("").parts
            names.append(".".join(("moltbot_desktop", *parts)).removesuffix(".__init__"))
    return names


def standard_modules() -> list[str]:
    """Of the standard library's top level, with the packages whose parts are imported alone."""
    left = {*EXCLUDED, "antigravity", "this"}
    tops = [name for name in sys.stdlib_module_names if name not in left]
    return sorted(name for name in tops if importlib.util.find_spec(name) is not None)


def needed(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Without the system libraries that only left-out ones had asked for (Linux alone).

    Args:
        rows: PyInstaller's (place inside, file, kind).
    """
    if sys.platform != "linux":
        return rows
    from PyInstaller.depend.bindepend import get_imports  # noqa: PLC0415

    by_name = {Path(row[0]).name: row for row in rows}
    system = ("/lib/", "/usr/lib/")
    asked = [row for row in rows if not row[1].startswith(system)]
    kept = {row[0]: row for row in asked}
    while asked:
        for name, _ in get_imports(asked.pop()[1]):
            row = by_name.get(Path(name).name)
            if row is not None and row[0] not in kept:
                kept[row[0]] = row
                asked.append(row)
    return [row for row in rows if row[0] in kept]
