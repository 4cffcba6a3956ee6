"""The e-mails that we write; pure but for the files that go along.

    letter = written(settings, "ada@example.org", words, earlier, "run-9:0", now)
    letter["Message-ID"]                     # the same for the same key

An answer says that a program has written it, so that no other program answers it (RFC 3834).
"""

from __future__ import annotations

import hashlib
import mimetypes
import re
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any

from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.email.charsets import one_line
from moltbot_desktop.extensions.email.headers import Head
from moltbot_desktop.extensions.email.settings import EmailSettings
from moltbot_desktop.extensions.email.trouble import failure
from moltbot_desktop.sdk.channel_abilities import Markup
from moltbot_desktop.sdk.channels import Attachment
from moltbot_desktop.sdk.markup import rendered

LONGEST_SUBJECT = 200
LONGEST_OPENING = 70
MOST_REFERENCES = 20
_OURS = re.compile("[0-9a-f]{40}")
_AGAIN = frozenset("re aw antw sv vs rif odp 回复 答复 回覆 答覆 返信".split())


class _Headers(HeaderRegistry):
    """Makes the class of a header once: `HeaderRegistry` makes one for each header of each letter,
    and a class is garbage that only a collection finds."""

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        key = name.lower()  # one of those that `written` and a file's part have
        if key not in self._made:
            self._made[key] = super().__getitem__(name)
        return self._made[key]


_LETTERS = SMTP.clone(header_factory=_Headers())


@dataclass(frozen=True)
class Earlier:
    """The e-mail that is answered. `chain`: what it answers itself, the first one first."""

    subject: str
    message_id: str
    chain: tuple[str, ...] = ()

    @classmethod
    def of(cls, head: Head) -> Earlier:
        return cls(head.subject, head.message_id, head.answers)


@dataclass(frozen=True)
class Words:
    """What is said: plain, and as Markdown where there is such a form."""

    plain: str
    markdown: str = ""


def message_id(key: str, domain: str) -> str:
    """Ours for an idempotency key, without brackets."""
    return f"{hashlib.sha256(key.encode()).hexdigest()[:40]}@{domain}"


def is_ours(found: str, domain: str) -> bool:
    """Whether an id has the form of ours."""
    name, _, place = found.partition("@")
    return place.lower() == domain.lower() and _OURS.fullmatch(name) is not None


def written(
    settings: EmailSettings,
    to: str,
    words: Words,
    earlier: Earlier | None,
    key: str,
    now: datetime,
    language: Language,
    files: tuple[Attachment, ...] = (),
    most_bytes: int = 0,
) -> EmailMessage:
    """Blocks where there are files.

    Raises:
        ChannelRefused: a file cannot be read.
    """
    letter = EmailMessage(policy=_LETTERS)
    letter["From"] = Address(settings.name, addr_spec=settings.address)
    letter["To"] = Address(addr_spec=to)
    letter["Subject"] = _subject(words, earlier, files, language)
    letter["Date"] = format_datetime(now)
    letter["Message-ID"] = f"<{message_id(key, settings.domain)}>"
    if earlier is not None and "@" in earlier.message_id:
        chain = tuple(dict.fromkeys((*earlier.chain, earlier.message_id)))
        kept = chain[:1] + chain[1:][-MOST_REFERENCES:]
        letter["In-Reply-To"] = f"<{earlier.message_id}>"
        letter["References"] = " ".join(f"<{one}>" for one in kept if "@" in one)
    letter["Auto-Submitted"] = "auto-replied" if earlier is not None else "auto-generated"
    letter["X-Auto-Response-Suppress"] = "All"
    letter.set_content(f"{words.plain}\n" if words.plain else "")
    if words.plain and words.markdown:
        page = rendered(words.markdown, Markup.MATRIX_HTML)
        letter.add_alternative(f"<html><body>\n{page}\n</body></html>\n", subtype="html")
    for file in files:
        _attach(letter, file, most_bytes, language)
    return letter


def _attach(letter: EmailMessage, file: Attachment, most_bytes: int, language: Language) -> None:
    try:
        with file.path.open("rb") as source:
            data = source.read(most_bytes + 1)
    except OSError as error:
        raise failure(ChannelRefused, "unread", language, name=file.name) from error
    if len(data) > most_bytes:
        raise failure(ChannelRefused, "unread", language, name=file.name)
    kind = file.media_type or mimetypes.guess_type(file.name)[0] or ""
    top, _, rest = kind.partition("/")
    if not rest or top not in ("image", "audio", "video", "application", "text"):
        top, rest = "application", "octet-stream"
    letter.add_attachment(data, maintype=top, subtype=rest, filename=one_line(file.name)[:200])


def _subject(
    words: Words, earlier: Earlier | None, files: tuple[Attachment, ...], language: Language
) -> str:
    if earlier is not None:
        return f"Re: {bare_subject(earlier.subject)}".strip()[:LONGEST_SUBJECT]
    opening = one_line(words.plain[:1_000].strip().partition("\n")[0])
    if not opening and files:
        opening = one_line(files[0].name)
    if len(opening) > LONGEST_OPENING:
        opening = f"{opening[:LONGEST_OPENING].rsplit(' ', 1)[0]}…"
    return opening or failure(ChannelRefused, "about", language).message


def bare_subject(subject: str) -> str:
    """Without any “Re:” before it, in whatever language."""
    subject = one_line(subject)
    while True:
        said, sign, rest = subject.replace("：", ":", 1).partition(":")
        if not sign or said.strip().lower() not in _AGAIN:
            return subject
        subject = rest.strip()
