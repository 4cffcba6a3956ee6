"""What is told to signal-cli to send. Pure.

    place(DeliveryTarget("signal", peer=Peer(PeerKind.DM, "+49…")))     # {"recipient": ["+49…"]}
    words("**Ready**")                  # {"message": "Ready", "textStyle": ["0:5:BOLD"]}
    data_uri("tea 茶.png", "image/png", b"…")

https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc (send, sendReaction,
remoteDelete, sendTyping); names are camelCase there, as signal-cli-jsonrpc(5) says.
"""

from __future__ import annotations

import base64
import re
from types import MappingProxyType
from urllib.parse import quote

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channels import DeliveryTarget, PeerKind
from moltbot_desktop.sdk.markup import Style, styled

_STYLES = MappingProxyType(
    {
        Style.BOLD: "BOLD",
        Style.ITALIC: "ITALIC",
        Style.STRIKE: "STRIKETHROUGH",
        Style.CODE: "MONOSPACE",
    }
)
_MOST_STYLES = 500
_USUAL_KIND = "application/octet-stream"
_KIND = re.compile(r"[A-Za-z0-9.+-]{1,60}/[A-Za-z0-9.+-]{1,100}")
_PERSON = re.compile(r"\+[0-9]{5,20}|(?:PNI:)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_USER = re.compile(r"u:[A-Za-z0-9_]{1,40}\.[0-9]{1,12}")
_GROUP = re.compile(r"[A-Za-z0-9+/_-]{16,120}={0,2}")
_MESSAGE = re.compile(r"([0-9]{1,15})(?::(.{1,200}))?")


def place(target: DeliveryTarget) -> JsonObject | None:
    """None where it is no place of Signal's: nothing else may become a word of a command."""
    if target.peer is None:
        return None
    where = target.peer.id
    if target.peer.kind is PeerKind.GROUP:
        return {"groupId": where} if _GROUP.fullmatch(where) else None
    if _PERSON.fullmatch(where) or _USER.fullmatch(where):
        return {"recipient": [where]}
    return None


def message_of(message_id: str, account: str) -> tuple[int, str] | None:
    """Time and author; one without an author is ours. None for what is no message."""
    found = _MESSAGE.fullmatch(message_id)
    if found is None:
        return None
    author = found[2] or account
    is_somebody = author == account or _PERSON.fullmatch(author) is not None
    return (int(found[1]), author) if is_somebody else None


def words(markdown: str) -> JsonObject:
    """The text, and which of it is bold and the like, in UTF-16 code units."""
    message, ranges = styled(markdown)
    styles = [f"{one.start}:{one.length}:{_STYLES[one.style]}" for one in ranges[:_MOST_STYLES]]
    return {"message": message, **({"textStyle": styles} if styles else {})}


def data_uri(name: str, media_type: str, data: bytes) -> str:
    """A file within the call: a signal-cli on another computer sees none of our paths."""
    kind = media_type if _KIND.fullmatch(media_type) else _USUAL_KIND
    return f"data:{kind};filename={quote(name, safe='')};base64,{base64.b64encode(data).decode()}"
