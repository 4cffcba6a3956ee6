"""/doctor: what is less safe than it could be, the worst first, and what to do about it.

Only looks: mending asks first, and is done in a terminal (`moltbot-desktop doctor --fix`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.sdk.audit import is_well
from moltbot_desktop.sdk.audit_words import words_of

_MOST = 12
_PHRASES = Phrases(
    {
        "well": "All is well: I found nothing that makes this unsafe.",
        "critical": "- Critical: {found}\n  {do}",
        "warning": "- Warning: {found}\n  {do}",
        "info": "- Note: {found}",
        "more": "… and {count:thing|things} more: moltbot-desktop doctor shows all.",
        "fix": "In a terminal, moltbot-desktop doctor --fix mends some of it, after asking you.",
        "notes": "None of this asks for anything to be done.",
    },
    {
        "well": "一切正常：没有发现不安全的地方。",
        "critical": "- 严重：{found}\n  {do}",
        "warning": "- 警告：{found}\n  {do}",
        "info": "- 提示：{found}",
        "more": "……还有 {count} 项：用 moltbot-desktop doctor 查看全部。",
        "fix": "在终端运行 moltbot-desktop doctor --fix，我会先询问，再修好其中一些。",
        "notes": "这些都不需要做什么。",
    },
)


async def _doctor(call: CommandCall, ports: CommandPorts) -> CommandReply:
    language = call.language
    if ports.doctor is None:
        return CommandReply(PHRASES.say("not_built", language, name=call.name), ok=False)
    findings = tuple(await ports.doctor())
    if not findings:
        return CommandReply(_PHRASES.say("well", language))
    lines = []
    for one in findings[:_MOST]:
        words = words_of(one, language)
        lines.append(_PHRASES.say(one.severity, language, found=words.found, do=words.do).rstrip())
    if len(findings) > _MOST:
        lines.append(_PHRASES.say("more", language, count=len(findings) - _MOST))
    if is_well(findings):
        lines.append(_PHRASES.say("notes", language))
    elif any(one.repair is not None for one in findings):
        lines.append(_PHRASES.say("fix", language))
    return CommandReply("\n".join(lines))


DOCTOR: Mapping[str, Handler] = MappingProxyType({"doctor": _doctor})
