"""The two looks, light and dark: colours by meaning, and the style sheet filled in with them.

Warm neutral greys with one calm teal; text contrast is at least 7:1 on its ground, muted text at
least 4.5:1 (a test computes it). The style sheet in resources/styles names colours as `@name`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Literal

ThemeChoice = Literal["auto", "light", "dark"]

_NAME = re.compile(r"@([a-z_]+)")


class CodeKind(StrEnum):
    """What characters of code are; each has its colour."""

    KEYWORD = "keyword"
    STRING = "string"
    COMMENT = "comment"
    NUMBER = "number"
    NAME = "name"


@dataclass(frozen=True)
class Theme:
    """Colours as `#rrggbb`, named by what they mean.

    Attributes:
        ground: behind the conversation; `raised` for cards and the input on it.
        text, muted: ordinary and secondary text.
        accent: links, focus, the send button; `on_accent` for text on it.
        bubble, on_bubble: what the person said.
        code_*: colours of code on `code_ground`.
        line, edge: what parts areas; the border of a control, at least 3:1 on its ground.
        selection, chosen: behind marked text; behind a chosen row, secondary text is read on it.
    """

    dark: bool
    ground: str
    raised: str
    line: str
    edge: str
    text: str
    muted: str
    accent: str
    accent_strong: str
    on_accent: str
    bubble: str
    on_bubble: str
    hover: str
    code_ground: str
    code_keyword: str
    code_string: str
    code_comment: str
    code_number: str
    code_name: str
    good: str
    warn: str
    warn_ground: str
    bad: str
    bad_ground: str
    selection: str
    chosen: str

    def code_colour(self, kind: CodeKind) -> str:
        return {
            CodeKind.KEYWORD: self.code_keyword,
            CodeKind.STRING: self.code_string,
            CodeKind.COMMENT: self.code_comment,
            CodeKind.NUMBER: self.code_number,
            CodeKind.NAME: self.code_name,
        }[kind]


LIGHT = Theme(
    dark=False,
    ground="#fbfaf8",
    raised="#ffffff",
    line="#e4e0d9",
    edge="#8a857d",
    text="#24221f",
    muted="#6b665f",
    accent="#0f6e66",
    accent_strong="#0b5650",
    on_accent="#ffffff",
    bubble="#dff0ed",
    on_bubble="#123b37",
    hover="#f0ede8",
    code_ground="#f3f0eb",
    code_keyword="#8a3a8f",
    code_string="#2c6b2f",
    code_comment="#716b63",
    code_number="#a04a12",
    code_name="#1f5f9e",
    good="#236b33",
    warn="#8a5a00",
    warn_ground="#fdf3dc",
    bad="#b3261e",
    bad_ground="#fcebe9",
    selection="#b9ded9",
    chosen="#d6ece9",
)

DARK = Theme(
    dark=True,
    ground="#1b1c1e",
    raised="#252628",
    line="#393b3e",
    edge="#7f8287",
    text="#e9e7e3",
    muted="#a3a09a",
    accent="#5cc4b8",
    accent_strong="#7ad6cb",
    on_accent="#0d2724",
    bubble="#22443f",
    on_bubble="#e2f4f1",
    hover="#2f3134",
    code_ground="#242628",
    code_keyword="#d49ad8",
    code_string="#9bcf95",
    code_comment="#96928b",
    code_number="#e6a878",
    code_name="#8dbdf0",
    good="#7fcf8f",
    warn="#e8bc6a",
    warn_ground="#372f1f",
    bad="#ff9c92",
    bad_ground="#3d2624",
    selection="#2f5e58",
    chosen="#1f3d39",
)


def chosen_theme(choice: ThemeChoice, *, system_dark: bool) -> Theme:
    """The look for the person's `choice`; "auto" follows the system."""
    dark = system_dark if choice == "auto" else choice == "dark"
    return DARK if dark else LIGHT


def filled_style_sheet(template: str, theme: Theme) -> str:
    """`template` with each `@name` replaced by the theme's colour.

    Raises:
        KeyError: the template names a colour that no theme has.
    """
    colours = {one.name: str(getattr(theme, one.name)) for one in fields(theme)}
    return _NAME.sub(lambda match: colours[match[1]], template)


def load_style_sheet(resources: Path, theme: Theme) -> str:
    """The program's style sheet in the colours of `theme`; a sheet cannot colour a picture, so
    `@shade` says which of two it takes."""
    template = (resources / "styles" / "desktop.qss").read_text(encoding="utf-8")
    template = template.replace("@shade", "dark" if theme.dark else "light")
    return filled_style_sheet(template, theme).replace(
        "icons:", f"{(resources / 'icons').as_posix()}/"
    )
