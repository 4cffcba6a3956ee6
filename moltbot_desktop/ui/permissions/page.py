"""What you allowed, what was done, what left this computer: three lists of one place.

    PermissionsPlace(parts, desk)

Nothing can be allowed here: a yes is given to a card, when it is asked for, and nowhere else. The
seal is closed with a press, and opened after a question that only the person's own press answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.tool_words import tool_words
from moltbot_desktop.core.traffic import Passage
from moltbot_desktop.gateway.client import AssistantClient, AssistantStatus, ClientEvent
from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.sdk.permissions import (
    Deed,
    Grant,
    by_words,
    grant_words,
    outcome_words,
    part_words,
    term_words,
)
from moltbot_desktop.sdk.permits import PermitsDesk
from moltbot_desktop.sdk.rule_words import rule_words
from moltbot_desktop.sdk.traffic_words import errand_words, passage_words, seal_words, size_words
from moltbot_desktop.ui.kit.list_place import (
    Emptiness,
    ListPlace,
    Look,
    PlaceParts,
    buttons_of,
    column_of,
)
from moltbot_desktop.ui.kit.rows import Row
from moltbot_desktop.ui.kit.segments import Segments
from moltbot_desktop.ui.kit.texts import button, heading, note, plain
from moltbot_desktop.ui.seal_question import SealQuestion

ALLOWED, DONE, NETWORK = "allowed", "done", "network"
_MOST_DEEDS = 2_000
_WHEN = "%Y-%m-%d %H:%M"

Thing = Grant | Deed | Passage


class PermissionsPlace(ListPlace[Thing]):
    """The books of a `PermitsDesk`."""

    def __init__(self, parts: PlaceParts, desk: PermitsDesk) -> None:
        self._desk = desk
        self._client: AssistantClient | None = None
        super().__init__(parts, self.tr("Safety"), "permissions")
        self.seal = self.add_action(self.tr("Close the seal"), self._on_seal)
        self.seal.hide()
        self._sealed = False
        self.segments = Segments(
            (
                (ALLOWED, self.tr("You allowed")),
                (DONE, self.tr("What was done")),
                (NETWORK, self.tr("What left")),
            )
        )
        self.segments.chosen.connect(self._on_segment)
        self.add_above(self.segments)
        delete = QShortcut(QKeySequence("Delete"), self)
        delete.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        delete.activated.connect(self._on_delete)

    def set_client(self, client: AssistantClient) -> None:
        self._client = client
        client.request_status()

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        for event in events:
            if isinstance(event, AssistantStatus):
                self._sealed = event.sealed
                words = self.tr("Open the seal") if event.sealed else self.tr("Close the seal")
                self.seal.setText(words)
                self.seal.setAccessibleName(words)

    def entered(self, what: str = "") -> None:
        if what in self.segments.buttons:
            self.segments.choose(what)
            what = ""
        super().entered(what)

    # ------------------------------------------------------------------ the lists

    def look(self, searched: str) -> Look[Thing]:
        things, told = self._asked()
        rows = [self._row(len(things) - at, one) for at, one in enumerate(things)]
        wanted = searched.casefold()
        kept = [
            (row, one)
            for row, one in zip(rows, things, strict=True)
            if wanted in f"{row.title} {row.detail} {row.badge}".casefold()
        ]
        return Look(tuple(row for row, _ in kept), tuple(one for _, one in kept), told, live=True)

    def _asked(self) -> tuple[Sequence[Thing], str]:
        language = self.parts.language
        part = self.segments.current
        if part == DONE:
            return self._desk.deeds(_MOST_DEEDS), self.tr("The newest first.")
        if part == NETWORK:
            network = self._desk.network()
            told = seal_words(closed=network.closed, sent=network.sent_today, language=language)
            return network.passages, told
        grants = [*reversed(self._desk.grants())]
        told = self.tr("What I do without asking, because you said so.") if grants else ""
        return grants, told

    def emptiness(self, searched: str) -> Emptiness:
        if searched:
            return Emptiness(self.tr("Nothing found."), self.tr("Try another word."))
        if self.segments.current == DONE:
            return Emptiness(
                self.tr("Nothing was done yet."),
                self.tr("What I change, run or send stands here, with who allowed it."),
            )
        if self.segments.current == NETWORK:
            return Emptiness(
                self.tr("Nothing has left this computer."),
                self.tr("Each address I speak to stands here, with how many bytes went there."),
            )
        return Emptiness(
            self.tr("I ask each time."),
            self.tr(
                "Before I do something that cannot be undone, I show a card. There you can allow it"
                " once, for an hour or always; what holds longer stands here."
            ),
        )

    def _row(self, number: int, thing: Thing) -> Row:
        language = self.parts.language
        if isinstance(thing, Grant):
            words = part_words(thing.part, language)
            used = self._used_words(thing.uses)
            return Row(thing.id, words, used, term_words(thing.term, language))
        if isinstance(thing, Passage):
            sent = self.tr("{size} sent").replace("{size}", size_words(thing.sent))
            id = f"{thing.day} {thing.host} {thing.errand}"
            return Row(
                id, thing.host, f"{thing.day} · {errand_words(thing.errand, language)}", sent
            )
        badge, tone = outcome_words(thing.outcome, language), Tone.PLAIN
        if thing.outcome in ("failed", "denied"):
            tone = Tone.BAD
        return Row(
            f"{thing.mark} {thing.at.timestamp()} {number}",
            _title(thing, language),
            thing.what,
            badge,
            tone,
        )

    def _used_words(self, uses: int) -> str:
        if not uses:
            return self.tr("not used yet")
        if uses == 1:
            return self.tr("used once")
        return self.tr("used {count} times").replace("{count}", str(uses))

    # ------------------------------------------------------------------ details

    def details(self, thing: Thing) -> QWidget:
        if isinstance(thing, Grant):
            return self._grant(thing)
        if isinstance(thing, Passage):
            return column_of(
                (heading(thing.host), plain(passage_words(thing, self.parts.language)))
            )
        return self._deed(thing)

    def _grant(self, grant: Grant) -> QWidget:
        language = self.parts.language
        lines = [self.tr("Given: {when}").replace("{when}", _local(grant.given))]
        if grant.until is not None:
            lines.append(self.tr("Until: {when}").replace("{when}", _local(grant.until)))
        if grant.last_used is not None:
            lines.append(self.tr("Last used: {when}").replace("{when}", _local(grant.last_used)))
        if grant.agent not in ("*", "main"):
            lines.append(self.tr("For the agent {name}").replace("{name}", grant.agent))
        if grant.note:
            lines.append(grant.note)
        back = button(self.tr("Take it back"), "danger")
        back.clicked.connect(lambda: self._take_back(grant))
        parts = [heading(part_words(grant.part, language)), plain(grant_words(grant, language))]
        return column_of((*parts, *map(note, lines), buttons_of((back,))))

    def _deed(self, deed: Deed) -> QWidget:
        language = self.parts.language
        by = by_words(deed.decision, deed.rule, deed.by, language)
        came = outcome_words(deed.outcome, language)
        lines = (
            self.tr("When: {when}").replace("{when}", _local(deed.at)),
            self.tr("Who decided: {who}").replace("{who}", by),
            self.tr("What came of it: {outcome}").replace("{outcome}", came),
            self.tr("Rule: {rule}").replace("{rule}", rule_words(deed.rule, language)),
        )
        return column_of((heading(_title(deed, language)), plain(deed.what), *map(note, lines)))

    # ------------------------------------------------------------------ acts

    @Slot()
    def _on_delete(self) -> None:
        thing = self.thing(self.rows.current)
        if isinstance(thing, Grant) and self.rows.hasFocus():
            self._take_back(thing)

    def _take_back(self, grant: Grant) -> None:
        words = self.tr("I ask again: {what}")
        told = words.replace("{what}", part_words(grant.part, self.parts.language))
        self.act(lambda: self._desk.take_back(grant.id), lambda _: self.done.tell(told))

    @Slot(str)
    def _on_segment(self, part: str) -> None:
        self.seal.setVisible(part == NETWORK)
        self.search.clear()
        self.refresh()

    @Slot()
    def _on_seal(self) -> None:
        if not self._sealed:
            self._move_seal(closed=True)
            return
        question = SealQuestion(self.parts.clock, self.parts.is_real, self.window())
        question.agreed.connect(lambda: self._move_seal(closed=False))
        question.show()

    def _move_seal(self, *, closed: bool) -> None:
        if self._client is None:
            self.done.complain(self.tr("The assistant is not ready yet. Try again in a moment."))
            return
        self._client.move_seal(closed=closed)
        self.refresh()


def _title(deed: Deed, language: Language) -> str:
    """What was done, or was meant."""
    words = tool_words(deed.tool, language)
    return words.done if deed.outcome == "ok" else words.meant


def _local(moment: datetime) -> str:
    return f"{moment.astimezone():{_WHEN}}"
