"""What a command model is asked about a file by its whole path. Pure.

    to_read("read /home/me/plan.md")             # the call, without the model
    as_file(ToolCall(..., "web_fetch", {"url": "/home/me/plan.md"}))    # `read`, the same words

The starter learnt paths from examples, and one that looks like none of them pulls it to another
tool: of 640 requests to read a made-up path ("cat", "show me", 看看……的内容) it fetched every
fifteenth from the web, where no such address can be. A path from the root, with an ending, is a
file whoever says it, so a request that is nothing but asking words around one needs no model.
"""

from __future__ import annotations

import re
from dataclasses import replace

from moltbot_desktop.core.messages import ToolCall

_LONGEST = 500
"""Characters; a path and the words around it are shorter, and the patterns take the square."""
_ROOT = r"(?:~?/(?!/)|~\\|[A-Za-z]:[\\/](?!/))"
_ENDING = r"\.[A-Za-z0-9]{1,10}"
_PATH = re.compile(
    rf"[\"“'`](?P<quoted>{_ROOT}[^\"“”'`\n]*{_ENDING})[\"”'`]"
    rf"|(?P<bare>{_ROOT}[^\s\"“”'`，。！？；：、]*{_ENDING})"
)
_THERE = "□"
"""Stands for the path while the words around it are looked at."""
_ZH_WHAT = r"(?:里面?|中)?都?(?:写了?|说了?|有|是)[些点]?(?:什么|啥)(?:内容)?"
_ASKING = re.compile(
    r"(?:(?:please|kindly|can you|could you|would you|hey|ok|okay|now|just|moltbot)[\s,:]+)*+"
    r"(?:(?:(?:read|show)(?: me)?|cat|display|view|look (?:at|in|into|inside)"
    r"|what(?:'s| is) in(?:side)?)"
    r" (?:the (?:contents?|text) of |what(?:'s| is) in(?:side)? )?(?:the )?(?:file |document )?□"
    r"(?: (?:out )?(?:to|for) me)?"
    r"|what does (?:the )?(?:file |document )?□ (?:say|contain|hold))"
    r"(?:[\s,]+(?:please|thanks?|thank you))*"
    r"|(?:请|麻烦|帮我|给我|你|[\s，,])*+"
    r"(?:(?:读取|读一?下|读[一了]?读|读|看一?下|看一?看|显示一?下|显示)(?:文件)?[\s:：]*□\s*"
    rf"(?:(?:这个)?文件)?(?:的?(?:全部|所有)?内容|里面?的?(?:内容|文字|东西)|{_ZH_WHAT})?(?:给我[听看]|吧)?"
    rf"|□\s*(?:(?:这个)?文件)?{_ZH_WHAT})",
    re.IGNORECASE,
)
_END = " \t\n.!?。！？"


def to_read(text: str) -> tuple[ToolCall, ...]:
    """The call for a request that only asks what stands in one file; none for any other."""
    if len(text) > _LONGEST:
        return ()
    found = [*_PATH.finditer(text)]
    if len(found) != 1:
        return ()
    [path] = found
    around = f"{text[: path.start()]}{_THERE}{text[path.end() :]}"
    if not _ASKING.fullmatch(around.strip(_END)):
        return ()
    return (ToolCall("read", "read", {"path": path["quoted"] or path["bare"]}),)


def as_file(call: ToolCall) -> ToolCall:
    """What would be fetched from a place on this computer is read instead."""
    place = str(call.arguments.get("url", "")).strip()
    if call.name != "web_fetch" or not re.match(_ROOT, place):
        return call
    return replace(call, name="read", arguments={"path": place})
