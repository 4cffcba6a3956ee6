"""One piece of work in a thread of its own, while the main thread's loop goes on.

main = loaded(import_it, parent)       # when `import_it` has returned; menus answer meanwhile
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QEventLoop, QObject, Qt, QThread

T = TypeVar("T")


class _Loading(QThread, Generic[T]):
    result: T

    def __init__(self, load: Callable[[], T], parent: QObject) -> None:
        super().__init__(parent)
        self._load = load
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            self.result = self._load()
        except Exception as error:  # noqa: BLE001  # raised again where it is waited for
            self.failure = error


def loaded(load: Callable[[], T], parent: QObject) -> T:
    """What `load` gives. Called on the main thread, which handles events until then.

    Raises:
        Exception: whatever `load` raises.
    """
    loop = QEventLoop()
    loading = _Loading(load, parent)
    loading.finished.connect(loop.quit, Qt.ConnectionType.QueuedConnection)
    loading.start()
    loop.exec()
    loading.wait()
    loading.deleteLater()
    if loading.failure is not None:
        raise loading.failure
    return loading.result
