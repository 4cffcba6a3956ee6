"""Fonts and colours of the whole application: style, palette, style sheet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from moltbot_desktop.ui.theme import Theme, load_style_sheet

if TYPE_CHECKING:
    from moltbot_desktop.ui.document_writer import TextStyle

_LATIN_FONTS = ("Inter", "Noto Sans", "Cantarell", "Ubuntu", "Roboto", "Open Sans", "DejaVu Sans")
"""For desktops that name no font of their own: fontconfig may then pick a Chinese one, whose
Latin letters are a fallback and have no bold."""
_GENERIC_FAMILIES = ("", "Sans", "Sans Serif", "sans-serif")
_CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei UI",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
)
_CODE_FONTS = (
    "JetBrains Mono",
    "Cascadia Mono",
    "SF Mono",
    "Menlo",
    "Consolas",
    "Noto Sans Mono",
    "DejaVu Sans Mono",
    "Liberation Mono",
)
"""By name: where a desktop has only "monospace", fontconfig may pick a Chinese font, whose Latin
letters are not all as wide as each other."""
_LEAST_POINT_SIZE = 10.0


def system_is_dark() -> bool:
    """Whether the system says that it is dark; unknown counts as light."""
    return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark


def application_font() -> QFont:
    """The system's font, with Chinese ones behind it, at a size that can be read."""
    installed = set(QFontDatabase.families())
    font = QFont(QGuiApplication.font())
    families = [font.family()]
    if font.family() in _GENERIC_FAMILIES:
        families = [name for name in _LATIN_FONTS if name in installed][:1] or families
    font.setFamilies(families + [name for name in _CHINESE_FONTS if name in installed])
    font.setPointSizeF(max(_LEAST_POINT_SIZE, font.pointSizeF()))
    return font


def text_style(theme: Theme, font: QFont) -> TextStyle:
    """How the conversation is written beside widgets in `font`."""
    # Late: the icon in the tray is dressed before there is anything to write.
    from moltbot_desktop.ui.document_writer import TextStyle  # noqa: PLC0415

    installed = set(QFontDatabase.families())
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    mono = (*(name for name in _CODE_FONTS if name in installed), fixed, *font.families()[1:])
    return TextStyle(theme, font.pointSizeF() + 0.5, mono)


def palette(theme: Theme) -> QPalette:
    """`theme` for what the style sheet does not reach: dialogs, selections, carets."""
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.ground,
        role.Base: theme.ground,
        role.AlternateBase: theme.hover,
        role.Button: theme.raised,
        role.ToolTipBase: theme.raised,
        role.WindowText: theme.text,
        role.Text: theme.text,
        role.ButtonText: theme.text,
        role.ToolTipText: theme.text,
        role.PlaceholderText: theme.muted,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Highlight: theme.selection,
        role.HighlightedText: theme.text,
        role.Mid: theme.line,
        role.Midlight: theme.line,
    }
    made = QPalette()
    for one, colour in colours.items():
        made.setColor(one, QColor(colour))
    return made


def dress(application: QApplication, theme: Theme, resources: Path) -> None:
    """Put `theme` on every window."""
    application.setPalette(palette(theme))
    application.setStyleSheet(load_style_sheet(resources, theme))
