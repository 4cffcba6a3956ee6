"""What is told about the choice of a model, in English and Chinese."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

PHRASES = Phrases(
    english={
        "switched": "{chosen} answers now in place of {before}. {reason}",
        "permissions_lost": "The book of permissions was damaged and set aside; what you allowed"
        " for longer than once is asked for again.",
        "switched_hint": "It is tried again in a while.",
        "switched_back": "{chosen} answers again.",
        "embedder_failed": "{provider} cannot be asked ({problem})",
        "embedder_fallback": "{provider}, the fallback in moltbot.json: {problem}",
        "fallbacks_alone": (
            "agents.defaults.model names fallbacks and no primary; the model on this computer"
            " answers."
        ),
        "fallbacks_alone_hint": "Name the model to ask first as agents.defaults.model.primary.",
    },
    chinese={
        "switched": "现在由 {chosen} 代替 {before} 回答。{reason}",
        "permissions_lost": "许可记录损坏，已放到一边；长于一次的许可会重新询问。",
        "switched_hint": "过一会儿会再试。",
        "switched_back": "{chosen} 又可以回答了。",
        "embedder_failed": "无法使用 {provider}（{problem}）",
        "embedder_fallback": "{provider}，即 moltbot.json 中的备用：{problem}",
        "fallbacks_alone": (
            "agents.defaults.model 只写了 fallbacks，没有写 primary；由这台电脑上的模型回答。"
        ),
        "fallbacks_alone_hint": "请把最先使用的模型写为 agents.defaults.model.primary。",
    },
)
