"""From the words of a model to messages that a channel can send.

    read = read_reply("[[reply_to_current]] Here it is.\\nMEDIA: https://example.org/a.png")
    read.text             # "Here it is.\\nhttps://example.org/a.png"
    messages(answer, envelope, ReplyRules(limit=4000, prefix="[Clawd]"))

What a model writes is data. A tag says which message is answered and is never shown; an address
behind MEDIA: stays a link for the reader to follow or not; a path behind it is a file that nobody
here opens, whoever wrote it into the model's context. `without_files` gives the paths to whoever
may ask the owner about them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from moltbot_desktop.agent.tokens import acknowledged, is_silent
from moltbot_desktop.core.i18n import Language, Phrases, language_of
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.chunks import Break, fitting
from moltbot_desktop.sdk.channel_abilities import TextUnit
from moltbot_desktop.sdk.channels import Envelope, OutboundMessage

DEFAULT_LIMIT = 4_000
"""Characters of a message, for a channel that says nothing else."""

MOST_PARTS = 50
"""Messages of one answer; nobody reads more, and a platform would shut the sender out."""

PHRASES = Phrases(
    english={"not_sent": "I cannot send files from this computer."},
    chinese={"not_sent": "我不能发送这台电脑上的文件。"},
)
_TAG = re.compile(
    r"\[\[\s*(?:(reply_to_current|audio_as_voice)|reply_to\s*:(?=\s*[^\]\n])\s*+([^\]\n]{0,200}+))\s*\]\]",
    re.IGNORECASE,
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MEDIA = re.compile(r"\s*MEDIA:\s*+(.*)")
_PICTURE = re.compile(
    r"\s*!\[[^\]\n]*\]\(\s*+<?(?!https?:|data:)([^()<>\n]++)>?\s*+\)\s*", re.IGNORECASE
)
_ADDRESS = re.compile(r"https?://[^\s`<>\"']+", re.IGNORECASE)
_VARIABLE = re.compile(r"\{([a-z][a-z.]*)\}", re.IGNORECASE)


class ReplyTo(StrEnum):
    """Which answers are attached to the message they answer, unless a tag says so."""

    OFF = "off"
    FIRST = "first"
    ALL = "all"


@dataclass(frozen=True)
class ReadReply:
    """An answer taken apart.

    Attributes:
        text: to show; "" for nothing.
        reply_to: id of the message it is tied to, "" for none.
        to_current: it is tied to the message it answers.
        files: local paths that were named and are not sent.
    """

    text: str
    reply_to: str = ""
    to_current: bool = False
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplyRules:
    """How a channel wants its answers.

    Attributes:
        limit: of one message, in `unit`.
        prefix: put before an answer, its variables filled in (`filled_in`).
    """

    limit: int = DEFAULT_LIMIT
    prefix: str = ""
    reply_to: ReplyTo = ReplyTo.OFF
    prefer: Break = Break.PARAGRAPH
    unit: TextUnit = TextUnit.CHARACTERS


def read_reply(text: str, language: Language = Language.ENGLISH) -> ReadReply:
    """Take tags, media lines and the tokens for silence off an answer.

    `language` is that of what is said in the place of a file that is not sent.
    """
    if is_silent(text):
        return ReadReply("")
    plain = acknowledged(text, heartbeat=False)
    if plain.found:
        text = plain.text
    ids = [match[2].strip() for match in _TAG.finditer(text) if match[2]]
    current = any((match[1] or "").lower() == "reply_to_current" for match in _TAG.finditer(text))
    text, files = without_files(_without_tags(text))
    text = text.strip()
    if is_silent(text):
        text = ""
    if files and not text:
        text = PHRASES.say("not_sent", language)
    return ReadReply(text, ids[0] if ids else "", current and not ids, files)


def messages(text: str, envelope: Envelope, rules: ReplyRules) -> tuple[OutboundMessage, ...]:
    """An answer to `envelope` in as many messages as it takes; () for silence."""
    read = read_reply(text, language_of(envelope.text))
    if not read.text:
        return ()
    whole = read.text
    if rules.prefix and not whole.startswith(rules.prefix):
        whole = f"{rules.prefix} {whole}"
    limit = max(1, rules.limit)
    parts = fitting(whole, limit=limit, unit=rules.unit, prefer=rules.prefer)
    if len(parts) > MOST_PARTS:
        parts = (*parts[: MOST_PARTS - 1], "…")
    tied = read.reply_to or (envelope.message_id if read.to_current else "")
    return tuple(
        OutboundMessage(
            envelope.reply_target, part, tied or _attached(number, envelope, rules.reply_to)
        )
        for number, part in enumerate(parts)
    )


def reply_rules(usual: ReplyRules, settings: JsonObject) -> ReplyRules:
    """`usual`, with what a channel's settings say under the reference's names: `textChunkLimit`,
    `chunkMode` and `replyToMode`. A value that cannot be right counts as not set."""
    limit, mode = settings.get("textChunkLimit"), settings.get("replyToMode")
    if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0:
        usual = replace(usual, limit=limit)
    if isinstance(mode, str) and mode in set(ReplyTo):
        usual = replace(usual, reply_to=ReplyTo(mode))
    if settings.get("chunkMode") == "newline":
        usual = replace(usual, prefer=Break.NEWLINE)
    return usual


def filled_in(template: str, values: Mapping[str, str]) -> str:
    """A response prefix with its variables; an unknown one stays as it is written.

    Args:
        values: by the lower-case name: ``model``, ``modelfull``, ``provider``, ``thinkinglevel``,
            ``identity.name``. ``think`` and ``identityName`` are understood too.
    """
    if template.strip().lower() == "auto":
        name = values.get("identity.name", "")
        return f"[{name}]" if name else ""
    known = {"think": "thinkinglevel", "identityname": "identity.name"}

    def value(match: re.Match[str]) -> str:
        name = match[1].lower()
        return values.get(known.get(name, name)) or match[0]

    return _VARIABLE.sub(value, template).strip()


def _attached(number: int, envelope: Envelope, reply_to: ReplyTo) -> str:
    attach = reply_to is ReplyTo.ALL or (reply_to is ReplyTo.FIRST and number == 0)
    return envelope.message_id if attach else ""


def _without_tags(text: str) -> str:
    """Tags go with the blanks before them, and with their line when nothing else is in it."""
    lines = []
    for line in text.split("\n"):
        rest = _TAG.sub("", line)
        if rest == line:
            lines.append(line)
        elif rest.strip():
            lines.append(re.sub(r" {2,}", " ", rest).strip())
    return "\n".join(lines)


def without_files(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` with the addresses of its media lines as links, and the paths that stood there; the
    path of a picture that is shown in Markdown on a line of its own is one of them."""
    lines: list[str] = []
    files: list[str] = []
    fence = ""
    for line in text.split("\n"):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        media = None if fence else _MEDIA.fullmatch(line) or _PICTURE.fullmatch(line)
        if media is None:
            lines.append(line)
        elif addresses := _ADDRESS.findall(media[1]):
            lines += addresses
        elif named := media[1].strip().strip("`\"'"):
            files.append(named)
    return "\n".join(lines), tuple(files)
