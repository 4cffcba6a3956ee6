"""What is asked of the Bot API to say something. Pure.

    place(target)                          # {"chat_id": -100123, "message_thread_id": 7}
    wording(message, as_html=True)         # {"text": "<b>hi</b>", "parse_mode": "HTML", …}
    method_for(attachment)                 # ("sendPhoto", "photo")

Telegram loads nothing that stands in a text: previews of links are off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.telegram.updates import GENERAL, plain_id
from moltbot_desktop.sdk.channel_abilities import Markup, TextUnit
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, OutboundMessage
from moltbot_desktop.sdk.markup import rendered
from moltbot_desktop.sdk.plugins import ListedCommand

CAPTION_LIMIT = 1024
"""UTF-16 units of the words under a file."""
_PICTURES = frozenset({"image/jpeg", "image/png", "image/webp"})
_PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".webp")
_VOICES = frozenset({"audio/ogg", "audio/opus"})
_VOICE_ENDINGS = (".ogg", ".opus")
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
_LONGEST_HELP = 256
_MOST_COMMANDS = 100
_NO_PREVIEW: Mapping[str, JsonValue] = MappingProxyType(
    {"link_preview_options": {"is_disabled": True}}
)


def place(target: DeliveryTarget, *, typing: bool = False) -> JsonObject | None:
    """Chat and topic; None where the target is no chat of Telegram's.

    Args:
        typing: the sign for it is shown in the general topic only where its number is given;
            messages there are refused with it.
    """
    chat = _whole(target.peer.id if target.peer is not None else "")
    topic = _whole(target.thread_id)
    if chat is None:
        return None
    if topic is None or (target.thread_id == GENERAL and not typing):
        return {"chat_id": chat}
    return {"chat_id": chat, "message_thread_id": topic}


def tied(message: OutboundMessage) -> JsonObject:
    """What a message answers; that it is gone by now keeps no answer back."""
    number = plain_id(message.reply_to)
    if number is None:
        return {}
    return {"reply_parameters": {"message_id": number, "allow_sending_without_reply": True}}


def wording(message: OutboundMessage, *, as_html: bool) -> JsonObject:
    """The text of a message, with tags or without any."""
    if as_html:
        return {"text": message.text, "parse_mode": "HTML", **_NO_PREVIEW}
    return {"text": bare(message), **_NO_PREVIEW}


def bare(message: OutboundMessage) -> str:
    """The text without markup; where nothing else is in it, as the assistant wrote it."""
    plain = rendered(message.markdown, Markup.PLAIN) if message.markdown else message.text
    return plain if plain.strip() else message.markdown


def caption(message: OutboundMessage) -> str | None:
    """The text as it goes under a file; None where it is too long for that."""
    words = bare(message)
    return words if TextUnit.UTF16.size(words) <= CAPTION_LIMIT else None


def method_for(file: Attachment) -> tuple[str, str]:
    """The method that sends a file, and the field that it is given in."""
    ending = file.path.suffix.lower()
    if file.media_type in _PICTURES or ending in _PICTURE_ENDINGS:
        return "sendPhoto", "photo"
    if file.media_type in _VOICES or ending in _VOICE_ENDINGS:
        return "sendVoice", "voice"
    return "sendDocument", "document"


def reaction(emoji: str, *, remove: bool) -> JsonObject:
    """Telegram knows its emoji without the mark that asks for colours."""
    kinds = [] if remove else [{"type": "emoji", "emoji": emoji.replace("\ufe0f", "")}]
    return {"reaction": kinds}


def menu(commands: Iterable[ListedCommand]) -> JsonObject:
    """The list that Telegram shows behind "/"; a name of another form is left out, and can be
    written all the same. https://core.telegram.org/bots/api#botcommand"""
    shown = [
        {"command": one.name, "description": one.help[:_LONGEST_HELP]}
        for one in commands
        if _COMMAND.fullmatch(one.name) and one.help.strip()
    ]
    return {"commands": shown[:_MOST_COMMANDS]}


def _whole(digits: str) -> int | None:
    unsigned = digits.removeprefix("-")
    if not unsigned.isascii() or not unsigned.isdigit() or len(unsigned) > 16:
        return None
    return int(digits)
