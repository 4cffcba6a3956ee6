"""`moltbot-desktop agents init`: what was put into the workspace."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TextIO

from moltbot_desktop.core.i18n import Language, Phrases

_PHRASES = Phrases(
    {
        "made": "Put into {folder}: {names}\n",
        "edit": "They say nothing yet; edit what you like. New conversations read them.\n",
        "kept": "Left as they are: {names}\n",
    },
    {
        "made": "已放进 {folder}：{names}\n",
        "edit": "里面还没有内容；想改什么就改什么，新的对话会读它们。\n",
        "kept": "保持原样：{names}\n",
    },
)


@dataclass(frozen=True)
class Seeded:
    """Names of files in `folder`: new ones, and those that were there."""

    folder: str
    made: tuple[str, ...]
    kept: tuple[str, ...]


def told_seeded(seeded: Seeded, as_json: bool, language: Language, out: TextIO) -> int:
    """Print what was done."""
    if as_json:
        out.write(json.dumps(asdict(seeded), ensure_ascii=False) + "\n")
        return 0
    if seeded.made:
        names = ", ".join(seeded.made)
        out.write(_PHRASES.say("made", language, folder=seeded.folder, names=names))
        out.write(_PHRASES.say("edit", language))
    if seeded.kept:
        out.write(_PHRASES.say("kept", language, names=", ".join(seeded.kept)))
    return 0
