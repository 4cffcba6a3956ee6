"""Which parts of an e-mail are its words and which are files; pure.

    texts, files = sorted_out(read_structure(node))
    place = ref_of(17, 4, files[0])           # kept with the message, to fetch the file by later

Of several forms of the same words the plain one is taken. An e-mail within an e-mail is a file.
"""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import collapse_rfc2231_value, decode_params

from moltbot_desktop.extensions.email.charsets import header_text, one_line
from moltbot_desktop.extensions.email.wire import Part
from moltbot_desktop.sdk.channels import RemoteFile

MOST_FILES = 20
MOST_TEXTS = 5
LONGEST_NAME = 120
_SEALS = frozenset({"application/pgp-signature", "application/pkcs7-signature"})
_SEALS_TOO = frozenset({"application/x-pkcs7-signature", "application/pgp-keys"})
_NOT_IN_NAMES = frozenset('/\\:*?"<>|')


@dataclass(frozen=True)
class Place:
    """Where a file lies: its folder's state, its message, its part and how that is encoded."""

    validity: int
    uid: int
    number: str
    encoding: str


def sorted_out(root: Part) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """The parts whose words are the message, in order, and those that are files."""
    texts: list[Part] = []
    files: list[Part] = []
    _sort(root, texts, files)
    return tuple(texts[:MOST_TEXTS]), tuple(files[:MOST_FILES])


def _sort(part: Part, texts: list[Part], files: list[Part]) -> None:
    if part.kind == "multipart/alternative":
        _one_of(part, texts, files)
    elif part.parts:
        for one in part.parts:
            _sort(one, texts, files)
    elif _is_text(part):
        texts.append(part)
    elif part.number and part.kind not in _SEALS | _SEALS_TOO:
        files.append(part)


def _one_of(part: Part, texts: list[Part], files: list[Part]) -> None:
    """The plain form of several, or else the one that comes first among those with words; files
    that lie in another form, such as an invitation, stay files."""
    forms: list[tuple[Part, list[Part], list[Part]]] = []
    for one in part.parts:
        words: list[Part] = []
        beside: list[Part] = []
        _sort(one, words, beside)
        forms.append((one, words, beside))
    plain = [form for form in forms if form[1] and form[1][0].kind == "text/plain"]
    chosen = (plain or [form for form in forms if form[1]])[:1]
    for form in forms:
        if form in chosen:
            texts += form[1]
        files += form[2]


def _is_text(part: Part) -> bool:
    named = bool(part.about.get("filename")) and part.disposition != "inline"
    return (
        part.kind in ("text/plain", "text/html") and part.disposition != "attachment" and not named
    )


def as_file(validity: int, uid: int, part: Part) -> RemoteFile:
    """A part to be fetched when somebody needs it."""
    ref = json.dumps([validity, uid, part.number, part.encoding])
    size = part.size * 3 // 4 if part.encoding == "base64" else part.size
    return RemoteFile(ref, file_name(part), _media_type(part.kind), size)


def read_ref(ref: str) -> Place | None:
    """None for what is none of ours."""
    try:
        found = json.loads(ref)
    except ValueError:
        return None
    if not isinstance(found, list) or [type(one) for one in found] != [int, int, str, str]:
        return None
    validity, uid, number, encoding = found
    fits = uid > 0 and validity >= 0 and 0 < len(number) < 100
    if not fits or not all(one.isascii() and one.isdigit() for one in number.split(".")):
        return None
    return Place(validity, uid, number, encoding)


def file_name(part: Part) -> str:
    """A name to show: no path, no control characters, of a length that a disk takes."""
    raw = _param(part.about, "filename") or _param(part.params, "name")
    if part.kind == "message/rfc822" and not raw:
        raw = "message.eml"
    name = raw.replace("\\", "/").rpartition("/")[2]
    name = one_line("".join("_" if one in _NOT_IN_NAMES else one for one in name)).lstrip(". ")
    if not name:
        name = f"file{mimetypes.guess_extension(part.kind) or ''}"
    stem, dot, ending = name.rpartition(".")
    if len(name) <= LONGEST_NAME:
        return name
    return f"{stem[: LONGEST_NAME - 12]}{dot}{ending[:11]}" if stem else name[:LONGEST_NAME]


def _media_type(kind: str) -> str:
    top, _, rest = kind.partition("/")
    plain = all(one.isascii() and (one.isalnum() or one in "-+._") for one in f"{top}{rest}")
    return kind if plain and top and rest and len(kind) < 100 else ""


def _param(params: Mapping[str, str], name: str) -> str:
    """A parameter however it is written: plain, RFC 2047, or RFC 2231 in one or many pieces."""
    if name in params:
        return header_text(params[name])
    pieces = [(key, value) for key, value in params.items() if key.startswith(f"{name}*")]
    if not pieces:
        return ""
    try:
        decoded = decode_params([("", ""), *pieces[:50]])
        found = [collapse_rfc2231_value(value) for key, value in decoded[1:] if key == name]
    except (ValueError, LookupError, TypeError):
        return ""
    return one_line(str(found[0]).strip('"')) if found else ""
