"""Names of emoji, for platforms that take nothing else for reactions (Slack, Mattermost). Pure.

    name_of("👀")            # "eyes"
    name_of(":tada:")        # "tada"
    name_of("🛞")            # None

Both have them from https://github.com/iamcal/emoji-data.
https://docs.slack.dev/reference/methods/reactions.add
"""

from __future__ import annotations

import re
from types import MappingProxyType

_NAME = re.compile(r":?([a-z0-9_+'-]{1,80})(?:::skin-tone-[2-6])?:?")
_PLAIN_FORM = str.maketrans("", "", "\ufe0e\ufe0f🏻🏼🏽🏾🏿")
_WRITTEN = (
    "👀 eyes 👍 +1 👎 -1 ❤ heart 🔥 fire 🎉 tada 🤔 thinking_face ✅ white_check_mark"
    " ✔ heavy_check_mark ❌ x ⏳ hourglass_flowing_sand ⌛ hourglass 🙏 pray 👏 clap 😀 grinning"
    " 😃 smiley 😄 smile 😁 grin 😅 sweat_smile 😂 joy 🤣 rolling_on_the_floor_laughing"
    " 🙂 slightly_smiling_face 😊 blush 😉 wink 😍 heart_eyes 😘 kissing_heart 😎 sunglasses"
    " 😢 cry 😭 sob 😡 rage 😱 scream 😴 sleeping 🤗 hugging_face 🤷 shrug 🤖 robot_face"
    " 🦞 lobster 🚀 rocket ⭐ star 🌟 star2 ✨ sparkles 💯 100 💡 bulb 📌 pushpin 📎 paperclip"
    " 📝 memo 📅 date 🔔 bell ⚠ warning ❗ exclamation ❓ question ℹ information_source"
    " 🛑 octagonal_sign 🚫 no_entry_sign 👋 wave 👌 ok_hand 💪 muscle 🤝 handshake 🙌 raised_hands"
    " ✋ hand 👇 point_down 👆 point_up_2 👉 point_right 👈 point_left ☕ coffee 🍵 tea 🎂 birthday"
    " 🎁 gift 💔 broken_heart 💙 blue_heart 💚 green_heart 💛 yellow_heart 💜 purple_heart"
    " 🖤 black_heart 🧡 orange_heart 🐛 bug 🔧 wrench 🔨 hammer 🔍 mag 🔒 lock 🔑 key 💻 computer"
    " 📷 camera 🎧 headphones 🎵 musical_note 🌈 rainbow ☀ sunny 🌙 crescent_moon ⏰ alarm_clock"
    " ▶ arrow_forward ⏸ double_vertical_bar 🔄 arrows_counterclockwise 🆗 ok 🆕 new"
    " 💬 speech_balloon"
)
_NAMES = MappingProxyType(dict(zip(_WRITTEN.split()[::2], _WRITTEN.split()[1::2], strict=True)))


def name_of(emoji: str) -> str | None:
    """The name of an emoji, whatever its skin; a name comes back as it is."""
    plain = emoji.strip().translate(_PLAIN_FORM)
    if found := _NAMES.get(plain):
        return found
    named = _NAME.fullmatch(plain)
    return named[1] if named is not None else None
