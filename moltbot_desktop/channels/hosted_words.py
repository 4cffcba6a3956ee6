"""What a channel's account says about itself, to the person and to the model, in both languages.

raise refused("no_edit", Language.ENGLISH, channel="irc")
"""

from __future__ import annotations

from moltbot_desktop.core.errors import ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "ended": "The channel is not connected.",
        "ended_hint": "It is tried again when it is.",
        "sealed": "The seal is closed: nothing leaves this computer, and no channel is connected.",
        "sealed_hint": "Open it with moltbot-desktop network seal off.",
        "silent": "{channel} was not heard of for {seconds} seconds.",
        "silent_hint": "Another connection is made.",
        "library": "{channel} needs the library {name}, which is not installed.",
        "library_hint": "Install it: {line}",
        "no_edit": "{channel} cannot change a message that was sent.",
        "no_delete": "{channel} cannot take a message back.",
        "no_react": "{channel} has no reactions.",
        "no_typing": "{channel} has no sign for typing.",
        "no_fetch": "{channel} brings no files.",
        "no_files": "{channel} cannot send files.",
        "too_large": "“{name}” is larger than {channel} takes ({most} bytes).",
    },
    chinese={
        "ended": "渠道没有连接。",
        "ended_hint": "连上之后会再试。",
        "sealed": "封印已关上：什么都不会离开这台电脑，渠道也不连接。",
        "sealed_hint": "用 moltbot-desktop network seal off 打开。",
        "silent": "{channel} 已有 {seconds} 秒没有任何动静。",
        "silent_hint": "会重新连接。",
        "library": "{channel} 需要 {name} 这个库，但没有安装。",
        "library_hint": "请安装：{line}",
        "no_edit": "{channel} 不能修改已发出的消息。",
        "no_delete": "{channel} 不能撤回消息。",
        "no_react": "{channel} 没有表情回应。",
        "no_typing": "{channel} 没有“正在输入”的提示。",
        "no_fetch": "{channel} 不提供文件。",
        "no_files": "{channel} 不能发送文件。",
        "too_large": "“{name}”超过了 {channel} 能收发的大小（{most} 字节）。",
    },
)


def refused(phrase: str, language: Language, **slots: object) -> ChannelRefused:
    """Something that this channel will never do."""
    return ChannelRefused(PHRASES.say(phrase, language, **slots))


def not_now(phrase: str, language: Language, **slots: object) -> ChannelError:
    """Something that goes by."""
    said = PHRASES.say(phrase, language, **slots)
    return ChannelError(said, hint=PHRASES.say(f"{phrase}_hint", language))


def library_missing(channel: str, extra: str, name: str, language: Language) -> str:
    """That a channel's library is not there, and the line that installs it.

    Args:
        extra: of this program's package; "" where it has none for it.
        name: of the module that was looked for.
    """
    line = f"pip install 'moltbot-desktop[{extra}]'" if extra else f"pip install {name}"
    said = PHRASES.say("library", language, channel=channel, name=name)
    return f"{said} {PHRASES.say('library_hint', language, line=line)}"
