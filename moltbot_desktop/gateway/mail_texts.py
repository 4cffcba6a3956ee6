"""What is told about mail that was lost, in English and Chinese."""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.postman import LostMessage

_LONGEST = 80

PHRASES = Phrases(
    english={
        "lost": "A message could not be delivered by {channel} and was given up: “{text}”.",
        "lost_unreadable": "A message for {channel} was damaged on the disk and is lost.",
        "set_aside": "The file of messages from channels was damaged. A new one was begun; what"
        " waited in the old one was not answered.",
        "set_aside_hint": "It is kept as {path}.",
    },
    chinese={
        "lost": "有一条消息没能通过 {channel} 送达，已放弃：“{text}”。",
        "lost_unreadable": "一条要发往 {channel} 的消息在磁盘上已损坏，无法恢复。",
        "set_aside": "保存渠道消息的文件已损坏，已重新建立；旧文件里等待处理的消息没有得到回复。",
        "set_aside_hint": "旧文件保存在 {path}。",
    },
)


def lost_notice(lost: LostMessage, language: Language) -> Notice:
    """What the owner is told of a message that was given up."""
    text = " ".join(lost.text.split())
    if not text:
        return Notice(PHRASES.say("lost_unreadable", language, channel=lost.channel), lost.problem)
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    said = PHRASES.say("lost", language, channel=lost.channel, text=shown)
    return Notice(said, lost.problem, serious=True)


def set_aside_notice(aside: Path, language: Language) -> Notice:
    """What the owner is told when the mail book had to be begun anew."""
    hint = PHRASES.say("set_aside_hint", language, path=aside)
    return Notice(PHRASES.say("set_aside", language), hint, serious=True)
