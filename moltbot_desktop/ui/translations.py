"""Chinese for windows: loads the compiled translations of resources/translations."""

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


def switch_translation(
    application: QCoreApplication, language: Language, resources: Path
) -> tuple[QTranslator, ...]:
    """Speak `language` from now on; windows hear of it by a `LanguageChange`."""
    for one in application.findChildren(QTranslator):
        application.removeTranslator(one)
        one.deleteLater()
    return install_translation(application, language, resources)


def install_translation(
    application: QCoreApplication, language: Language, resources: Path
) -> tuple[QTranslator, ...]:
    """Make `tr()` speak `language`; English is the source and needs none.

    Keep what is returned: the application does not own it.
    """
    if language is Language.ENGLISH:
        return ()
    files = sorted((resources / "translations").glob(f"*_{language.value}.qm"))
    loaded = [(QTranslator(application), file) for file in files]
    made = tuple(one for one, file in loaded if one.load(str(file)))
    for one in made:
        application.installTranslator(one)
    return made
