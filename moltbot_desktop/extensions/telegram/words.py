"""What this channel says to the person, in both languages.

raise ChannelAuthFailed(say("token", language), hint=say("token_hint", language))
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "token": "Telegram does not know this bot token.",
        "token_hint": "Copy it anew from @BotFather (/mybots, API Token) into"
        " channels.telegram.botToken.",
        "away": "Telegram cannot be reached at {host}.",
        "away_hint": "Is this computer online? Where Telegram is blocked, name a proxy in"
        " channels.telegram.proxy.",
        "proxy": "The proxy in channels.telegram.proxy does not let us through.",
        "proxy_hint": "Is it running, and does it speak HTTP?",
        "slow": "Telegram did not answer in time.",
        "broken": "Telegram gave an answer that cannot be read (HTTP {status}).",
        "unwell": "Telegram has trouble of its own (HTTP {status}).",
        "wait": "Telegram asks for a pause.",
        "blocked": "Telegram does not let the bot write there: {reason}.",
        "blocked_hint": "The person has to start the bot, or the group to take it back in.",
        "gone": "Telegram does not find it: {reason}.",
        "refused": "Telegram refused it: {reason}.",
        "reaction": "Telegram has no reaction {emoji}.",
        "reaction_hint": "It takes those of its own list, such as 👍 👀 ❤ 🔥 🎉.",
        "long": "The message is longer than Telegram takes.",
        "elsewhere": "Another program receives the messages of this bot.",
        "elsewhere_hint": "End that program, or make a bot of its own for it; then switch this"
        " channel off and on.",
        "webhook": "The messages of this bot go to a web address that another program set.",
        "webhook_hint": "If it is not needed any more, set channels.telegram.replaceWebhook to"
        " true.",
        "moved": "The group {old} has become {new}.",
        "moved_hint": "Write {new} in place of {old} in channels.telegram.groups.",
        "page": "Telegram sent a web page in place of the file.",
        "large": "The file is larger than channels.telegram.mediaMaxMb allows.",
        "unread": "The file “{name}” cannot be read.",
        "nowhere": "Telegram needs the number of a chat, and “{chat}” is none.",
        "ended": "The connection to Telegram has ended.",
    },
    chinese={
        "token": "Telegram 不认识这个机器人令牌。",
        "token_hint": "请从 @BotFather（/mybots → API Token）重新复制到"
        " channels.telegram.botToken。",
        "away": "连不上 Telegram（{host}）。",
        "away_hint": "这台电脑联网了吗？在连不上 Telegram 的地方，请在 channels.telegram.proxy"
        " 里填一个代理。",
        "proxy": "channels.telegram.proxy 里的代理不让通过。",
        "proxy_hint": "它在运行吗？是 HTTP 代理吗？",
        "slow": "Telegram 没有及时回应。",
        "broken": "Telegram 的回答无法读懂（HTTP {status}）。",
        "unwell": "Telegram 自己出了问题（HTTP {status}）。",
        "wait": "Telegram 要求稍等一会儿。",
        "blocked": "Telegram 不让机器人往那里写：{reason}。",
        "blocked_hint": "需要对方先启动机器人，或者群里重新把它加进去。",
        "gone": "Telegram 找不到它：{reason}。",
        "refused": "Telegram 拒绝了：{reason}。",
        "reaction": "Telegram 没有 {emoji} 这个表情回应。",
        "reaction_hint": "它只接受自己列表里的，例如 👍 👀 ❤ 🔥 🎉。",
        "long": "消息超过了 Telegram 能接受的长度。",
        "elsewhere": "另一个程序正在接收这个机器人的消息。",
        "elsewhere_hint": "请结束那个程序，或者给它另建一个机器人；然后把这个渠道关掉再打开。",
        "webhook": "这个机器人的消息正发往另一个程序设置的网址。",
        "webhook_hint": "如果不再需要，请把 channels.telegram.replaceWebhook 设为 true。",
        "moved": "群 {old} 变成了 {new}。",
        "moved_hint": "请在 channels.telegram.groups 里把 {old} 改成 {new}。",
        "page": "Telegram 给的是网页，不是文件。",
        "large": "文件超过了 channels.telegram.mediaMaxMb 允许的大小。",
        "unread": "读不了文件“{name}”。",
        "nowhere": "Telegram 需要聊天的编号，“{chat}”不是编号。",
        "ended": "与 Telegram 的连接已结束。",
    },
)


def say(phrase: str, language: Language, **slots: object) -> str:
    """One sentence."""
    return PHRASES.say(phrase, language, **slots)
