"""What is sent, in the platform's form. Pure.

    post("**Ready**")            # '{"zh_cn": {"content": [[{"tag": "md", "text": "**Ready**"}]]}}'
    key("run-9:0")               # fifty characters at most

A post is rich text that takes Markdown and can be changed, which a card is not so simply:
https://open.feishu.cn/document/server-docs/im-v1/message-content-description/create_json
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import PurePath

_FENCE = re.compile(r"[ ]{0,3}(```|~~~)")
_CALL = re.compile(r"<(?=/?at\b)", re.IGNORECASE)
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tiff"})
_LARGEST_PICTURE = 10 * 1024 * 1024


def post(markdown: str) -> str:
    """The content of a message with Markdown."""
    piece = {"tag": "md", "text": harmless(markdown)}
    return json.dumps({"zh_cn": {"content": [[piece]]}}, ensure_ascii=False)


def harmless(markdown: str) -> str:
    """Without what would call people, or have the platform look for a picture."""
    fenced, lines = False, []
    for line in _CALL.sub("<\u200b", markdown).split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        lines.append(line if fenced else line.replace("![", "["))
    return "\n".join(lines)


def key(idempotency_key: str) -> str:
    """https://open.feishu.cn/document/server-docs/im-v1/message/create#requestBody (`uuid`)"""
    return hashlib.sha256(idempotency_key.encode("utf-8", "surrogatepass")).hexdigest()[:50]


def is_picture(name: str, length: int) -> bool:
    """Whether the platform takes it as one; what is larger goes as a file.
    https://open.feishu.cn/document/server-docs/im-v1/image/create"""
    return PurePath(name).suffix.lower() in _PICTURES and length <= _LARGEST_PICTURE
