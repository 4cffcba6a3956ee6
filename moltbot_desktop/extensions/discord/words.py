"""What this channel says to the person, in both languages.

raise ChannelAuthFailed(say("token", language), hint=say("token_hint", language))
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "token": "Discord does not know this bot token.",
        "token_hint": "Reset it in the developer portal (your application, Bot, Reset Token) and"
        " copy the new one into channels.discord.token.",
        "intent": "Discord does not let the bot read what people write.",
        "intent_hint": "Switch on “Message Content Intent” in the developer portal (your"
        " application, Bot), then switch this channel off and on.",
        "away": "Discord cannot be reached.",
        "away_hint": "Is this computer online? Where Discord is blocked, name a proxy in"
        " channels.discord.proxy.",
        "proxy": "The proxy in channels.discord.proxy does not let us through.",
        "proxy_hint": "Is it running, and does it speak HTTP?",
        "unwell": "Discord has trouble of its own (HTTP {status}).",
        "closed": "Discord has ended the connection (code {code}).",
        "large_bot": "The bot is on too many servers for one connection (code {code}).",
        "broken": "Discord sent something that cannot be read.",
        "wait": "Discord asks for a pause.",
        "blocked": "Discord does not let the bot do that here: {reason}.",
        "blocked_hint": "On a server, give the bot's role the right to see the room, to send"
        " messages and to read their history. A person has to share a server with the bot, and to"
        " allow private messages from its members.",
        "gone": "Discord does not find it: {reason}.",
        "refused": "Discord refused it: {reason}.",
        "reaction": "Discord has no reaction {emoji}.",
        "long": "The message is longer than Discord takes.",
        "page": "Discord sent a web page in place of the file.",
        "large": "The file is larger than channels.discord.mediaMaxMb allows.",
        "elsewhere": "The file lies at an address that is not Discord's.",
        "unread": "The file “{name}” cannot be read.",
        "heavy": "Discord does not take a file as large as that.",
        "nowhere": "Discord needs the number of a person or a room, and “{place}” is none.",
        "ended": "The connection to Discord has ended.",
    },
    chinese={
        "token": "Discord 不认识这个机器人令牌。",
        "token_hint": "请在开发者门户（你的应用 → Bot → Reset Token）重置令牌，再把新的填入"
        " channels.discord.token。",
        "intent": "Discord 不让机器人看到大家写的内容。",
        "intent_hint": "请在开发者门户（你的应用 → Bot）打开“Message Content Intent”，然后把这个"
        "渠道关掉再打开。",
        "away": "连不上 Discord。",
        "away_hint": "这台电脑联网了吗？在连不上 Discord 的地方，请在 channels.discord.proxy"
        " 里填一个代理。",
        "proxy": "channels.discord.proxy 里的代理不让通过。",
        "proxy_hint": "它在运行吗？是 HTTP 代理吗？",
        "unwell": "Discord 自己出了问题（HTTP {status}）。",
        "closed": "Discord 结束了连接（代码 {code}）。",
        "large_bot": "机器人所在的服务器太多，一个连接不够用（代码 {code}）。",
        "broken": "Discord 发来了无法读懂的内容。",
        "wait": "Discord 要求稍等一会儿。",
        "blocked": "Discord 不让机器人在这里这样做：{reason}。",
        "blocked_hint": "在服务器上，请给机器人的身份组查看频道、发送消息和阅读消息历史的权限。"
        "私聊的人要和机器人在同一个服务器里，并允许成员发来私信。",
        "gone": "Discord 找不到它：{reason}。",
        "refused": "Discord 拒绝了：{reason}。",
        "reaction": "Discord 没有 {emoji} 这个表情回应。",
        "long": "消息超过了 Discord 能接受的长度。",
        "page": "Discord 给的是网页，不是文件。",
        "large": "文件超过了 channels.discord.mediaMaxMb 允许的大小。",
        "elsewhere": "文件所在的地址不属于 Discord。",
        "unread": "读不了文件“{name}”。",
        "heavy": "Discord 不接受这么大的文件。",
        "nowhere": "Discord 需要人或频道的编号，“{place}”不是编号。",
        "ended": "与 Discord 的连接已结束。",
    },
)


def say(phrase: str, language: Language, **slots: object) -> str:
    """One sentence."""
    return PHRASES.say(phrase, language, **slots)
