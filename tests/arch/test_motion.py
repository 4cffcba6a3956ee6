"""Nothing in the window moves by itself: who is made ill by motion need switch nothing off.

What the system's own style does (a caret that blinks, a bar that shows that something goes on)
obeys the system's settings. A class of Qt that moves, fades or slides things is refused here; who
needs one asks the system first whether motion is wanted, and names that place below.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "moltbot_desktop"
MOVING = frozenset(
    {
        "QAbstractAnimation",
        "QAnimationGroup",
        "QGraphicsBlurEffect",
        "QGraphicsOpacityEffect",
        "QMovie",
        "QParallelAnimationGroup",
        "QPauseAnimation",
        "QPropertyAnimation",
        "QScroller",
        "QSequentialAnimationGroup",
        "QTimeLine",
        "QVariantAnimation",
    }
)
CALLS = frozenset({"setAnimated", "setWindowOpacity"})
ASKED: frozenset[str] = frozenset()
"""Files that ask the system first."""


def moves(source: str) -> Iterator[str]:
    """What in a module moves things: names of classes and of calls, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6"):
            yield from (f"{node.lineno}: {one.name}" for one in node.names if one.name in MOVING)
        if isinstance(node, ast.Attribute) and node.attr in MOVING | CALLS:
            yield f"{node.lineno}: {node.attr}"


def test_no_widget_is_moved_by_itself() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{one}"
        for folder in ("ui", "qt")
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        if str(path.relative_to(PACKAGE)) not in ASKED
        for one in moves(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "from PySide6.QtCore import QPropertyAnimation",
        "from PySide6.QtGui import QIcon, QMovie",
        "import PySide6.QtCore as core\ncore.QTimeLine(3)",
        "tree.setAnimated(True)",
    ],
)
def test_each_way_to_move_is_known(source: str) -> None:
    assert list(moves(source))


def test_waiting_moves_nothing() -> None:
    assert list(moves("from PySide6.QtCore import QTimer\nQTimer(self).start()")) == []
