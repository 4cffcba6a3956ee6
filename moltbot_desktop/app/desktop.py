"""The assistant with tray and window: gives the desktop its parts and runs it."""

from __future__ import annotations

import asyncio
import os
import traceback

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.logs import CrashNotes
from moltbot_desktop.app.model_setup import read_model_setup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.settings_desk import FileSettingsDesk
from moltbot_desktop.app.settings_pages import SettingsPages
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.qt.agent_thread import Ready
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.ui.application import DesktopParts, run_desktop
from moltbot_desktop.ui.clipboard import WindowClipboard
from moltbot_desktop.ui.control import ScreenFace
from moltbot_desktop.ui.theme import ThemeChoice
from moltbot_desktop.ui.translations import LanguageChoice


def run_window(
    arguments: Arguments,
    paths: Paths,
    loaded: LoadedConfig,
    language: Language,
    clock: Clock,
    notes: CrashNotes,
) -> int:
    """Run the desktop program to its end; returns the exit code."""

    plugins = PluginsNow(language)
    face = ScreenFace(Injections(clock))
    clipboard = WindowClipboard()

    async def assistant(ready: Ready, stopping: asyncio.Event) -> None:
        options = AssistantOptions(
            language=language,
            model=arguments.model,
            stays=True,
            face=face,
            plugins_now=plugins,
            clipboard=clipboard,
        )
        async with open_assistant(paths, loaded, clock, options) as client:
            ready(client)
            await stopping.wait()

    def report(error: BaseException) -> None:
        notes.write("".join(traceback.format_exception(error)))

    return run_desktop(
        DesktopParts(
            assistant=assistant,
            home=paths.home,
            resources=paths.resources,
            clock=clock,
            face=face,
            clipboard=clipboard,
            report=report,
            language=_window_language(loaded, language),
            theme=_THEMES[loaded.config.ui.theme],
            start_hidden=arguments.start_hidden,
            settings=FileSettingsDesk(
                SettingsPages(paths, os.environ, language, clock, plugins),
                SecretStore(paths.home / SECRET_NAMES_FILE),
                plugins,
            ),
            show_settings=arguments.command == "settings",
            notifications=loaded.config.reminders.notifications,
            offline=read_model_setup(paths, loaded, language).stays_here(arguments.model),
        )
    )


def _window_language(loaded: LoadedConfig, language: Language) -> LanguageChoice:
    chosen = loaded.config.ui.language
    return _LANGUAGES[language if chosen == "auto" else Language(chosen)]


_LANGUAGES: dict[Language, LanguageChoice] = {Language.ENGLISH: "en", Language.CHINESE: "zh"}
_THEMES: dict[str, ThemeChoice] = {"auto": "auto", "light": "light", "dark": "dark"}
