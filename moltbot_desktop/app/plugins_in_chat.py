"""`/plugins` in a conversation: how each stands here and now, and one of them renewed.

    /plugins                    which are on, and why the others are not
    /plugins reload weather     its code as it is on the disk now

For the owner alone: what runs with all the rights of the program is nobody else's affair.
"""

from __future__ import annotations

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, Phrases, in_one_line
from moltbot_desktop.plugins.host import PluginHost, PluginRecord, PluginStatus
from moltbot_desktop.sdk.plugins import CommandCall, PluginCommand

NAME = "plugins"
_PHRASES = Phrases(
    {
        "owner": "Only the owner may see and renew plugins.",
        "none": "There are no plugins.",
        "how": "/plugins shows them, /plugins reload NAME renews one.",
        "renewed": "“{name}” is renewed.",
        "failed": "“{name}” cannot be used: {reason}",
        "on": "on",
        "starting": "is starting",
        "off": "off, {reason}",
        "broken": "cannot be used: {reason}",
    },
    {
        "owner": "只有主人可以查看和更新插件。",
        "none": "没有插件。",
        "how": "/plugins 查看插件，/plugins reload 名字 更新一个。",
        "renewed": "“{name}”已更新。",
        "failed": "“{name}”不能用：{reason}",
        "on": "开",
        "starting": "正在启动",
        "off": "关，{reason}",
        "broken": "不能用：{reason}",
    },
)


def plugins_command(host: PluginHost) -> PluginCommand:
    """The command over the plugins of `host`."""

    async def answer(call: CommandCall) -> str:
        language = call.language
        if not call.owner:
            return _PHRASES.say("owner", language)
        words = call.arguments.split()
        if not words or words == ["list"]:
            lines = [_line(one, language) for one in host.records()]
            return "\n".join(lines) or _PHRASES.say("none", language)
        if len(words) != 2 or words[0] != "reload":
            return _PHRASES.say("how", language)
        try:
            record = await host.reload(words[1])
        except MoltbotError as error:
            return in_one_line(error.message, error.hint)
        key = "renewed" if record.status is PluginStatus.ON else "failed"
        reason = in_one_line(record.reason, record.hint)
        return _PHRASES.say(key, language, name=words[1], reason=reason)

    return PluginCommand(
        NAME,
        "which plugins are on; renew one",
        "哪些插件是开的；更新一个",
        answer,
        arguments="[reload NAME]",
    )


def _line(record: PluginRecord, language: Language) -> str:
    said = _PHRASES.say(record.status, language, reason=record.reason)
    return f"- {record.found.id}: {said}"
