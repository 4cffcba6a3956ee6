"""The files of a Telegram message, as the program fetches them: by id, when somebody answers. Pure.

files_of({"photo": [{"file_id": "a", "file_size": 9, "width": 90}, …]})
# (RemoteFile("a", "photo.jpg", "image/jpeg", 9),)
"""

from __future__ import annotations

from types import MappingProxyType

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.telegram.values import group, number, rows, text
from moltbot_desktop.sdk.channels import RemoteFile

_LONGEST_NAME = 120
_LONGEST_REF = 400
# In this order: an animation comes with itself as a document, for programs that know none.
_KINDS = MappingProxyType(
    {
        "animation": ("animation.mp4", "video/mp4"),
        "document": ("file", ""),
        "audio": ("audio.mp3", "audio/mpeg"),
        "voice": ("voice.ogg", "audio/ogg"),
        "video": ("video.mp4", "video/mp4"),
        "video_note": ("video.mp4", "video/mp4"),
        "sticker": ("sticker.webp", "image/webp"),
    }
)


def files_of(message: JsonObject) -> tuple[RemoteFile, ...]:
    """What came with a message; a picture in its largest size."""
    if sizes := rows(message.get("photo")):
        largest = max(sizes, key=lambda one: number(one.get("width")) or 0)
        return _file(largest, "photo.jpg", "image/jpeg")
    for kind, (name, media_type) in _KINDS.items():
        if kind in message:
            return _file(group(message[kind]), name, media_type)
    return ()


def _file(raw: JsonObject, name: str, media_type: str) -> tuple[RemoteFile, ...]:
    ref = text(raw.get("file_id"))
    if not ref or len(ref) > _LONGEST_REF:
        return ()
    if raw.get("is_video") is True:  # of a sticker
        name, media_type = "sticker.webm", "video/webm"
    elif raw.get("is_animated") is True:
        name, media_type = "sticker.tgs", "application/x-tgsticker"
    said = text(raw.get("file_name"))[-_LONGEST_NAME:]
    size = max(0, number(raw.get("file_size")) or 0)
    return (RemoteFile(ref, said or name, text(raw.get("mime_type")) or media_type, size),)
