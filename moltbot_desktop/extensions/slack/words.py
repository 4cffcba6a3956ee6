"""What this channel says to the person, in both languages.

raise ChannelAuthFailed(say("bot_token", language), hint=say("bot_token_hint", language))
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "bot_token": "Slack does not take the bot token: {reason}.",
        "bot_token_hint": "Copy the “Bot User OAuth Token” (xoxb-…) of your app anew into"
        " channels.slack.botToken.",
        "app_token": "Slack does not take the app token: {reason}.",
        "app_token_hint": "Make one under Basic Information, App-Level Tokens, with the scope"
        " connections:write, and put it (xapp-…) into channels.slack.appToken.",
        "scope": "Your Slack app lacks the permission {scope}.",
        "scope_hint": "Add it under OAuth & Permissions, Scopes, install the app again, then"
        " switch this channel off and on.",
        "socket_mode": "Socket mode is switched off in your Slack app.",
        "socket_mode_hint": "Switch it on under Socket Mode, then switch this channel off and on.",
        "too_many": "Your Slack app has too many connections open already.",
        "away": "Slack cannot be reached at {host}.",
        "away_hint": "Is this computer online? Behind a proxy, name it in channels.slack.proxy.",
        "slow": "Slack did not answer in time.",
        "broken": "Slack gave an answer that cannot be read (HTTP {status}).",
        "unwell": "Slack has trouble of its own: {reason}.",
        "wait": "Slack asks for a pause.",
        "not_in": "The app is not a member of that channel.",
        "not_in_hint": "Invite it there with /invite.",
        "gone": "Slack does not find it: {reason}.",
        "refused": "Slack refused it: {reason}.",
        "reaction": "Slack has no reaction {emoji} that we know the name of.",
        "reaction_hint": "Its own names can be given, such as :eyes: or :tada:.",
        "long": "The message is longer than Slack takes.",
        "page": "Slack sent a web page in place of the file.",
        "page_hint": "The app may lack the permission files:read.",
        "elsewhere": "The file does not lie with Slack, and its place is not asked.",
        "large": "The file is larger than channels.slack.mediaMaxMb allows.",
        "unread": "The file “{name}” cannot be read.",
        "nowhere": "Slack needs the id of a person or a channel, and “{place}” is none.",
        "ended": "The connection to Slack has ended.",
    },
    chinese={
        "bot_token": "Slack 不接受机器人令牌：{reason}。",
        "bot_token_hint": "请把应用的“Bot User OAuth Token”（xoxb-…）重新复制到"
        " channels.slack.botToken。",
        "app_token": "Slack 不接受应用令牌：{reason}。",
        "app_token_hint": "请在 Basic Information → App-Level Tokens 里新建一个带"
        " connections:write 权限的令牌（xapp-…），填进 channels.slack.appToken。",
        "scope": "你的 Slack 应用缺少权限 {scope}。",
        "scope_hint": "请在 OAuth & Permissions → Scopes 里加上它，重新安装应用，"
        "然后把这个渠道关掉再打开。",
        "socket_mode": "你的 Slack 应用没有打开 Socket Mode。",
        "socket_mode_hint": "请在 Socket Mode 页面打开它，然后把这个渠道关掉再打开。",
        "too_many": "你的 Slack 应用打开的连接太多了。",
        "away": "连不上 Slack（{host}）。",
        "away_hint": "这台电脑联网了吗？如果要经过代理，请填进 channels.slack.proxy。",
        "slow": "Slack 没有及时回应。",
        "broken": "Slack 的回答无法读懂（HTTP {status}）。",
        "unwell": "Slack 自己出了问题：{reason}。",
        "wait": "Slack 要求稍等一会儿。",
        "not_in": "应用不是那个频道的成员。",
        "not_in_hint": "请在那里用 /invite 邀请它。",
        "gone": "Slack 找不到它：{reason}。",
        "refused": "Slack 拒绝了：{reason}。",
        "reaction": "不知道 {emoji} 这个表情回应在 Slack 里叫什么。",
        "reaction_hint": "可以直接写它的名字，例如 :eyes: 或 :tada:。",
        "long": "消息超过了 Slack 能接受的长度。",
        "page": "Slack 给的是网页，不是文件。",
        "page_hint": "应用可能缺少 files:read 权限。",
        "elsewhere": "这个文件不在 Slack 那里，不会去别处取。",
        "large": "文件超过了 channels.slack.mediaMaxMb 允许的大小。",
        "unread": "读不了文件“{name}”。",
        "nowhere": "Slack 需要人或频道的编号，“{place}”不是。",
        "ended": "与 Slack 的连接已结束。",
    },
)


def say(phrase: str, language: Language, **slots: object) -> str:
    """One sentence."""
    return PHRASES.say(phrase, language, **slots)
