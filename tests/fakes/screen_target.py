"""A program to be worked in; prints what was done to it, one line each."""

from __future__ import annotations

import sys

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QInputDialog,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    application = QApplication([])
    window = QMainWindow()
    window.setWindowTitle("Target")
    middle = QWidget()
    column = QVBoxLayout(middle)
    save, rename, ask = QPushButton("Save"), QPushButton("Rename"), QPushButton("Ask")
    field, secret, check = QLineEdit(), QLineEdit("hunter2"), QCheckBox("Agree")
    field.setAccessibleName("Name")
    secret.setAccessibleName("Password")
    secret.setEchoMode(QLineEdit.EchoMode.Password)
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setAccessibleName("Level")
    grey = QPushButton("Grey")
    grey.setEnabled(False)
    for one in (save, rename, ask, field, secret, check, slider, grey):
        column.addWidget(one)
    window.setCentralWidget(middle)
    leave = QAction("Leave", window)
    leave.triggered.connect(lambda: say("menu Leave"))
    window.menuBar().addMenu("Things").addAction(leave)
    save.clicked.connect(lambda: say("clicked Save"))
    rename.clicked.connect(lambda: save.setText("Delete"))
    check.toggled.connect(lambda on: say(f"agree {on}"))
    field.returnPressed.connect(lambda: say(f"name {field.text()}"))
    slider.valueChanged.connect(lambda value: say(f"level {value}"))

    def asked() -> None:
        text, ok = QInputDialog.getText(window, "Question", "Your town")
        say(f"town {text} {ok}")

    ask.clicked.connect(asked)
    window.resize(400, 420)
    window.move(QPoint(600, 300))
    window.show()
    say("ready")
    application.exec()


if __name__ == "__main__":
    main()
