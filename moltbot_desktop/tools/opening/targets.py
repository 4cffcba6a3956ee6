"""What a text asks to be opened: an address, a file that lies there, or the name of a program.

    meant("example.org/tea", around)       # Address("https://example.org/tea", "example.org")
    meant("report.pdf", around)            # Document(Path("/home/ada/…/report.pdf"), folder=False)
    meant("Firefox", around)               # Program("Firefox")

Only schemes that show something are let through: others hand their words to whatever program has
registered for them (Follina, `search-ms:`, `steam:`). A file that would be run rather than shown
is refused by its name, its mode and how it begins, for the system's default may well run it.
"""

from __future__ import annotations

import mimetypes
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from moltbot_desktop.core.errors import PathRefused, ToolError
from moltbot_desktop.security.paths import check_spelling, real_path

_LONGEST = 4_000
_SCHEMES = ("http", "https", "mailto")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?!\d{1,5}(?:[/?#]|$))")
"""Not the port of ``localhost:8080``, nor a drive of Windows."""
_HOST = re.compile(
    r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_]{2,24})"
    r"(?::\d{1,5})?(?:[/?#]\S*)?",
    re.IGNORECASE,
)
_BARE = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\\<>\"`{}|^\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_MAIL_FIELDS = frozenset({"subject", "body", "cc", "bcc"})
"""Some mail programs take ``attach`` too, and attach any file of the disk."""
_LOCAL = re.compile(r"localhost|127\.[\d.]+", re.IGNORECASE)
_DOMAINS_FIRST = frozenset({".com", ".net", ".org", ".ai", ".pl", ".so", ".cc"})
"""Endings that are more often a site's than a file's."""
_RUN_ENDINGS = frozenset(
    ".desktop .lnk .url .webloc .exe .com .bat .cmd .msi .msix .ps1 .psm1 .vbs .vbe .js .jse .mjs "
    ".wsf .wsh .hta .scr .pif .cpl .reg .inf .jar .jnlp .app .command .tool .workflow .scpt .pkg "
    ".dmg .action .sh .bash .zsh .fish .csh .ksh .run .appimage .bin .out .py .pyw .pyz .pl .rb "
    ".php .lua .tcl .deb .rpm .flatpakref .flatpakrepo .snap .apk .service .socket .timer .mount "
    ".settingcontent-ms .library-ms .search-ms .chm .gadget .iso .img .vhd .vhdx .application "
    ".appref-ms .ade .adp .mde .xll .xlam .docm .dotm .xlsm .xltm .pptm .potm .ppsm .slk .iqy "
    ".theme .themepack .vpn .mobileconfig .terminal .prefpane .kdelnk .directory .fish".split()
)
_RUN_BEGINNINGS = (
    *(b"\x7fELF", b"MZ", b"#!", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe"),
    *(b"[Desktop Entry]", b"L\x00\x00\x00\x01\x14\x02\x00", b"\x1b\x4c\x75\x61"),
)
_READ_BYTES = 512


class OpenRefusal(ToolError):
    """Why nothing is opened, for the model; `key` and `values` say it to the person."""

    def __init__(self, error: str, key: str, **values: object) -> None:
        super().__init__(error)
        self.key = key
        self.values = values


@dataclass(frozen=True)
class Address:
    """`host` is "" for a letter."""

    url: str
    host: str


@dataclass(frozen=True)
class Document:
    """A file or a folder that is there.

    Attributes:
        path: the real one, links followed.
        stamp: which file it is, and in which state.
    """

    path: Path
    folder: bool
    stamp: str


@dataclass(frozen=True)
class Program:
    name: str


Target = Address | Document | Program


def meant(text: str, workspace: Path, user_home: Path) -> Target:
    """What `text` asks for; looks at the disk.

    Raises:
        OpenRefusal: it is nothing that may be opened.
    """
    text = text.strip()
    if not text or len(text) > _LONGEST:
        raise OpenRefusal("`target` is empty or too long", "no_target")
    scheme = _SCHEME.match(text)
    if scheme is not None:
        return _address(text, scheme[1].lower())
    path = _path(text, workspace, user_home)
    if path is not None:
        return document(path)
    if _HOST.fullmatch(text) and not _names_a_file(text):
        local = _LOCAL.match(text) is not None
        return _address(f"http{'' if local else 's'}://{text}", "http")
    if _names_a_file(text) or "/" in text or "\\" in text:
        raise OpenRefusal("there is no such file; look with find_files", "not_found", path=text)
    return Program(text)


def _address(url: str, scheme: str) -> Address:
    if scheme not in _SCHEMES:
        why = f"{scheme}: cannot be opened; http, https and mailto can"
        raise OpenRefusal(why, "scheme", scheme=scheme[:40])
    if not _BARE.fullmatch(url):
        raise OpenRefusal("the address has blanks or control characters", "bad_address")
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
        fields = {name.lower() for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    except ValueError:
        raise OpenRefusal("that is no address", "bad_address") from None
    if scheme == "mailto":
        if parts.netloc or "@" not in parts.path or fields - _MAIL_FIELDS:
            raise OpenRefusal("a letter takes subject, body, cc and bcc alone", "bad_letter")
        return Address(url, "")
    if not host or not parts.netloc:
        raise OpenRefusal("the address names no host", "bad_address")
    if parts.username is not None or parts.password is not None:
        # https://your-bank.example@evil.example/ is a page of evil.example.
        raise OpenRefusal("the address holds a name before an @", "user_in_address")
    return Address(url, _as_asked(host))


def _as_asked(host: str) -> str:
    """The host as the network knows it: letters of other scripts can look like Latin ones."""
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        raise OpenRefusal("that is no address", "bad_address") from None


def _names_a_file(text: str) -> bool:
    first, slash, _ = text.partition("/")
    on_host = slash and _HOST.fullmatch(first)
    name = first if on_host else re.split(r"[/\\]", text)[-1]
    ending = Path(name).suffix.lower()
    if not ending or ending in _DOMAINS_FIRST or text.lower().startswith("www."):
        return False
    known = ending == ".md" or ending in _RUN_ENDINGS
    return known or mimetypes.guess_type(name)[0] is not None


def _path(text: str, workspace: Path, user_home: Path) -> Path | None:
    """The real path of what lies there under this name; None where nothing does."""
    path = user_home / text[2:] if text.startswith("~/") else workspace / text
    try:
        check_spelling(text)
        real = real_path(user_home if text == "~" else path)
        os.lstat(real)
    except (PathRefused, OSError, ValueError):
        return None
    return real


def document(path: Path) -> Document:
    """The file or folder at the real path `path`.

    Raises:
        OpenRefusal: it cannot be looked at, or would be run rather than shown.
    """
    try:
        found = path.stat()
        beginning = _beginning(path) if stat.S_ISREG(found.st_mode) else b""
    except OSError as error:
        raise OpenRefusal("it cannot be read", "no_access", path=path.name) from error
    folder = stat.S_ISDIR(found.st_mode)
    if not folder and not stat.S_ISREG(found.st_mode):
        raise OpenRefusal("that is neither a file nor a folder", "no_file", path=path.name)
    if _would_run(path, found, beginning, folder=folder):
        why = "that is a program or a script, and is not opened; read shows its text"
        raise OpenRefusal(why, "runs", path=path.name)
    stamp = f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}:{found.st_mode}"
    return Document(path, folder, stamp)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_READ_BYTES)


def _would_run(path: Path, found: os.stat_result, beginning: bytes, *, folder: bool) -> bool:
    # A name with invisible or trailing characters shows another ending than it has.
    endings = {one.casefold().strip() for one in path.suffixes[-2:]}
    if endings & _RUN_ENDINGS and path.suffix.casefold().strip() in _RUN_ENDINGS:
        return True
    if folder:
        return False
    begins = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")
    return beginning.startswith(_RUN_BEGINNINGS) or begins.startswith((b"#!", b"[Desktop Entry]"))
