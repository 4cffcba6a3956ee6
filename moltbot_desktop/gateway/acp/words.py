"""What stands in a `session/prompt`: the owner's words, and what came along with them. Pure.

    read_prompt([TextContentBlock(...), ResourceContentBlock(...)])
    # PromptWords("How many beds does file:///…/beds.py have?", texts=(...), pictures=(...))

Words are the text blocks in their order, and a link stands among them as its address: the person
put it there. What a link calls itself is left out, somebody else may have chosen it. An embedded
text is a file's and nobody's request (`gateway.editors`). Source:
https://agentclientprotocol.com/protocol/content
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from acp.schema import (
    AudioContentBlock,
    BlobResourceContents,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
)

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.gateway.editors import GivenText, bounded, one_line
from moltbot_desktop.gateway.handed_files import HandedFile

Block = (
    TextContentBlock
    | ImageContentBlock
    | AudioContentBlock
    | ResourceContentBlock
    | EmbeddedResourceContentBlock
)
MOST_BLOCKS = 200
MOST_PICTURES = 8
MOST_PICTURE_BYTES = 5_000_000
_LONGEST_ADDRESS = 2_000
_PICTURES = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpg",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
}
_PHRASES = Phrases(
    english={
        "blocks": "A message has at most {most} parts.",
        "sound": "I cannot listen to recordings.",
        "no_picture": "A picture that came along is none that I know (PNG, JPEG, GIF, WebP).",
        "large": "A picture has at most {most} MB.",
        "pictures": "A message has at most {most} pictures.",
        "binary": "I cannot read “{place}”: it is no text.",
    },
    chinese={
        "blocks": "一条消息最多有 {most} 个部分。",
        "sound": "我听不了录音。",
        "no_picture": "附带的图片不是我认识的格式（PNG、JPEG、GIF、WebP）。",
        "large": "一张图片最多 {most} MB。",
        "pictures": "一条消息最多有 {most} 张图片。",
        "binary": "我读不了“{place}”，它不是文本。",
    },
)


@dataclass(frozen=True)
class PromptWords:
    words: str
    texts: tuple[GivenText, ...] = ()
    pictures: tuple[HandedFile, ...] = ()


def read_prompt(blocks: Sequence[Block], language: Language) -> PromptWords:
    """Raises UserInputInvalid: something in it cannot be taken."""
    if len(blocks) > MOST_BLOCKS:
        raise UserInputInvalid(_PHRASES.say("blocks", language, most=MOST_BLOCKS))
    words: list[str] = []
    texts: list[GivenText] = []
    pictures: list[HandedFile] = []
    for block in blocks:
        match block:
            case TextContentBlock():
                words.append(clean(block.text))
            case ResourceContentBlock():
                words.append(named(clean(block.uri)))
            case EmbeddedResourceContentBlock():
                texts.append(_embedded(block, language))
                words.append(named(texts[-1].place))
            case ImageContentBlock():
                pictures.append(_picture(block, language))
            case AudioContentBlock():
                raise UserInputInvalid(_PHRASES.say("sound", language))
    if len(pictures) > MOST_PICTURES:
        raise UserInputInvalid(_PHRASES.say("pictures", language, most=MOST_PICTURES))
    return PromptWords(_joined(words), bounded(texts), tuple(pictures))


def named(address: str) -> str:
    """An address as it stands among words: a file's as its path, which tools understand."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return one_line(address, _LONGEST_ADDRESS)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        path = unquote(parts.path)
        drive = len(path) > 2 and path[0] == "/" and path[2] == ":"  # file:///C:/...
        return one_line(path[1:] if drive else path, _LONGEST_ADDRESS)
    return one_line(address, _LONGEST_ADDRESS)


def clean(text: str) -> str:
    """`text` as it can be written into a file: halves of characters are marked as such."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def _joined(words: Sequence[str]) -> str:
    """Parts stand as close as the editor put them, and words never grow together."""
    told = ""
    for one in filter(None, words):
        glue = " " if told and not told[-1].isspace() and not one[0].isspace() else ""
        told += glue + one
    return told


def _embedded(block: EmbeddedResourceContentBlock, language: Language) -> GivenText:
    resource = block.resource
    place = clean(resource.uri)
    if isinstance(resource, BlobResourceContents):
        data = _bytes(resource.blob)
        if data is None or b"\0" in data:
            raise UserInputInvalid(_PHRASES.say("binary", language, place=named(place)))
        try:
            return GivenText(place, data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            said = _PHRASES.say("binary", language, place=named(place))
            raise UserInputInvalid(said) from error
    return GivenText(place, clean(resource.text))


def _picture(block: ImageContentBlock, language: Language) -> HandedFile:
    if len(block.data) > MOST_PICTURE_BYTES * 4 // 3 + 4:
        most = MOST_PICTURE_BYTES // 1_000_000
        raise UserInputInvalid(_PHRASES.say("large", language, most=most))
    data = _bytes(block.data) or b""
    ending = next((one for mark, one in _PICTURES.items() if data.startswith(mark)), "")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        ending = "webp"
    if not ending:
        raise UserInputInvalid(_PHRASES.say("no_picture", language))
    return HandedFile(f"picture.{ending}", block.data)


def _bytes(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
