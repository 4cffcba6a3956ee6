"""The way into the desktop program: the icon stands in the tray, then the rest is loaded.

arrive(["--hidden"])                      # from the command line, before anything is read
run_desktop_program(..., entrance=None)   # from `app.main`, which may have come from here
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from moltbot_desktop.app.paths import Paths, locate
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.qt.display import display_available
from moltbot_desktop.qt.unread_sources import leave_sources_unread
from moltbot_desktop.qt.wishes import WINDOW, Wish
from moltbot_desktop.storage.files import make_private_dir
from moltbot_desktop.ui.entrance import EXIT_OK, Entrance
from moltbot_desktop.ui.theme import ThemeChoice
from moltbot_desktop.ui.translations import LanguageChoice

if TYPE_CHECKING:
    from collections.abc import Callable

    from moltbot_desktop.app.logs import CrashNotes
    from moltbot_desktop.cli.parser import Arguments
    from moltbot_desktop.config.load import LoadedConfig
    from moltbot_desktop.core.clock import Clock

HIDDEN = "--hidden"
_LANGUAGES: dict[Language, LanguageChoice] = {Language.ENGLISH: "en", Language.CHINESE: "zh"}
THEMES: dict[str, ThemeChoice] = {"auto": "auto", "light": "light", "dark": "dark"}


def arrive(words: Sequence[str]) -> int | None:
    """Run the desktop program to its end where `words` ask for no more than that.

    Returns the exit status; None where the ordinary way has to be gone, which says why.
    """
    if not set(words) <= {HIDDEN} or not display_available(os.environ, sys.platform):
        return None
    leave_sources_unread()
    try:
        paths = locate(os.environ, Path.home())
        make_private_dir(paths.home)
    except (MoltbotError, RuntimeError):
        return None
    with closing(Entrance(paths.home, paths.resources, None if words else WINDOW)) as entrance:
        if (code := entrance.claim()) is not None:
            return code
        main = entrance.while_loading(_main)
        return EXIT_OK if main is None else main(words, entrance)


def _main() -> Callable[[Sequence[str], Entrance], int]:
    from moltbot_desktop.app.main import main  # noqa: PLC0415

    return main


def run_desktop_program(
    arguments: Arguments,
    paths: Paths,
    loaded: LoadedConfig,
    language: Language,
    clock: Clock,
    notes: CrashNotes,
    wish: Wish | None,
    entrance: Entrance | None,
) -> int:
    """From the settings on; `wish` is shown first, by an entrance of its own if there is none."""
    leave_sources_unread()
    with contextlib.ExitStack() as stack:
        if entrance is None:
            entrance = stack.enter_context(closing(Entrance(paths.home, paths.resources, wish)))
            if (code := entrance.claim()) is not None:
                return code

        chosen = loaded.config.ui.language
        spoken = language if chosen == "auto" else Language(chosen)
        entrance.speak(_LANGUAGES[spoken], THEMES[loaded.config.ui.theme])

        def load() -> Callable[..., int]:
            """Nothing is open yet: what is to be done before the start is done here."""
            from moltbot_desktop.app.backup_start import before_start  # noqa: PLC0415

            before_start(paths, clock, language)
            from moltbot_desktop.app.desktop import load_window, run_window  # noqa: PLC0415

            if entrance.wish is not None:
                load_window()
            return run_window

        run_window = entrance.while_loading(load)
        if run_window is None:
            return EXIT_OK
        return run_window(arguments, paths, loaded, language, clock, notes, entrance)
