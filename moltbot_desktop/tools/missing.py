"""Tools that people and models know by name, but that this build lacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language


@dataclass(frozen=True)
class MissingTool:
    """How to say that a tool is not there."""

    english: str
    chinese: str

    def sentence(self, language: Language) -> str:
        return self.chinese if language is Language.CHINESE else self.english


_MISSING = MappingProxyType(
    {
        "browser": MissingTool(
            "I cannot use a browser until you allow it: moltbot-desktop config set "
            "browser.enabled true",
            "要先允许才能使用浏览器：请运行 moltbot-desktop config set browser.enabled true。",
        ),
        "exec": MissingTool("I cannot run commands yet.", "我还不会运行命令。"),
        "image": MissingTool(
            "I cannot see what is on a picture: my model reads text alone. One whose “input” in "
            "moltbot.json names “image” can. I can tell its size, and when and where it was taken.",
            "我看不到图片上的内容：我的模型只能读文字；moltbot.json 里“input”写了“image”的模型"
            "才看得到。我可以告诉你它的大小、拍摄时间和地点。",
        ),
        "screenshot": MissingTool(
            "I cannot take a picture of the screen here.", "我在这里截不了屏。"
        ),
        "weather_query": MissingTool(
            "I cannot look up the weather until you allow it, because it comes from the internet: "
            "moltbot-desktop plugins enable weather. Where you have, moltbot-desktop plugins info "
            "weather says what is wrong.",
            "要先允许才能查天气，因为要上网：请运行 moltbot-desktop plugins enable weather。"
            "如果已经允许，moltbot-desktop plugins info weather 会说明哪里不对。",
        ),
        "web_fetch": MissingTool(
            "I cannot read web pages until you allow it; moltbot-desktop network list says how.",
            "要先允许才能读网页；moltbot-desktop network list 会告诉你怎么做。",
        ),
    }
)


_SWITCHED_OFF = MissingTool(
    "Memory is switched off. To use it, set agents.defaults.memorySearch.enabled to true and "
    "plugins.slots.memory to memory-core in moltbot.json, and start me again.",
    "记忆功能已关闭。要使用它，请在 moltbot.json 中把 agents.defaults.memorySearch.enabled "
    "设为 true，把 plugins.slots.memory 设为 memory-core，然后重新启动我。",
)
_MEMORY = ("memory_forget", "memory_get", "memory_search", "memory_store")


def missing_tools(*, memory: bool = True) -> Mapping[str, MissingTool]:
    """Names of the core tools this build lacks, each with its plain sentence; with `memory`
    False the tools of a memory that is switched off as well."""
    if memory:
        return _MISSING
    return MappingProxyType({**_MISSING, **dict.fromkeys(_MEMORY, _SWITCHED_OFF)})
