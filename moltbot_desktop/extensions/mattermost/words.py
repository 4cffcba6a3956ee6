"""What this channel says to the person, in both languages.

raise ChannelAuthFailed(say("token", language), hint=say("token_hint", language))
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "token": "Mattermost does not take the token.",
        "token_hint": "Make a new one for the bot under Integrations, Bot Accounts, and put it into"
        " channels.mattermost.botToken.",
        "away": "Mattermost cannot be reached at {host}.",
        "away_hint": "Is this computer online, and is channels.mattermost.baseUrl right? Behind a"
        " proxy, name it in channels.mattermost.proxy.",
        "slow": "Mattermost did not answer in time.",
        "broken": "What answers at {host} is not Mattermost (HTTP {status}).",
        "broken_hint": "Check channels.mattermost.baseUrl: the address you open in a browser,"
        " without the team's name.",
        "unwell": "Mattermost has trouble of its own: {reason}.",
        "wait": "Mattermost asks for a pause.",
        "not_in": "Mattermost does not let the bot do that: {reason}.",
        "not_in_hint": "Is the bot a member of the team and of the channel, and may it write"
        " there?",
        "gone": "Mattermost does not find it: {reason}.",
        "refused": "Mattermost refused it: {reason}.",
        "foreign": "That message is not the assistant's own.",
        "reaction": "Mattermost has no reaction {emoji} that we know the name of.",
        "reaction_hint": "Its own names can be given, such as :eyes: or :tada:.",
        "long": "The message is longer than Mattermost takes.",
        "large": "The file is larger than channels.mattermost.mediaMaxMb allows.",
        "page": "Mattermost sent a web page in place of the file.",
        "unread": "The file “{name}” cannot be read.",
        "nowhere": "Mattermost needs the id of a person or a channel, and “{place}” is none.",
        "ended": "The connection to Mattermost has ended.",
    },
    chinese={
        "token": "Mattermost 不接受这个令牌。",
        "token_hint": "请在“集成 → 机器人帐号”里为机器人新建一个令牌，填进"
        " channels.mattermost.botToken。",
        "away": "连不上 Mattermost（{host}）。",
        "away_hint": "这台电脑联网了吗？channels.mattermost.baseUrl 写对了吗？如果要经过代理，"
        "请填进 channels.mattermost.proxy。",
        "slow": "Mattermost 没有及时回应。",
        "broken": "{host} 上回答的不是 Mattermost（HTTP {status}）。",
        "broken_hint": "请检查 channels.mattermost.baseUrl：就是在浏览器里打开的地址，不带团队名。",
        "unwell": "Mattermost 自己出了问题：{reason}。",
        "wait": "Mattermost 要求稍等一会儿。",
        "not_in": "Mattermost 不让机器人这样做：{reason}。",
        "not_in_hint": "机器人是那个团队和频道的成员吗？它可以在那里发言吗？",
        "gone": "Mattermost 找不到它：{reason}。",
        "refused": "Mattermost 拒绝了：{reason}。",
        "foreign": "那条消息不是助手自己的。",
        "reaction": "不知道 {emoji} 这个表情回应在 Mattermost 里叫什么。",
        "reaction_hint": "可以直接写它的名字，例如 :eyes: 或 :tada:。",
        "long": "消息超过了 Mattermost 能接受的长度。",
        "large": "文件超过了 channels.mattermost.mediaMaxMb 允许的大小。",
        "page": "Mattermost 给的是网页，不是文件。",
        "unread": "读不了文件“{name}”。",
        "nowhere": "Mattermost 需要人或频道的编号，“{place}”不是。",
        "ended": "与 Mattermost 的连接已结束。",
    },
)


def say(phrase: str, language: Language, **slots: object) -> str:
    """One sentence."""
    return PHRASES.say(phrase, language, **slots)
