"""How each kind of entry looks inside its frame.

An entry is one QTextFrame of the document, so that it can be redrawn or removed without knowing
where its neighbours are. `EntryDrawing` is the entry on the screen; `Drawer` writes into it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from unicodedata import east_asian_width

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF, QTextCursor, QTextFrame, QTextFrameFormat

from moltbot_desktop.core.tool_words import argument_word
from moltbot_desktop.gateway.client import ShownMemory
from moltbot_desktop.ui.answer_drawing import AnswerDrawing
from moltbot_desktop.ui.attachments.shown import ShownPictures, write_files
from moltbot_desktop.ui.blocks import cut_blocks
from moltbot_desktop.ui.conversations.figures import figures_of
from moltbot_desktop.ui.document_writer import (
    SURFACE_PROPERTY,
    CodeKeeper,
    DocumentWriter,
    Spacing,
    TextStyle,
    block_format,
)
from moltbot_desktop.ui.entries import (
    AnswerEntry,
    AnswerState,
    Entry,
    EntryId,
    NoticeEntry,
    ToolEntry,
    ToolState,
    UserEntry,
    Versions,
)
from moltbot_desktop.ui.markup import MarkdownReader
from moltbot_desktop.ui.memory_line import places
from moltbot_desktop.ui.shell_words import link_words, places_named
from moltbot_desktop.ui.words import tool_state_words, tool_title, window_language, words

MAX_SHOWN_CHARACTERS = 12_000
"""Of what is no answer: a person's message, a tool's result (see `MAX_BLOCK_CHARACTERS`)."""
_BUBBLE_PADDING = 11
_NEW_LINE = "\u2028"
"""A line's end that begins no new paragraph, which would stand apart."""
_ABOUT_COLUMNS = 64
_VERSIONS_SCALE = 0.9
_NEWS_COLUMNS = 88
_SHOWN_SECONDS = 0.05
"""What took less was done at once; "0.00 s" tells nobody anything."""


@dataclass
class EntryDrawing:
    """An entry on the screen.

    Attributes:
        text_width: widest line of a person's message in pixels; its bubble is fitted to it.
        answer: while it streams.
        expanded: its fold (thoughts, a tool's details) is open.
        memories: the words of the memories it was made with, while they are unfolded.
        asked: a person unfolded them, and the words are on their way.
    """

    id: EntryId
    entry: Entry
    frame: QTextFrame
    text_width: float = 0.0
    answer: AnswerDrawing | None = None
    expanded: bool = False
    memories: tuple[ShownMemory, ...] = ()
    asked: bool = False
    code_ids: list[int] = field(default_factory=list)


def frame_format(entry: Entry) -> QTextFrameFormat:
    """Margins and surface of an entry's frame."""
    made = QTextFrameFormat()
    made.setBorder(0)
    made.setBottomMargin(6)
    made.setTopMargin(6)
    match entry:
        case UserEntry():
            made.setPadding(_BUBBLE_PADDING)
            made.setProperty(SURFACE_PROPERTY, "user")
            made.setTopMargin(14)
        case ToolEntry():
            made.setPadding(8)
            made.setTopMargin(3)
            made.setBottomMargin(3)
            made.setProperty(SURFACE_PROPERTY, "tool")
        case NoticeEntry():
            made.setPadding(0 if entry.quiet else 10)
            made.setProperty(SURFACE_PROPERTY, _notice_surface(entry))
        case AnswerEntry():
            made.setProperty(SURFACE_PROPERTY, "")
    return made


def _notice_surface(entry: NoticeEntry) -> str:
    if entry.quiet:
        return ""
    if entry.reminder:
        return "reminder"
    return "serious" if entry.serious else "notice"


class Drawer:
    """Draws entries in one style. `slices` lets the caller do other things between blocks."""

    def __init__(
        self,
        style: TextStyle,
        reader: MarkdownReader,
        keeper: CodeKeeper,
        pictures: ShownPictures | None = None,
    ) -> None:
        """`pictures` has those that came with messages; without it they are named only."""
        self.style = style
        self._pictures = pictures
        self._reader = reader
        self._keeper = keeper

    def slices(self, drawing: EntryDrawing) -> Iterator[None]:
        """Draw `drawing.entry` into its empty frame; yields after each block of an answer."""
        cursor = drawing.frame.firstCursorPosition()
        match drawing.entry:
            case UserEntry():
                self._user(drawing, drawing.entry, cursor)
            case ToolEntry():
                self._tool(drawing, drawing.entry, cursor)
            case NoticeEntry():
                self._notice(drawing, drawing.entry, cursor)
            case AnswerEntry():
                yield from self._answer(drawing, drawing.entry, cursor)
        yield

    def end_answer(self, drawing: EntryDrawing) -> None:
        """The streamed answer is all there: commit its open block and write its foot."""
        answer, drawing.answer = drawing.answer, None
        if answer is not None and isinstance(drawing.entry, AnswerEntry):
            self._answer_foot(drawing, drawing.entry, answer.finish())

    def bubble_margin(self, text_width: float, column: float) -> float:
        """Left margin that makes a person's message as wide as its text, at the right edge."""
        wanted = text_width + 2 * _BUBBLE_PADDING + 4
        return max(column * 0.14, column - wanted)

    def _user(self, drawing: EntryDrawing, entry: UserEntry, cursor: QTextCursor) -> None:
        theme = self.style.theme
        look = self.style.look(colour=theme.on_bubble)
        writer = DocumentWriter(cursor, self.style)
        shown, note = _shortened(entry.text)
        metrics = QFontMetricsF(look.font())
        drawing.text_width = max(map(metrics.horizontalAdvance, shown[:4000].split("\n")))
        if shown:
            writer.begin_block(block_format(Spacing(bottom=0)), look)
            writer.text(shown, look)
        files_width = write_files(writer, entry, drawing.id, self._pictures)
        drawing.text_width = max(drawing.text_width, files_width)
        state = words().waiting if entry.waiting else ""
        state = words().unanswered if entry.unanswered else state
        for line in filter(None, (note, state)):
            small = self.style.look(colour=theme.muted, scale=0.85)
            writer.begin_block(block_format(Spacing(top=4, bottom=0)), small)
            writer.text(line, small)
            drawing.text_width = max(drawing.text_width, metrics.horizontalAdvance(line))
        if entry.versions is not None:
            small = self.style.look(colour=theme.muted, scale=_VERSIONS_SCALE)
            right = block_format(Spacing(top=4, bottom=0))
            right.setAlignment(Qt.AlignmentFlag.AlignRight)
            writer.begin_block(right, small)
            line = self._versions(drawing.id, entry.versions, writer)
            drawing.text_width = max(drawing.text_width, metrics.horizontalAdvance(line))

    def _versions(self, entry_id: EntryId, versions: Versions, writer: DocumentWriter) -> str:
        """Write “‹ 2/3 ›”, a sign being a link where there is one more that way; what it says."""
        muted = self.style.look(colour=self.style.theme.muted, scale=_VERSIONS_SCALE)
        middle = f"{versions.number}/{versions.count}"
        for sign, way, there in (
            ("‹", "back", versions.back),
            (middle, "", ""),
            ("›", "on", versions.on),
        ):
            link = self.style.link_look(
                f"moltbot:version/{entry_id}/{way}", scale=_VERSIONS_SCALE, quiet=True
            )
            link.setForeground(QColor(self.style.theme.accent))
            writer.text(f"\u00a0{sign}\u00a0", link if there else muted)
        return f" ‹  {middle}  › "

    def _answer(
        self, drawing: EntryDrawing, entry: AnswerEntry, cursor: QTextCursor
    ) -> Iterator[None]:
        if entry.plain:
            self._plain_answer(drawing, entry, cursor)
            return
        fresh = not entry.thinking
        if entry.thinking:
            self._thoughts(drawing, entry, cursor)
        answer = AnswerDrawing(
            drawing.frame, cursor, self.style, self._reader, self._keeper, fresh=fresh
        )
        if entry.state is AnswerState.STREAMING:
            drawing.answer = answer
            answer.add(entry.text)
            return
        drawing.answer = None
        for block in cut_blocks(entry.text):
            answer.commit_block(block)
            yield
        self._answer_foot(drawing, entry, answer.finish())

    def _plain_answer(self, drawing: EntryDrawing, entry: AnswerEntry, cursor: QTextCursor) -> None:
        """What a command says: its lines as they are."""
        writer, look = DocumentWriter(cursor, self.style), self.style.look()
        writer.begin_block(block_format(Spacing(bottom=8)), look)
        writer.text(_shortened(entry.text)[0].replace("\n", _NEW_LINE), look)
        self._places(entry.text, writer)
        self._answer_foot(drawing, entry, writer)

    def _thoughts(self, drawing: EntryDrawing, entry: AnswerEntry, cursor: QTextCursor) -> None:
        thinks = entry.state is AnswerState.STREAMING and not entry.text
        self._fold_line(drawing, cursor, words().thinking if thinks else words().thought)
        if drawing.expanded:
            look = self.style.look(colour=self.style.theme.muted, scale=0.92)
            writer = DocumentWriter(cursor, self.style, fresh=False)
            writer.begin_block(block_format(Spacing(bottom=8, left=16)), look)
            writer.text(entry.thinking[:MAX_SHOWN_CHARACTERS].strip(), look)

    def _fold_line(self, drawing: EntryDrawing, cursor: QTextCursor, title: str) -> None:
        writer = DocumentWriter(cursor, self.style)
        link = self.style.link_look(f"moltbot:fold/{drawing.id}", scale=0.9, quiet=True)
        writer.begin_block(block_format(Spacing(bottom=6)), link)
        writer.text(f"{'▾' if drawing.expanded else '▸'} {title}", link)

    def _answer_foot(
        self, drawing: EntryDrawing, entry: AnswerEntry, writer: DocumentWriter
    ) -> None:
        """How it ended, what of memory it was made with, and the copy link."""
        theme, said = self.style.theme, words()
        if entry.state in (AnswerState.STOPPED, AnswerState.CUT):
            stopped = entry.state is AnswerState.STOPPED
            self._small_line(writer, f"◼ {said.stopped if stopped else said.cut}", theme.warn)
        if entry.memories:
            self._memories(drawing, entry, writer)
        if not entry.text.strip():
            return
        small = self.style.look(colour=theme.muted, scale=0.82)
        writer.begin_block(block_format(Spacing(bottom=2)), small)
        if entry.versions is not None:
            self._versions(drawing.id, entry.versions, writer)
            writer.text("   ", small)
        copy = self.style.link_look(f"moltbot:copy/{drawing.id}", scale=0.82, quiet=True)
        writer.text(said.copy_answer, copy)
        if took := figures_of(entry.tokens, entry.seconds, entry.model):
            writer.text(f"   ·   {took}", small)
        elif entry.seconds >= _SHOWN_SECONDS:
            writer.text(f"   ·   {_seconds(entry.seconds)}", small)

    def _memories(self, drawing: EntryDrawing, entry: AnswerEntry, writer: DocumentWriter) -> None:
        said, scale = words(), 0.86
        link = self.style.link_look(f"moltbot:memory/{drawing.id}", scale=scale, quiet=True)
        writer.begin_block(block_format(Spacing(bottom=4)), link)
        line = said.from_memory.replace("{places}", places(entry.memories))
        writer.text(f"{'▾' if drawing.memories else '▸'} {line}", link)
        muted = self.style.look(colour=self.style.theme.muted, scale=scale)
        for shown in drawing.memories:
            writer.begin_block(block_format(Spacing(bottom=4, left=16)), muted)
            writer.text(f"{shown.path}:{shown.line}   ", muted)
            text = _shortened(shown.text)[0] or said.memory_gone
            writer.text(text, self.style.look(scale=scale) if shown.text else muted)

    def _small_line(self, writer: DocumentWriter, text: str, colour: str) -> None:
        look = self.style.look(colour=colour, scale=0.9)
        writer.begin_block(block_format(Spacing(bottom=6)), look)
        writer.text(text, look)

    def _tool(self, drawing: EntryDrawing, entry: ToolEntry, cursor: QTextCursor) -> None:
        writer = DocumentWriter(cursor, self.style)
        base = self.style.look(scale=0.92)
        writer.begin_block(block_format(Spacing(bottom=0, line=115)), base)
        sign, colour = _tool_sign(entry.state, self.style)
        writer.text(f"{sign}  ", self.style.look(colour=colour, scale=0.92, bold=True))
        title = tool_title(entry.tool, entry.state)
        fold = self.style.link_look(f"moltbot:fold/{drawing.id}", scale=0.92, quiet=True)
        fold.setForeground(base.foreground())
        writer.text(f"{title} {'▾' if drawing.expanded else '▸'}", fold)
        self._tool_line(entry, writer, colour)
        if drawing.expanded:
            self._tool_details(entry, writer)

    def _tool_line(self, entry: ToolEntry, writer: DocumentWriter, colour: str) -> None:
        """What it was about, how it ended, how long it took."""
        muted = self.style.look(colour=self.style.theme.muted, scale=0.92)
        if about := _about(entry):
            writer.text(f"   {about}", muted)
        if ended := tool_state_words(entry.state):
            writer.text(f"   {ended}", self.style.look(colour=colour, scale=0.92))
        worked = entry.state in (ToolState.OK, ToolState.FAILED)
        if worked and entry.seconds is not None and entry.seconds >= _SHOWN_SECONDS:
            writer.text(f"   {_seconds(entry.seconds)}", muted)

    def _tool_details(self, entry: ToolEntry, writer: DocumentWriter) -> None:
        muted = self.style.look(colour=self.style.theme.muted, scale=0.88)
        for name, value in entry.arguments.items():
            writer.begin_block(block_format(Spacing(top=4, bottom=0, left=20, line=115)), muted)
            writer.text(f"{argument_word(name, window_language())}: ", muted)
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            writer.text(_shortened(shown)[0], self.style.code_look(scale=0.86))
        if entry.display:
            look = self.style.look(scale=0.9)
            writer.begin_block(block_format(Spacing(top=6, bottom=0, left=20)), look)
            writer.text(_shortened(entry.display)[0], look)

    def _notice(self, drawing: EntryDrawing, entry: NoticeEntry, cursor: QTextCursor) -> None:
        theme = self.style.theme
        if entry.news_of:
            self._news(drawing, entry, cursor)
            return
        said = f"{entry.text}\n{entry.hint}"
        if entry.quiet:
            text = "  ".join(filter(None, (_shortened(entry.text)[0], entry.hint)))
            writer = DocumentWriter(cursor, self.style)
            self._small_line(writer, text, theme.muted)
            self._places(said, writer)
            return
        colour = theme.bad if entry.serious else theme.text
        writer = DocumentWriter(cursor, self.style)
        look = self.style.look(colour=colour, bold=entry.serious or entry.reminder)
        writer.begin_block(block_format(Spacing(bottom=0)), look)
        writer.text(f"{words().reminder}   " if entry.reminder else "", look)
        plain = self.style.look(colour=colour)
        writer.text(_shortened(entry.text)[0], plain)
        if entry.hint:
            hint = self.style.look(colour=theme.muted, scale=0.94)
            writer.begin_block(block_format(Spacing(top=3, bottom=0)), hint)
            writer.text(entry.hint, hint)
        self._places(said, writer)

    def _places(self, said: str, writer: DocumentWriter) -> None:
        """Links to where the window does what `said` names a command of the shell for."""
        for place in places_named(said):
            link = self.style.link_look(f"moltbot:place/{place}", scale=0.92)
            writer.begin_block(block_format(Spacing(top=3, bottom=3)), link)
            writer.text(link_words(place), link)

    def _news(self, drawing: EntryDrawing, entry: NoticeEntry, cursor: QTextCursor) -> None:
        """One line of it, so that many take little room; all of it when it is unfolded."""
        theme = self.style.theme
        colour = theme.bad if entry.serious else theme.text
        text = entry.text
        if entry.times > 1:
            text = f"{words().times.replace('{count}', str(entry.times))} {text}"
        line = _one_line(text, _NEWS_COLUMNS)
        writer = DocumentWriter(cursor, self.style)
        look = self.style.look(colour=colour, scale=0.95)
        writer.begin_block(block_format(Spacing(bottom=0)), look)
        writer.text(line if not drawing.expanded else _shortened(text)[0], look)
        if line != text:
            fold = self.style.link_look(f"moltbot:fold/{drawing.id}", scale=0.95, quiet=True)
            writer.text(f"   {'▾' if drawing.expanded else '▸'}", fold)


_INNER = frozenset({"action", "kind", "ref", "endRef", "targetId", "button", "marks", "level"})
"""What only the model and its tool understand."""


def _tool_sign(state: ToolState, style: TextStyle) -> tuple[str, str]:
    theme = style.theme
    match state:
        case ToolState.RUNNING:
            return "•", theme.accent
        case ToolState.OK:
            return "✓", theme.good
        case ToolState.FAILED:
            return "✗", theme.bad
        case ToolState.WAITING:
            return "?", theme.warn
        case ToolState.DENIED | ToolState.UNAVAILABLE | ToolState.NOT_RUN:
            return "–", theme.warn


def _about(entry: ToolEntry) -> str:
    """One short line: how far a slow one is, else its arguments, or the result of one that has
    none. The arguments of a tool that can do several things say what and where in words of its
    own: there the result is told, once there is one."""
    several = "action" in entry.arguments
    if entry.display and (several or entry.state is ToolState.RUNNING):
        return _one_line(entry.display, _ABOUT_COLUMNS)
    texts = [
        value
        for name, value in entry.arguments.items()
        if isinstance(value, str) and value and not (several and name in _INNER)
    ]
    about = " · ".join(texts) if texts else entry.display
    return _one_line(about, _ABOUT_COLUMNS)


def _one_line(text: str, columns: int) -> str:
    """`text` in one line of at most so many columns, of which a Chinese character takes two."""
    line = " ".join(text.split())
    widths = (2 if east_asian_width(one) in "WF" else 1 for one in line[: columns + 1])
    ends = tuple(accumulate(widths, initial=0))
    return line if ends[-1] <= columns else line[: bisect_right(ends, columns - 1) - 1] + "…"


def _seconds(seconds: float) -> str:
    digits = f"{seconds:.2f}" if seconds < 1 else f"{seconds:.1f}"
    return words().seconds.replace("{seconds}", digits)


def _shortened(text: str) -> tuple[str, str]:
    """What is shown of `text`, and a line about the rest."""
    if len(text) <= MAX_SHOWN_CHARACTERS:
        return text, ""
    left = len(text) - MAX_SHOWN_CHARACTERS
    return text[:MAX_SHOWN_CHARACTERS], words().shortened.replace("{count}", f"{left:,}")
