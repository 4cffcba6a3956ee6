"""Files in the chat: how they come into the message that is written, and what becomes of those that
do not; opening those that were sent.

    files = ChatFiles(page, composer, transcript, banner, FileParts(worker, desk), can_take)
    files.action                      # "Add files…", for the menu
    files.look_in(session)            # whose files the conversation shows
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QImage, QKeySequence
from PySide6.QtWidgets import QWidget

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.sdk.attachments import AttachedDesk, AttachedFile
from moltbot_desktop.ui.attachments.dropping import Drops
from moltbot_desktop.ui.attachments.opening import FileQuestion
from moltbot_desktop.ui.attachments.reading import LeftOut
from moltbot_desktop.ui.attachments.words import can_be_named, left_out_words
from moltbot_desktop.ui.banner import Banner
from moltbot_desktop.ui.composer import Composer, named
from moltbot_desktop.ui.transcript_view import TranscriptView


@dataclass(frozen=True)
class FileParts:
    """`desk` has the files that were sent; None where nobody keeps any."""

    worker: Worker
    desk: AttachedDesk | None


class ChatFiles(QObject):
    """See the module."""

    def __init__(
        self,
        page: QWidget,
        composer: Composer,
        transcript: TranscriptView,
        banner: Banner,
        parts: FileParts,
        can_take: Callable[[], bool],
    ) -> None:
        """`can_take`: whether something can be said in what is shown."""
        super().__init__(page)
        self._page, self._composer, self._transcript = page, composer, transcript
        self._banner, self._parts = banner, parts
        self._session = SessionKey("")
        self.drops = Drops(page, can_take)
        self.action = QAction(self)
        self.action.setShortcut(QKeySequence("Ctrl+Shift+A"))
        self.action.triggered.connect(composer.choose_files)
        self.drops.paths_given.connect(self._on_paths)
        self.drops.picture_given.connect(self._on_picture)
        transcript.file_requested.connect(self._on_requested)
        if composer.given is not None:
            composer.given.left_out.connect(self._on_left_out)

    def look_in(self, session: SessionKey) -> None:
        """That conversation is shown from now on."""
        self._session = session
        if self._transcript.pictures is not None:
            self._transcript.pictures.look_in(session)

    def retranslate(self) -> None:
        self.action.setText(self.tr("Add files…"))
        self.drops.retranslate()

    @Slot(tuple)
    def _on_paths(self, paths: tuple[Path, ...]) -> None:
        if self._composer.given is not None:
            self._composer.given.add_paths(paths)
            self._composer.edit.setFocus()

    @Slot(QImage)
    def _on_picture(self, picture: QImage) -> None:
        if self._composer.given is not None:
            self._composer.given.add_picture(picture)
            self._composer.edit.setFocus()

    @Slot(tuple)
    def _on_left_out(self, left_out: tuple[LeftOut, ...]) -> None:
        """Say why; what can be looked at where it lies is named in the message instead."""
        hint = ""
        if paths := can_be_named(left_out):
            text = self._composer.text
            blank = " " if text and not text[-1].isspace() else ""
            self._composer.edit.insert_words(blank + named(paths))
            hint = self.tr("I wrote down where it lies, so that I can look there.")
        self._banner.tell(left_out_words(left_out), hint, serious=False)

    @Slot(object)
    def _on_requested(self, file: AttachedFile) -> None:
        if (desk := self._parts.desk) is None:
            return
        where = partial(desk.where, self._session, file)
        self._parts.worker.submit(where, partial(self._ask, file))

    def _ask(self, file: AttachedFile, path: Path | None) -> None:
        if path is not None:
            FileQuestion(path, self._page).open()
            return
        gone = self.tr("{file} is no longer there.").replace("{file}", file.name)
        hint = self.tr("Files of messages are kept for thirty days.")
        self._banner.tell(gone, hint, serious=False)
