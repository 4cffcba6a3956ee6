"""Which embedder is used, and why. Pure: what exists is handed in.

The reference tries local, OpenAI and Gemini in turn and changes silently; here notes go to
another computer only when its name stands in moltbot.json, and the index's model never changes
behind the person's back. `reason` is shown by `memory status`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.config.embedding import EmbeddingConfig, EmbeddingProvider
from moltbot_desktop.core.i18n import Language, Phrases

_PHRASES = Phrases(
    english={
        "local": "the embedding model on this computer",
        "no_local": "no embedding model is installed",
        "chosen": "{provider} is set in moltbot.json",
        "no_key": "{wanted} is set in moltbot.json, but it has no key",
        "auto_local": "automatic: the embedding model on this computer",
        "auto_kept": "automatic: {provider} made the index and can still be used",
        "auto_remote": "automatic: no local model, and {provider} has a key",
        "auto_none": "automatic: no local model and no key",
        "auto_changed": (
            "the index was made with {before}, which cannot be used now; set provider to"
            " {wanted} to make a new one there"
        ),
    },
    chinese={
        "local": "这台电脑上的嵌入模型",
        "no_local": "没有安装嵌入模型",
        "chosen": "moltbot.json 中设置了 {provider}",
        "no_key": "moltbot.json 中设置了 {wanted}，但没有密钥",
        "auto_local": "自动：这台电脑上的嵌入模型",
        "auto_kept": "自动：索引由 {provider} 建立，现在仍可使用",
        "auto_remote": "自动：没有本地模型，而 {provider} 有密钥",
        "auto_none": "自动：没有本地模型，也没有密钥",
        "auto_changed": (
            "索引由 {before} 建立，现在无法使用；要在 {wanted} 重新建立，请把 provider 设为"
            " {wanted}"
        ),
    },
)

_REMOTE = (EmbeddingProvider.OPENAI, EmbeddingProvider.GEMINI)


@dataclass(frozen=True)
class EmbedderChoice:
    """`provider` None: search uses words alone. `reason`, half a sentence, is for the person."""

    provider: EmbeddingProvider | None
    reason: str


def choose_embedder(
    config: EmbeddingConfig,
    *,
    has_local: bool,
    has_key: Callable[[EmbeddingProvider], bool],
    previous: EmbeddingProvider | None = None,
    language: Language = Language.ENGLISH,
) -> EmbedderChoice:
    """The embedder for `config`.

    Args:
        has_local: the local model's file is there.
        has_key: whether a provider can be asked: its key is there, or it needs none.
        previous: what made the index that exists; counts with `auto` only, because a provider
            that is written down was chosen.
    """

    def choice(provider: EmbeddingProvider | None, phrase: str, **slots: object) -> EmbedderChoice:
        name = config.provider_name if provider is config.provider else provider
        return EmbedderChoice(provider, _PHRASES.say(phrase, language, provider=name, **slots))

    wanted = config.provider
    if wanted is EmbeddingProvider.LOCAL:
        return choice(wanted, "local") if has_local else choice(None, "no_local")
    if wanted is EmbeddingProvider.PLUGIN:
        return choice(wanted, "chosen")  # a key is the plugin's own affair
    if wanted is not EmbeddingProvider.AUTO:
        usable = has_key(wanted)
        return choice(wanted, "chosen") if usable else choice(None, "no_key", wanted=wanted)
    usable_remotes = [provider for provider in _REMOTE if has_key(provider)]
    if previous in usable_remotes:
        return choice(previous, "auto_kept")
    if has_local:
        return choice(EmbeddingProvider.LOCAL, "auto_local")
    if not usable_remotes:
        return choice(None, "auto_none")
    if previous is not None:
        return choice(None, "auto_changed", before=previous, wanted=usable_remotes[0])
    return choice(usable_remotes[0], "auto_remote")
