"""How much the assistant may do by itself: five settings of one knob, from stopped to trusted.

    Mode.CAREFUL.stricter_than(Mode.NORMAL)        # True
    mode_words(Mode.READ_ONLY, Language.ENGLISH)   # "Read-only: I look things up and change ..."

What each means for a call is in `security.policy`; a mode only makes the table stricter, apart from
`TRUSTING`, which spares the owner questions about what can be undone.
"""

from __future__ import annotations

from enum import StrEnum

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases


class Mode(StrEnum):
    """The strictest first."""

    PAUSED = "paused"
    READ_ONLY = "read-only"
    CAREFUL = "careful"
    NORMAL = "normal"
    TRUSTING = "trusting"

    def stricter_than(self, other: Mode) -> bool:
        order = tuple(Mode)
        return order.index(self) < order.index(other)


_PHRASES = Phrases(
    english={
        "paused": "I only talk; no tool runs.",
        "read-only": "I look things up and change nothing.",
        "careful": "I ask before every change and before anything leaves this computer.",
        "normal": "I do what can be undone, and ask about the rest.",
        "trusting": "what can be undone I also do unasked while text from others is in "
        "the conversation.",
    },
    chinese={
        "paused": "我只说话，不运行任何工具。",
        "read-only": "我只查看，不做任何更改。",
        "careful": "每次更改之前、每次有数据离开这台电脑之前，我都先问你。",
        "normal": "能撤销的我直接做，其余的先问你。",
        "trusting": "即使对话里有别人写的内容，能撤销的我也直接做。",
    },
)
_NAMES = Phrases(
    english={one.value: one.value for one in Mode},
    chinese={
        "paused": "暂停",
        "read-only": "只读",
        "careful": "谨慎",
        "normal": "正常",
        "trusting": "信任",
    },
)


_UNKNOWN = Phrases(
    {"none": "There is no such mode.", "hint": "The modes: {modes}."},
    {"none": "没有这个模式。", "hint": "可用的模式：{modes}。"},
)


def mode_words(mode: Mode, language: Language) -> str:
    """What holds in `mode`, one sentence that begins with its name."""
    between = "：" if language is Language.CHINESE else ": "
    name = mode_name(mode, language)
    return f"{name[0].upper()}{name[1:]}{between}{mode_meaning(mode, language)}"


def mode_meaning(mode: Mode, language: Language) -> str:
    """The same without its name."""
    return _PHRASES.say(mode.value, language)


def mode_label(mode: Mode, language: Language) -> str:
    """`mode` with what it is, for a narrow place."""
    name = mode_name(mode, language)
    return f"模式：{name}" if language is Language.CHINESE else f"Mode: {name}"


def mode_name(mode: Mode, language: Language) -> str:
    """What `mode` is called."""
    return _NAMES.say(mode.value, language)


def mode_named(text: str, language: Language) -> Mode:
    """The mode that a person means by `text`, in either language.

    Raises:
        UserInputInvalid: none; in `language`.
    """
    wanted = text.strip().casefold().replace("_", "-").replace(" ", "-")
    names = {mode_name(one, spoken): one for one in Mode for spoken in Language}
    found = {**names, "readonly": Mode.READ_ONLY}.get(wanted)
    if found is None:
        between = "、" if language is Language.CHINESE else ", "
        modes = between.join(mode_name(one, language) for one in Mode)
        raise UserInputInvalid(
            _UNKNOWN.say("none", language), hint=_UNKNOWN.say("hint", language, modes=modes)
        )
    return found
