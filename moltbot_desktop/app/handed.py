"""Where files go that are handed over with a message.

files = handed_files(made, book.workspace)         # for whoever takes messages in
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from moltbot_desktop.app.made import Made, new_id
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.handed_files import HandedFiles


def handed_files(made: Made, workspace: Callable[[SessionKey], Path]) -> HandedFiles:
    """Keeps what comes with a message in `workspace`, as large as the settings let a file be."""
    return HandedFiles(
        workspace,
        lambda: int(made.live.config.agent.media_max_mb * 1_000_000),
        *(new_id, made.in_thread, made.clock),
    )
