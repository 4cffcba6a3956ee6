"""The words of an e-mail as a person would read them; pure.

    text = words_of(data, "text/html", "gb18030", "quoted-printable")
    said = newest(text)                # without what earlier e-mails said below it
    below = quoted_in(text)            # the latest of those

Nothing of a page is loaded, and what it hides is left out. Quoted text goes only where it stands
as one block at the end: between quoted lines it is what an answer refers to.
"""

from __future__ import annotations

import base64
import binascii
import html
import quopri
import re
from collections.abc import Sequence

from moltbot_desktop.extensions.email.charsets import text_of

MOST_BYTES = 200_000
"""Of one part's words."""
LONGEST_TEXT = 60_000
"""Characters."""
_INTRODUCED = re.compile(
    r"(?:wrote|writes|schrieb|a écrit|escribió|escreveu|ha scritto|schreef|skrev|napisał\(a\)"
    r"|написал|пишет|写道|寫道|のメール|書きました)[^\n]{0,100}[:：]$"
)
_ORIGINAL = re.compile(
    r"(?:-{2,20}[ ]?(?:original message|original-nachricht|ursprüngliche nachricht"
    r"|message d'origine|原始邮件|原始郵件|回复的原邮件)[ ]?-{2,20})",
    re.IGNORECASE,
)
_HEADS = ("from:", "von:", "de:", "发件人:", "发件人：", "寄件者:", "寄件者：", "差出人:")
_TIMES = (
    "sent:",
    "date:",
    "gesendet:",
    "datum:",
    "envoyé",
    "enviado",
    "发送时间",
    "日期",
    "寄件日期",
)
_OPENINGS = ("On ", "Am ", "Le ", "El ", "Il ", "Op ", "Den ", "Em ", "在", "于", "於")
_BREAKS = frozenset("p br div tr li ul ol table h1 h2 h3 h4 h5 h6 pre hr section article".split())
_SKIPPED = frozenset("script style head title noscript template svg object".split())
_VOID = frozenset("br hr img input meta link area base col embed source track wbr".split())
_HIDDEN = (
    *("display:none", "visibility:hidden", "mso-hide:all"),
    *("font-size:0;", "font-size:0px", "opacity:0;", "max-height:0;", "max-height:0px"),
)
_SIMPLER = str.maketrans({" ": None, '"': ";", "'": ";"})
_LINK = re.compile(r"""href=["']?(https?://[^"'\s<>]{1,500})""", re.IGNORECASE)


def words_of(data: bytes, kind: str, charset: str, encoding: str) -> str:
    """The text of one part; `data` as it was transferred, it may be cut anywhere."""
    text = text_of(decoded(data[:MOST_BYTES], encoding), charset)
    if kind == "text/html":
        text = html_text(text)
    lines = (line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    kept = "\n".join(lines).replace("\u200b", "").replace("\ufeff", "").replace("\0", "")
    return kept[:LONGEST_TEXT].strip("\n")


def decoded(data: bytes, encoding: str) -> bytes:
    """What was transferred; what cannot be decoded stays as it is."""
    if encoding == "base64":
        bare = bytes(data.translate(None, b" \t\r\n"))
        try:
            return base64.b64decode(bare[: len(bare) // 4 * 4])
        except binascii.Error:
            return data
    if encoding == "quoted-printable":
        return quopri.decodestring(data)
    return data


def newest(text: str) -> str:
    """Without what it quotes at its end, and without a signature behind “-- ”; as it is where
    nothing else would be left."""
    lines = text.split("\n")
    end = _before_original(lines)
    end = _before_quotes(lines[:end])
    kept = lines[:end]
    for at, line in enumerate(kept):
        if line in ("-- ", "--") and at and "".join(kept[:at]).strip():
            kept = kept[:at]
            break
    said = "\n".join(kept).strip()
    return said or text.strip()


def quoted_in(text: str) -> str:
    """What `newest` leaves away, without the signs of quoting; "" for nothing."""
    lines = text.split("\n")
    whole = _before_original(lines)
    end = _before_quotes(lines[:whole])
    if not "".join(lines[:end]).strip():
        return ""  # it is all that is said
    below = [one for one in lines[end:whole] if one.startswith(">")] or lines[whole + 1 :]
    return "\n".join(one.lstrip("> ").rstrip() for one in below).strip()


def _before_original(lines: Sequence[str]) -> int:
    """Where a program has put an earlier e-mail below the words, marked by a line or its headers;
    one that was passed on says something else."""
    for at, line in enumerate(lines):
        bare = line.strip()
        if len(bare) < 100 and _ORIGINAL.fullmatch(bare):
            return at
        if bare.lower().startswith(_HEADS) and "@" in bare and at + 1 < len(lines):
            behind = [one.strip().lower() for one in lines[at + 1 : at + 3]]
            above = lines[at - 1].strip() if at else ""
            ruled = bool(above) and set(above) <= {"_", "-"}
            if ruled and any(one.startswith(_TIMES) for one in behind):
                return at - 1
    return len(lines)


def _before_quotes(lines: Sequence[str]) -> int:
    """Where the block of quoted lines at the end begins, with the line that introduces it."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    begin = end
    while begin and (lines[begin - 1].startswith(">") or not lines[begin - 1].strip()):
        begin -= 1
    if not any(line.startswith(">") for line in lines[begin:end]):
        return end
    if not begin or not _INTRODUCED.search(lines[begin - 1].strip()[-400:]):
        return begin
    above = lines[begin - 2].strip() if begin > 1 else ""
    wrapped = above.startswith(_OPENINGS) and any(map(str.isdigit, above))
    return begin - 2 if wrapped else begin - 1


def html_text(page: str) -> str:
    """The words of a page, a line for what stands on lines of its own. Each character is looked
    at a fixed number of times, whatever is open and never closed."""
    return _Page(page).text()


class _Page:
    """Reads one page once, from left to right."""

    def __init__(self, page: str) -> None:
        self._page = page
        self._low = page.lower()
        self._out: list[str] = []
        self._quotes = 0
        self._hidden: list[str] = []
        """Open elements from the first hidden one on."""
        self._links: list[tuple[str, int]] = []

    def text(self) -> str:
        at = 0
        while True:
            begin = self._page.find("<", at)
            self._said(self._page[at:] if begin < 0 else self._page[at:begin])
            if begin < 0:
                break
            if self._low.startswith("<!--", begin):
                end = self._page.find("-->", begin)
                end = end + 2 if end >= 0 else -1
            elif self._page[begin + 1 : begin + 2] in ("/", "!", "?") or (
                self._page[begin + 1 : begin + 2].isalpha()
            ):
                end = self._page.find(">", begin)
            else:
                self._said("<")
                at = begin + 1
                continue
            if end < 0:
                break  # nothing closes it, nor anything behind it
            at = self._tag(self._page[begin + 1 : end], end + 1)
        return _tidy("".join(self._out))

    def _tag(self, tag: str, behind: int) -> int:
        """Take one tag in; where to read on."""
        low = tag.lower()
        closes = low.startswith("/")
        name = (low.lstrip("/").replace("/", " ").split() or [""])[0]
        if name in _SKIPPED and not closes and not low.endswith("/"):
            end = self._low.find(f"</{name}", behind)
            return end if end >= 0 else len(self._page)
        if self._hidden or (not closes and _is_hidden(low)):
            self._hide(name, closes, low)
            return behind
        if name in _BREAKS:
            self._line()
        if name == "blockquote":
            self._line()
            self._quotes = max(0, self._quotes + (-1 if closes else 1))
            self._line()
        if name == "a":
            self._link(tag, closes)
        return behind

    def _hide(self, name: str, closes: bool, low: str) -> None:
        if name in _VOID or low.endswith("/"):
            return
        if not closes:
            if len(self._hidden) < 1_000:
                self._hidden.append(name)
        elif name in self._hidden[-50:]:
            while self._hidden.pop() != name:
                pass

    def _link(self, tag: str, closes: bool) -> None:
        if not closes:
            found = _LINK.search(tag[:2_000])
            self._links = [(html.unescape(found[1]), len(self._out))] if found else []
        elif self._links:
            address, begin = self._links.pop()
            words = "".join(self._out[begin:]).strip()
            if words and words not in address:
                self._out.append(f" ({address})")

    def _said(self, text: str) -> None:
        if not text or self._hidden:
            return
        text = html.unescape(text)
        words = " ".join(text.split())
        before = " " if text[:1].isspace() else ""
        after = " " if text[-1:].isspace() and words else ""
        self._out.append(f"{before}{words}{after}")

    def _line(self) -> None:
        self._out.append(f"\n{'> ' * min(self._quotes, 5)}")


def _is_hidden(low: str) -> bool:
    """Whether an element says of itself that it is not shown."""
    style = low[:2_000].translate(_SIMPLER) + ";"
    return "hidden" in low[:2_000].split()[1:] or any(sign in style for sign in _HIDDEN)


def _tidy(text: str) -> str:
    """Blanks and empty lines as in a letter."""
    lines = [" ".join(line.split()) for line in text.split("\n")]
    kept: list[str] = []
    for line in lines:
        if line.strip("> ") or (kept and kept[-1].strip("> ")):
            kept.append(line if line.strip("> ") else "")
    return "\n".join(kept).strip("\n")
