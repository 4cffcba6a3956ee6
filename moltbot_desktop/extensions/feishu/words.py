"""What this channel says to the person, in both languages.

raise ChannelAuthFailed(say("app", language, reason=reason), hint=say("app_hint", language))
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "app": "Feishu does not take the app id or secret: {reason}.",
        "app_hint": "Copy both anew from Credentials & Basic Info of your app. Apps of"
        " larksuite.com need channels.feishu.domain: lark.",
        "scope": "Your Feishu app lacks a permission: {reason}.",
        "scope_hint": "Add it under Permissions & Scopes, publish a new version of the app, then"
        " switch this channel off and on.",
        "no_bot": "Your Feishu app has no bot.",
        "no_bot_hint": "Add the feature Bot and publish a new version of the app.",
        "not_in": "The bot may not write there.",
        "not_in_hint": "Add it to the group, or the person to the app's availability.",
        "too_many": "Your Feishu app has too many connections open already.",
        "no_line": "Feishu opens no long connection: {reason}.",
        "no_line_hint": "Under Events & Callbacks, choose to receive events through a persistent"
        " connection, then switch this channel off and on.",
        "elsewhere": "Feishu named a place for the connection that is not its own.",
        "away": "Feishu cannot be reached at {host}.",
        "away_hint": "Is this computer online? Behind a proxy, name it in channels.feishu.proxy.",
        "slow": "Feishu did not answer in time.",
        "broken": "Feishu gave an answer that cannot be read (HTTP {status}).",
        "unwell": "Feishu has trouble of its own: {reason}.",
        "wait": "Feishu asks for a pause.",
        "gone": "Feishu does not find it: {reason}.",
        "refused": "Feishu refused it: {reason}.",
        "reaction": "Feishu has no reaction {emoji} that we know the name of.",
        "reaction_hint": "Its own names can be given, such as DONE or THUMBSUP.",
        "long": "The message is longer than Feishu takes.",
        "large": "The file is larger than channels.feishu.mediaMaxMb allows.",
        "unread": "The file “{name}” cannot be read.",
        "nowhere": "Feishu needs the id of a person (ou_…) or a group (oc_…), and “{place}” is"
        " none.",
        "ended": "The connection to Feishu has ended.",
    },
    chinese={
        "app": "飞书不接受应用的 App ID 或 App Secret：{reason}。",
        "app_hint": "请在应用的“凭证与基础信息”页面重新复制这两项。larksuite.com 的应用"
        "要把 channels.feishu.domain 设为 lark。",
        "scope": "你的飞书应用缺少权限：{reason}。",
        "scope_hint": "请在“权限管理”里开通，发布应用的新版本，然后把这个渠道关掉再打开。",
        "no_bot": "你的飞书应用没有机器人能力。",
        "no_bot_hint": "请添加“机器人”能力并发布应用的新版本。",
        "not_in": "机器人不能在那里写消息。",
        "not_in_hint": "请把它加进群，或者把对方加进应用的可用范围。",
        "too_many": "你的飞书应用打开的连接太多了。",
        "no_line": "飞书不开放长连接：{reason}。",
        "no_line_hint": "请在“事件与回调”里选择“使用长连接接收事件”，然后把这个渠道关掉再打开。",
        "elsewhere": "飞书给的连接地址不是它自己的。",
        "away": "连不上飞书（{host}）。",
        "away_hint": "这台电脑联网了吗？如果要经过代理，请填进 channels.feishu.proxy。",
        "slow": "飞书没有及时回应。",
        "broken": "飞书的回答无法读懂（HTTP {status}）。",
        "unwell": "飞书自己出了问题：{reason}。",
        "wait": "飞书要求稍等一会儿。",
        "gone": "飞书找不到它：{reason}。",
        "refused": "飞书拒绝了：{reason}。",
        "reaction": "不知道 {emoji} 这个表情回复在飞书里叫什么。",
        "reaction_hint": "可以直接写它的名字，例如 DONE 或 THUMBSUP。",
        "long": "消息超过了飞书能接受的长度。",
        "large": "文件超过了 channels.feishu.mediaMaxMb 允许的大小。",
        "unread": "读不了文件“{name}”。",
        "nowhere": "飞书需要人（ou_…）或群（oc_…）的编号，“{place}”不是。",
        "ended": "与飞书的连接已结束。",
    },
)


def say(phrase: str, language: Language, **slots: object) -> str:
    """One sentence."""
    return PHRASES.say(phrase, language, **slots)
