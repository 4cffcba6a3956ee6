"""`moltbot-desktop mode [NAME]`: how much the assistant may do by itself."""

from __future__ import annotations

import json
from typing import TextIO

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.modes import Mode, mode_words


def told_mode(mode: Mode, as_json: bool, language: Language, out: TextIO) -> int:
    """Print the mode that holds."""
    if as_json:
        out.write(json.dumps({"mode": mode.value}) + "\n")
    else:
        out.write(mode_words(mode, language) + "\n")
    return 0
