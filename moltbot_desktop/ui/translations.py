"""Chinese for windows: loads the compiled translation of resources/translations."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from moltbot_desktop.core.i18n import Language

LanguageChoice = Literal["auto", "en", "zh"]


def chosen_language(choice: LanguageChoice, system: QLocale) -> Language:
    """The language of the windows; "auto" follows the system."""
    if choice == "auto":
        chinese = system.language() is QLocale.Language.Chinese
        return Language.CHINESE if chinese else Language.ENGLISH
    return Language(choice)


def install_translation(
    application: QCoreApplication, language: Language, resources: Path
) -> QTranslator | None:
    """Make `tr()` speak `language`; English is the source and needs none.

    Keep what is returned: the application does not own it.
    """
    if language is Language.ENGLISH:
        return None
    translator = QTranslator(application)
    name = f"moltbot_{language.value}.qm"
    if not translator.load(str(resources / "translations" / name)):
        return None
    application.installTranslator(translator)
    return translator
