"""`desktop`: look at the windows of other programs and work in them.

    desktop(action="observe", window="calc")       # 13 button “7” ... and the numbers on the screen
    desktop(action="press", marks="23 24 21 25 26 27")
    desktop(action="type", text="你好")
    desktop(action="keys", keys="ctrl+s")

Each call that acts ends with a new look, so the model always has numbers that hold. What a window
says is the words of others, and so is everything this gives back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.foreseen import Foreseen
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.desktop.acting import Acting, Seen
from moltbot_desktop.tools.desktop.asked import ScreenPoint, Target, chords, targets
from moltbot_desktop.tools.desktop.control import ScreenControl
from moltbot_desktop.tools.desktop.elements import described, in_lines
from moltbot_desktop.tools.desktop.hands import Hands
from moltbot_desktop.tools.desktop.screenshot import Screenshot
from moltbot_desktop.tools.desktop.system import System
from moltbot_desktop.tools.desktop.texts import PHRASES
from moltbot_desktop.tools.desktop.trouble import (
    ScreenReleased,
    ScreenTrouble,
    changed,
    in_words,
    unclear,
)
from moltbot_desktop.tools.replies import (
    arguments,
    failure,
    number_argument,
    one_line,
    text_argument,
)

_ACTIONS = ("windows", "observe", "press", "type", "keys", "scroll", "drag", "screenshot")
_IN_WINDOW = frozenset({"press", "type", "keys", "scroll", "drag"})
_LONGEST_TEXT = 10_000
_MOST_LINES = 50
_NO_CONTROLS = (
    "this program does not tell what is in its window; action screenshot, type and keys still work"
)


@dataclass(frozen=True)
class _Done:
    """What an action did: a key of `PHRASES` with what stands in it."""

    key: str
    values: Mapping[str, str]


class DesktopTool:
    def __init__(
        self,
        control: ScreenControl,
        hands: Hands,
        screenshot: Screenshot,
        system: System,
        clock: Clock,
    ) -> None:
        self._control = control
        self._hands = hands
        self._screenshot = screenshot
        self._system = system
        self._clock = clock
        self._seen: Seen | None = None

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "desktop",
            "Work in other programs' windows. observe gives numbered controls; press, type, keys, "
            "scroll and drag work in the window observed last.",
            arguments(
                ("action",),
                action={"type": "string", "enum": list(_ACTIONS)},
                window=text_argument("part of a title, for observe"),
                marks=text_argument("numbers in order: 3 7; a point: 1:640,400"),
                text=text_argument("for type; with marks: in that field"),
                keys=text_argument(f"{self._system.keyboard.example}+s"),
                lines=number_argument("scroll down; below 0 up"),
                button={"type": "string", "enum": ["left", "right", "double"]},
            ),
            Effect.DESKTOP,
            core=False,
            reads=tuple((one, Effect.SCREENSHOT) for one in ("windows", "observe", "screenshot")),
            keywords="screen mouse keyboard click press button window program app calculator gui "
            "屏幕 鼠标 键盘 点击 按钮 窗口 程序 软件",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        try:
            return self._carried(given.text("action"), given, context)
        except ScreenReleased as error:
            self._control.corner(context)
            return failure(str(error), in_words(error, context.language))
        except ToolError as error:
            return failure(str(error), in_words(error, context.language))

    def foreseen(self, given: ToolInput, context: ToolContext) -> Foreseen:
        """Numbers alone would say nothing on a card: what they stand for, and in which window."""
        action, seen = given.text("action"), self._seen
        if action not in _IN_WINDOW:
            return Foreseen("")
        try:
            seen = _looked_at(seen, context)
            _check(action, given, seen)
        except ScreenTrouble as trouble:
            told = in_words(trouble, context.language)
            return Foreseen("", refusal=failure(str(trouble), told))
        what = one_line(_what(action, given, seen, context.language))
        title = one_line(seen.window.title, 60)
        told = PHRASES.say(f"ask_{action}", context.language, window=title, what=what)
        mark = hashlib.sha256(f"{seen.window.id} {title} {what}".encode()).hexdigest()
        return Foreseen(told, mark)

    def _carried(self, action: str, given: ToolInput, context: ToolContext) -> ToolResult:
        if action == "screenshot":
            return self._screenshot.run(given, context)
        if action not in _ACTIONS:
            raise unclear(f"`action` is one of {', '.join(_ACTIONS)}")
        if action == "windows":
            return self._list_windows(context)
        if context.judged and context.judged != self.foreseen(given, context).mark:
            raise changed("the window was looked at again meanwhile; call again")
        self._control.take(context)
        begun = Acting.begun(self._control, self._hands, self._system, self._clock, context)
        with begun as acting:
            if action == "observe":
                return self._observed(acting.look(given.text("window")), context)
            return self._acted(acting, action, given, context)

    def _list_windows(self, context: ToolContext) -> ToolResult:
        with self._system.windows() as windows:
            found = windows.listed()
        rows: list[JsonValue] = [
            {"title": one_line(one.title), "program": one.program} for one in found
        ]
        names = ", ".join(f"“{one_line(one.title, 60)}”" for one in found)
        key = "windows" if found else "no_windows"
        told = PHRASES.say(key, context.language, names=names)
        return ToolResult({"windows": rows}, told, taints=True, private=True)

    def _acted(
        self, acting: Acting, action: str, given: ToolInput, context: ToolContext
    ) -> ToolResult:
        seen = _looked_at(self._seen, context)
        acting.face(seen)
        done = self._carried_out(acting, action, given)
        acting.settle()
        following = acting.look_after(seen)
        values = {"window": one_line(seen.window.title, 60), **done.values}
        result = self._observed(following, context)
        return ToolResult(
            result.data,
            PHRASES.say(done.key, context.language, **values),
            taints=True,
            private=True,
        )

    def _carried_out(self, acting: Acting, action: str, given: ToolInput) -> _Done:
        match action:
            case "press":
                button = given.text("button") or "left"
                pressed = acting.press(targets(given.text("marks")), button)
                return _Done("pressed", {"names": one_line(", ".join(pressed))})
            case "type":
                text = given.arguments.get("text", "")
                if not isinstance(text, str) or not text or len(text) > _LONGEST_TEXT:
                    raise unclear("`text` is what to type, at most 10000 characters")
                if given.text("marks"):
                    acting.write_into(_field(given), text)
                else:
                    acting.write(text)
                return _Done("typed", {"text": one_line(text, 80)})
            case "keys":
                acting.keys(chords(given.text("keys")))
                return _Done("keys", {"keys": given.text("keys")[:80]})
            case "scroll":
                where = targets(given.text("marks")) if given.text("marks") else ()
                lines = given.number("lines", 5)
                acting.scroll(where[:1], max(-_MOST_LINES, min(lines, _MOST_LINES)))
                return _Done("scrolled", {})
            case "drag":
                ends = targets(given.text("marks"))
                if len(ends) != 2:
                    raise unclear("`marks` of drag is where from and where to")
                acting.drag(*ends)
                return _Done("dragged", {})
        raise unclear(f"there is no action {action}")

    def _observed(self, seen: Seen, context: ToolContext) -> ToolResult:
        self._seen = seen
        title = one_line(seen.window.title)
        controls = in_lines(seen.marks, seen.elements)
        data: dict[str, JsonValue] = {"window": title, "controls": controls or _NO_CONTROLS}
        key = "seen" if seen.marks else "seen_none"
        told = PHRASES.say(key, context.language, window=title, count=len(seen.marks))
        return ToolResult(data, told, taints=True, private=True)


def _looked_at(seen: Seen | None, context: ToolContext) -> Seen:
    if seen is None or seen.session != context.session:
        raise unclear("first use action observe, which gives the numbers")
    return seen


def _check(action: str, given: ToolInput, seen: Seen) -> None:
    """Raises ScreenTrouble where the call names what the window did not show, so that the owner is
    not asked for nothing."""
    if action == "keys":
        chords(given.text("keys"))
    if action == "type" and given.text("marks"):
        _field(given)
    if action in ("press", "drag") or (action in ("scroll", "type") and given.text("marks")):
        numbers = {mark.number for mark in seen.marks}
        for one in targets(given.text("marks")):
            if not isinstance(one, ScreenPoint) and one not in numbers:
                raise unclear(f"there is no mark {one}; observe gives 1 to {len(numbers)}")


def _field(given: ToolInput) -> Target:
    """Where `type` is to go, when it says so."""
    found = targets(given.text("marks"))
    if len(found) != 1:
        raise unclear("`marks` of type is the one field to type into")
    return found[0]


def _what(action: str, given: ToolInput, seen: Seen, language: Language) -> str:
    """What an action is about, in the names that the window gives."""
    text = str(given.arguments.get("text", ""))
    if action == "type" and not given.text("marks"):
        return text
    if action == "keys":
        return given.text("keys")
    names = {mark.number: described(mark.element, language) for mark in seen.marks}
    try:
        found = targets(given.text("marks"))
    except ScreenTrouble:
        return ""
    places = ", ".join(
        f"{one.screen}:{one.x},{one.y}"
        if isinstance(one, ScreenPoint)
        else names.get(one, str(one))
        for one in found
    )
    return f"{text} → {places}" if action == "type" else places
