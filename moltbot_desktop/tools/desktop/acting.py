"""One call on the screen: every step looks first whether it still meets what it is meant for.

    with Acting.begun(control, hands, system, clock, context) as acting:
        seen = acting.look("calc")
        acting.face(seen)
        acting.press((3, 7), "left")

Before each step: the owner has not said stop; the window that was observed is in front; the control
is still what the number stood for; what lies under the pointer is not a window of this program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.desktop import ShownMark
from moltbot_desktop.sdk.tools import ToolContext
from moltbot_desktop.tools.desktop.asked import ScreenPoint, Target
from moltbot_desktop.tools.desktop.control import ScreenControl
from moltbot_desktop.tools.desktop.elements import Element, Mark, described, numbered, same
from moltbot_desktop.tools.desktop.hands import Hands
from moltbot_desktop.tools.desktop.pictures import screens
from moltbot_desktop.tools.desktop.system import OpenWindow, System, Windows
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble, changed, unclear

_FRONT_SECONDS = 2.0
_POLL_SECONDS = 0.05
_SETTLE_SECONDS = 0.4
_PASTE_SECONDS = 3.0
_AFTER_PASTE_SECONDS = 0.25
_CHARACTERS_AT_ONCE = 40
_TERMINAL = "terminal"


@dataclass(frozen=True)
class Seen:
    """A look at one window, in one conversation."""

    session: SessionKey
    window: OpenWindow
    elements: tuple[Element, ...]
    marks: tuple[Mark, ...]


class Acting:
    def __init__(
        self,
        control: ScreenControl,
        hands: Hands,
        system: System,
        clock: Clock,
        context: ToolContext,
        windows: Windows,
    ) -> None:
        self._control = control
        self._hands = hands
        self._system = system
        self._clock = clock
        self._context = context
        self._windows = windows
        self._screens = screens()
        self._known = frozenset(one.id for one in windows.listed())
        self._seen: Seen | None = None

    @classmethod
    @contextmanager
    def begun(
        cls,
        control: ScreenControl,
        hands: Hands,
        system: System,
        clock: Clock,
        context: ToolContext,
    ) -> Iterator[Self]:
        with system.windows() as windows:
            yield cls(control, hands, system, clock, context, windows)

    # ------------------------------------------------------------------ looking

    def look(self, name: str) -> Seen:
        """At the window whose title or program has `name` in it, else at the one in front; it is
        brought to the front, and its numbers are shown."""
        listed = self._windows.listed()
        wanted = name.casefold()
        fitting = [one for one in listed if wanted in f"{one.title}\n{one.program}".casefold()]
        if not fitting:
            titles = "; ".join(one.title for one in listed) or "none"
            raise unclear(f"no window is called like that; there are: {titles}"[:500])
        window = fitting[0]
        self._bring(window)
        return self._looked_at(window)

    def look_after(self, seen: Seen) -> Seen:
        """What the action led to: the same window, or the dialog of its program before it."""
        front = [one for one in self._windows.listed() if one.in_front]
        return self._looked_at(front[0] if front else seen.window)

    def _looked_at(self, window: OpenWindow) -> Seen:
        elements: tuple[Element, ...] = ()
        if window.pid:
            with self._system.tree(self._control.pause) as tree:
                elements = tree.window(window)
        marks = numbered(elements, self._screens)
        shown = [ShownMark(one.number, one.element.box) for one in marks]
        self._control.show(shown, self._context)
        return Seen(self._context.session, window, elements, marks)

    # ------------------------------------------------------------------ acting

    def face(self, seen: Seen) -> None:
        """Work in the window of `seen` from now on."""
        if seen.window.id not in self._known:
            raise changed(f"the window “{seen.window.title[:80]}” is closed; observe again")
        self._seen = seen
        self._bring(seen.window)

    def press(self, at: Sequence[Target], how: str) -> list[str]:
        """Click on each; what was clicked, in words."""
        pressed = []
        for target in at:
            words = self._point_at(target)
            if how != "left" or not self._pressed_by_its_program(target):
                self._hands.click(how)
            pressed.append(words)
            self._control.pause(_POLL_SECONDS)
        return pressed

    def write_into(self, target: Target, text: str) -> str:
        """In place of what stands in that field, or at that point; the field in words."""
        words = self._point_at(target)
        field = self._mark(target)
        if field is None:
            self._hands.click("left")
        elif not field.writable:
            raise unclear(f"mark {target} ({described(field)}) is no field to type into")
        elif self._put_by_its_program(field, text):
            return words
        else:
            self._hands.click("left")
            self._control.pause(_POLL_SECONDS)
            if field.role != _TERMINAL:
                self._before_keys()
                self._hands.select_all()
        self.write(text)
        return words

    def write(self, text: str) -> None:
        """Key by key where the keyboard has all of it, else through the clipboard."""
        typed = text.replace("\n", "").replace("\t", "")
        plain = typed.isascii() and typed.isprintable()
        if not typed or (plain and self._hands.can_write(typed)):
            self._write_keys(text)
        else:
            self._paste(text)

    def keys(self, chords: Sequence[tuple[str, ...]]) -> None:
        for chord in chords:
            self._before_keys()
            self._hands.press(chord)
            self._control.pause(_POLL_SECONDS)

    def scroll(self, at: Sequence[Target], lines: int) -> None:
        """`lines` down; over `at`, or the middle of the window."""
        if at:
            self._point_at(at[0])
        else:
            self._move_to(*self._now().window.box.centre)
        self._hands.scroll(-lines)

    def drag(self, start: Target, end: Target) -> None:
        x, y, _ = self._place_of(end)
        self._point_at(start)
        self._refuse_own(x, y)
        self._hands.drag(x, y)

    def settle(self) -> None:
        """Give the program time to show what came of it."""
        self._control.pause(_SETTLE_SECONDS)
        self._control.check(self._context)

    # ------------------------------------------------------------------ steps

    def _point_at(self, target: Target) -> str:
        x, y, words = self._place_of(target)
        self._move_to(x, y)
        return words

    def _move_to(self, x: int, y: int) -> None:
        self._control.check(self._context)
        self._stay_in_front()
        self._refuse_own(x, y)
        self._hands.move(x, y)
        self._refuse_own(x, y)
        self._control.check(self._context)

    def _place_of(self, target: Target) -> tuple[int, int, str]:
        if isinstance(target, ScreenPoint):
            return (*target.on(self._screens), f"{target.x},{target.y}")
        element = self._mark(target)
        if element is None:
            most = len(self._now().marks)
            raise unclear(f"there is no mark {target}; observe gives 1 to {most}")
        with self._system.tree(self._control.pause) as tree:
            now = tree.again(element)
        if now is None or not same(element, now):
            raise changed(f"mark {target} ({described(element)}) has changed; observe again")
        return (*element.box.centre, described(element, self._context.language))

    def _mark(self, target: Target) -> Element | None:
        found = (one.element for one in self._now().marks if one.number == target)
        return next(found, None)

    def _pressed_by_its_program(self, target: Target) -> bool:
        """The pointer is there already, so the owner has seen what for."""
        element = self._mark(target)
        if element is None or not self._system.programs_act:
            return False
        with self._system.tree(self._control.pause) as tree:
            return self._hands.around(lambda: tree.press(element))

    def _put_by_its_program(self, field: Element, text: str) -> bool:
        """Never what a line break in it would do: that is typed."""
        if not self._system.programs_act or not text.isprintable():
            return False
        with self._system.tree(self._control.pause) as tree:
            return self._hands.around(lambda: tree.put(field, text))

    def _refuse_own(self, x: int, y: int) -> None:
        """Whose window a click there would meet."""
        owner = self._windows.owner_at(x, y)
        if self._windows.is_own(owner):
            raise ScreenTrouble("a window of this assistant is there; never press those", "own")
        wanted = self._now().window.pid
        if owner and wanted and owner != wanted:
            raise changed("another program's window covers that place; observe again")

    def _write_keys(self, text: str) -> None:
        for start in range(0, len(text), _CHARACTERS_AT_ONCE):
            self._before_keys()
            self._hands.write(text[start : start + _CHARACTERS_AT_ONCE])

    def _paste(self, text: str) -> None:
        """Through the clipboard, which is given back once the program has taken the text."""
        face = self._control.face
        face.lend_clipboard(text)
        try:
            self._control.pause(_POLL_SECONDS)
            before = face.clipboard_reads()
            self._before_keys()
            if self._now().window.pastes_selection:
                self._hands.press(("shift", "insert"))
            else:
                self._hands.paste()
            end = self._clock.monotonic() + _PASTE_SECONDS
            while face.clipboard_reads() == before:
                if self._clock.monotonic() > end:
                    raise ScreenTrouble("the program did not take the text", "not_pasted")
                self._control.pause(_POLL_SECONDS)
            self._control.pause(_AFTER_PASTE_SECONDS)
        finally:
            face.restore_clipboard()

    def _before_keys(self) -> None:
        self._control.check(self._context)
        self._stay_in_front()
        if self._windows.is_own(self._windows.owner_of_keys()):
            raise ScreenTrouble("the keys would go to this assistant's own window", "own")

    # ------------------------------------------------------------------ the window in front

    def _now(self) -> Seen:
        if self._seen is None:
            raise unclear("first use action observe, which gives the numbers")
        return self._seen

    def _stay_in_front(self) -> None:
        window = self._now().window
        if not self._is_before(window):
            raise changed(f"“{window.title[:80]}” is not in front any more; observe again")

    def _is_before(self, window: OpenWindow) -> bool:
        """Whether `window` is in front, or what its program has opened since."""
        return any(
            one.id == window.id or (one.pid == window.pid != 0 and one.id not in self._known)
            for one in self._windows.listed()
            if one.in_front
        )

    def _bring(self, window: OpenWindow) -> None:
        end = self._clock.monotonic() + _FRONT_SECONDS
        while not self._is_before(window):
            if self._clock.monotonic() > end:
                raise changed(f"“{window.title[:80]}” does not come to the front")
            self._control.check(self._context)
            self._windows.activate(window)
            self._control.pause(2 * _POLL_SECONDS)
