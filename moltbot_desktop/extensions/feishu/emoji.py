"""Names of emoji, since Feishu takes no others for reactions. Pure.

    name_of("👀")            # "GLANCE"
    name_of(":DONE:")        # "DONE"
    name_of("🛞")            # None

https://open.feishu.cn/document/server-docs/im-v1/message-reaction/emojis-introduce
"""

from __future__ import annotations

import re
from types import MappingProxyType

_NAME = re.compile(r":?([A-Za-z0-9]{1,40}):?")
_PLAIN_FORM = str.maketrans("", "", "\ufe0e\ufe0f🏻🏼🏽🏾🏿")
_WRITTEN = (
    "👀 GLANCE 👍 THUMBSUP 👎 ThumbsDown ❤ HEART 🔥 Fire 🎉 PARTY 🤔 THINKING ✅ DONE"
    " ✔ CheckMark ❌ CrossMark ⏳ OneSecond ⌛ OneSecond 🙏 THANKS 👏 APPLAUSE 😀 SMILE 😃 SMILE"
    " 😄 LAUGH 😁 LAUGH 😂 LOL 🤣 LOL 🙂 SMILE 😊 BLUSH 😉 WINK 😍 LOVE 😘 KISS 😎 SHOWOFF"
    " 😢 CRY 😭 SOB 😡 ANGRY 😱 SHOCKED 😴 SLEEP 🤗 HUG 😅 SWEAT 🤦 FACEPALM 💯 Hundred"
    " 📌 Pin ⏰ Alarm 🔔 Alarm 📣 Loudspeaker 🏆 Trophy 💣 BOMB 🎵 Music 🎁 GIFT 🎂 CAKE"
    " 💔 HEARTBROKEN 🌹 ROSE 🍺 BEER ☕ Coffee 👋 WAVE 👌 OK 💪 MUSCLE 🤝 SHAKE 🆗 OK"
    " 📝 Typing ✍ Typing 💡 StatusFlashOfInspiration"
)
_NAMES = MappingProxyType(dict(zip(_WRITTEN.split()[::2], _WRITTEN.split()[1::2], strict=True)))


def name_of(emoji: str) -> str | None:
    """Feishu's name of an emoji, whatever its skin; a name comes back as it is."""
    plain = emoji.strip().translate(_PLAIN_FORM)
    if found := _NAMES.get(plain):
        return found
    named = _NAME.fullmatch(plain)
    return named[1] if named is not None else None
