"""What a scroll area shows is put in another's place without pulling it from under a press.

    put_into(area, widget)

`QScrollArea.setWidget` deletes what stood there at once. Where a button of it is what asked for the
change, Qt is still inside that button, and the process dies now and then.
"""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea, QWidget


def put_into(area: QScrollArea, widget: QWidget) -> None:
    """`widget` is shown in `area`; what stood there is deleted once its events are over."""
    before = area.takeWidget()
    area.setWidget(widget)
    if before is not None and before is not widget:
        before.hide()
        before.deleteLater()
