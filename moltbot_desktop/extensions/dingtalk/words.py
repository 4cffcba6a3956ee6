"""What this channel says to the person, in both languages.

raise ChannelAuthFailed(say("app", language, reason=reason), hint=say("app_hint", language))
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "app": "DingTalk does not take the Client ID or Client Secret: {reason}.",
        "app_hint": "Copy both anew from Credentials & Basic Info of your app. Apps of dingtalk.io"
        " need channels.dingtalk.domain: dingtalk.io.",
        "scope": "Your DingTalk app lacks a permission: {reason}.",
        "scope_hint": "Add it under Permission Management (qyapi_robot_sendmsg for messages and"
        " files), then publish a new version of the app.",
        "address": "Your DingTalk app may not be used from this computer's address: {reason}.",
        "address_hint": "Add the address to the server IPs of the app's security settings, or leave"
        " that list empty.",
        "month": "Your organisation has used up the calls that DingTalk allows it in a month.",
        "month_hint": "Answers to what somebody has just written still go out; files and messages"
        " of the assistant's own accord wait for the next month or a larger plan.",
        "robot": "DingTalk does not let the robot speak: {reason}.",
        "robot_hint": "Is the robot switched on, and the app published? Where the robot's code is"
        " not the Client ID, set channels.dingtalk.robotCode.",
        "not_in": "The robot does not reach that place: {reason}.",
        "not_in_hint": "Add the robot to the group; a person has to be in the app's range of use.",
        "content": "DingTalk finds something in the message that it does not allow: {reason}.",
        "content_hint": "Say it in other words or without the link.",
        "kind": "DingTalk takes no file of that kind: {reason}.",
        "kind_hint": "It takes pictures and doc, docx, xls, xlsx, ppt, pptx, pdf, zip and rar.",
        "too_large": "DingTalk takes no file of that size: {reason}.",
        "too_large_hint": "20 MB is the most.",
        "elsewhere": "DingTalk named a place that is not its own.",
        "away": "DingTalk cannot be reached at {host}.",
        "away_hint": "Is this computer online? Behind a proxy, name it in channels.dingtalk.proxy.",
        "slow": "DingTalk did not answer in time.",
        "broken": "DingTalk gave an answer that cannot be read (HTTP {status}).",
        "unwell": "DingTalk has trouble of its own: {reason}.",
        "wait": "DingTalk asks for a pause.",
        "gone": "DingTalk does not find it: {reason}.",
        "refused": "DingTalk refused it: {reason}.",
        "no_line": "DingTalk opens no connection: {reason}.",
        "no_line_hint": "On the robot's page of your app, choose Stream mode for receiving messages"
        " and publish the robot and the app.",
        "restless": "DingTalk closes each connection as soon as it stands.",
        "long": "The message is longer than DingTalk takes.",
        "large": "The file is larger than channels.dingtalk.mediaMaxMb allows.",
        "unread": "The file “{name}” cannot be read.",
        "nowhere": "DingTalk needs the id of a person or a group (cid…), and “{place}” is none that"
        " the robot can write to of its own accord.",
        "in_session": "DingTalk takes back only what it gave a number to; answers to what somebody"
        " has just written have none.",
        "ended": "The connection to DingTalk has ended.",
    },
    chinese={
        "app": "钉钉不接受 Client ID 或 Client Secret：{reason}。",
        "app_hint": "请在应用的“凭证与基础信息”页面重新复制这两项。dingtalk.io 的应用要把"
        " channels.dingtalk.domain 设为 dingtalk.io。",
        "scope": "你的钉钉应用缺少权限：{reason}。",
        "scope_hint": "请在“权限管理”里开通（收发消息和文件是 qyapi_robot_sendmsg），"
        "然后发布应用的新版本。",
        "address": "你的钉钉应用不允许从这台电脑的地址使用：{reason}。",
        "address_hint": "请在应用的“安全设置”里把这个地址加进服务器出口 IP，或者把那个名单清空。",
        "month": "你的组织这个月的钉钉接口调用次数用完了。",
        "month_hint": "对刚写来的消息仍然可以回答；文件和助手主动发的消息要等下个月，"
        "或者升级钉钉版本。",
        "robot": "钉钉不让机器人说话：{reason}。",
        "robot_hint": "机器人启用了吗？应用发布了吗？如果 robotCode 和 Client ID 不同，"
        "请填进 channels.dingtalk.robotCode。",
        "not_in": "机器人到不了那里：{reason}。",
        "not_in_hint": "请把机器人加进群；对方要在应用的可使用范围里。",
        "content": "钉钉认为消息里有不允许的内容：{reason}。",
        "content_hint": "换个说法，或者去掉链接。",
        "kind": "钉钉不接受这种文件：{reason}。",
        "kind_hint": "它接受图片和 doc、docx、xls、xlsx、ppt、pptx、pdf、zip、rar。",
        "too_large": "钉钉不接受这么大的文件：{reason}。",
        "too_large_hint": "最大 20 MB。",
        "elsewhere": "钉钉给的地址不是它自己的。",
        "away": "连不上钉钉（{host}）。",
        "away_hint": "这台电脑联网了吗？如果要经过代理，请填进 channels.dingtalk.proxy。",
        "slow": "钉钉没有及时回应。",
        "broken": "钉钉的回答无法读懂（HTTP {status}）。",
        "unwell": "钉钉自己出了问题：{reason}。",
        "wait": "钉钉要求稍等一会儿。",
        "gone": "钉钉找不到它：{reason}。",
        "refused": "钉钉拒绝了：{reason}。",
        "no_line": "钉钉不开放连接：{reason}。",
        "no_line_hint": "请在应用的“机器人”页面把消息接收模式选为 Stream 模式，"
        "并发布机器人和应用。",
        "restless": "钉钉每次刚连上就断开。",
        "long": "消息超过了钉钉能接受的长度。",
        "large": "文件超过了 channels.dingtalk.mediaMaxMb 允许的大小。",
        "unread": "读不了文件“{name}”。",
        "nowhere": "钉钉需要人或群（cid…）的编号，机器人不能主动给“{place}”写消息。",
        "in_session": "钉钉只能撤回它给了编号的消息；对刚写来的消息的回答没有编号。",
        "ended": "与钉钉的连接已结束。",
    },
)


def say(phrase: str, language: Language, **slots: object) -> str:
    """One sentence."""
    return PHRASES.say(phrase, language, **slots)
