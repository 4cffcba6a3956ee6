"""What the doctor found, the worst first; a press mends what can be mended.

DoctorPlace(parts, desk)
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from moltbot_desktop.sdk.audit import Finding, Repair, Severity
from moltbot_desktop.sdk.audit_words import repair_words, words_of
from moltbot_desktop.sdk.doctor import DoctorDesk
from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.ui.kit.list_place import (
    Emptiness,
    ListPlace,
    Look,
    PlaceParts,
    buttons_of,
    column_of,
)
from moltbot_desktop.ui.kit.measures import HAIR
from moltbot_desktop.ui.kit.rows import Row
from moltbot_desktop.ui.kit.texts import button, heading, note, plain


class DoctorPlace(ListPlace[Finding]):
    """Findings of a desk."""

    def __init__(self, parts: PlaceParts, desk: DoctorDesk) -> None:
        self._desk = desk
        super().__init__(parts, self.tr("Doctor"), "doctor", searches=False)
        self.add_action(self.tr("Look again"), self.refresh)

    def look(self, searched: str) -> Look[Finding]:
        found = tuple(self._desk.examine())
        serious = sum(one.severity is not Severity.INFO for one in found)
        told = self._summary(serious) if found else ""
        return Look(tuple(map(self._row, found)), found, told, serious)

    def emptiness(self, searched: str) -> Emptiness:
        return Emptiness(
            self.tr("All is well."),
            self.tr(
                "I looked at your files, settings, channels, keys, permissions, plugins and skills"
                " and found nothing that is unsafe."
            ),
            self.tr("Look again"),
        )

    def begin(self) -> None:
        self.refresh()

    def details(self, thing: Finding) -> QWidget:
        words = words_of(thing, self.parts.language)
        shown: list[QWidget] = [heading(words.found), plain(words.why)]
        if words.do:
            shown += [_apart(), heading(self.tr("What to do")), plain(words.do)]
        if thing.repair is not None:
            shown += self._mending(thing.repair)
        return column_of(shown)

    def _mending(self, repair: Repair) -> Sequence[QWidget]:
        told = repair_words(repair)
        mend = button(self.tr("Mend it"), "primary")
        mend.clicked.connect(lambda: self._mend(repair))
        would = self.tr("This is done: {what}").replace("{what}", told)
        return (note(would), buttons_of((mend,)))

    def _mend(self, repair: Repair) -> None:
        done = self.tr("Done: {what}").replace("{what}", repair_words(repair))
        self.act(lambda: self._desk.mend(repair), lambda _: self.done.tell(done))

    def _summary(self, serious: int) -> str:
        if not serious:
            return self.tr("Nothing needs you; the notes below are worth knowing.")
        return self.tr("Needs you: {count}").replace("{count}", str(serious))

    def _row(self, finding: Finding) -> Row:
        badges = {
            Severity.CRITICAL: self.tr("serious"),
            Severity.WARNING: self.tr("warning"),
            Severity.INFO: self.tr("note"),
        }
        bad = finding.severity is Severity.CRITICAL
        words = words_of(finding, self.parts.language)
        tone = Tone.BAD if bad else Tone.PLAIN
        return Row(_id(finding), words.found, words.why, badges[finding.severity], tone)


def _apart() -> QWidget:
    """Room above a heading."""
    made = QWidget()
    made.setFixedHeight(HAIR)
    return made


def _id(finding: Finding) -> str:
    """The same for the same finding of another look."""
    facts = ",".join(f"{name}={value}" for name, value in sorted(finding.facts.items()))
    return f"{finding.id}:{facts}"
