"""The way into the desktop program: the icon stands in the tray, then the rest is loaded."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from moltbot_desktop.app.backup_start import before_start
from moltbot_desktop.app.logs import CrashNotes
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.qt.wishes import Wish
from moltbot_desktop.ui.entrance import EXIT_OK, Entrance, EntranceParts
from moltbot_desktop.ui.theme import ThemeChoice
from moltbot_desktop.ui.translations import LanguageChoice

_LANGUAGES: dict[Language, LanguageChoice] = {Language.ENGLISH: "en", Language.CHINESE: "zh"}
_THEMES: dict[str, ThemeChoice] = {"auto": "auto", "light": "light", "dark": "dark"}


def arrive(
    arguments: Arguments,
    paths: Paths,
    loaded: LoadedConfig,
    language: Language,
    clock: Clock,
    notes: CrashNotes,
    wish: Wish | None,
) -> int:
    """Run the desktop program to its end, `wish` shown first; returns the exit code."""
    chosen = loaded.config.ui.language
    parts = EntranceParts(
        paths.home,
        paths.resources,
        _LANGUAGES[language if chosen == "auto" else Language(chosen)],
        _THEMES[loaded.config.ui.theme],
    )
    entrance = Entrance(parts, wish)
    if (code := entrance.claim()) is not None:
        return code
    run_window = entrance.while_loading(partial(_loaded, paths, clock, language))
    if run_window is None:
        entrance.leave()
        return EXIT_OK
    return run_window(arguments, paths, loaded, language, clock, notes, entrance)


_RunWindow = Callable[[Arguments, Paths, LoadedConfig, Language, Clock, CrashNotes, Entrance], int]


def _loaded(paths: Paths, clock: Clock, language: Language) -> _RunWindow:
    """In a thread. What was to be done before the start is done here too: nothing is open yet."""
    before_start(paths, clock, language)
    from moltbot_desktop.app.desktop import run_window  # noqa: PLC0415

    return run_window
