"""A page as text with refs, short enough for a small model. Pure.

    nodes = parse(page.aria_snapshot(mode="ai"))
    listing = written(nodes, refs.take(nodes), View(most=6_000))
    # - heading "Order" [level=1]
    # - textbox "Name" [ref=e5]
    # - button "Send" [ref=e7]
    # - row: apples | 3 | 1.20

What only holds a page together is left out; a row of a table is one line; refs stand where
something can be done. The names are the page's own words: one that looks like a ref is made
harmless.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.tools.control_roles import role_words

MOST_CHARACTERS = 80_000
_MOST_NODES = 20_000
_DEEPEST = 40
_LONGEST_NAME = 300
_LONGEST_TEXT = 2_000
_LONGEST_URL = 300
_LINE = re.compile(
    r"(?P<role>/?[A-Za-z][\w-]*)"
    r'(?: (?P<name>"(?:[^"\\]|\\.)*"|/.*/))?'
    r"(?P<marks>(?: \[[^\[\]]*\])*)"
    r"(?::(?: (?P<value>.*))?)?"
)
_KEY = re.compile(r"'(?P<key>(?:[^']|'')*)'(?P<rest>.*)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")

INTERACTIVE = frozenset(
    "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option "
    "radio searchbox slider spinbutton switch tab textbox treeitem".split()
)
_HOLDING = frozenset("generic rowgroup none presentation group list document".split())
_CELLS = frozenset({"cell", "columnheader", "rowheader", "gridcell"})


@dataclass(frozen=True)
class Node:
    """One line of a page's tree.

    Attributes:
        ref: the engine's name for the element, "" where it has none.
        marks: states such as ``checked`` and ``level=1``.
        url: where a link leads, as the page writes it.
    """

    depth: int
    role: str
    name: str = ""
    marks: tuple[str, ...] = ()
    ref: str = ""
    text: str = ""
    url: str = ""
    pointed: bool = False

    @property
    def interactive(self) -> bool:
        return bool(self.ref) and (self.role in INTERACTIVE or self.pointed)


@dataclass(frozen=True)
class View:
    """How a page is to be written down.

    Attributes:
        most: characters.
        first: the line to begin with, from 0.
        interactive: only what something can be done with.
    """

    most: int = 6_000
    first: int = 0
    interactive: bool = False


@dataclass(frozen=True)
class Listing:
    """`rest`: lines after these, to be had with `first` = `goes_on`."""

    text: str
    rest: int = 0
    goes_on: int = 0


def parse(snapshot: str) -> tuple[Node, ...]:
    """The lines of an engine's snapshot; what cannot be understood is left out."""
    nodes: list[Node] = []
    for line in snapshot.splitlines()[:_MOST_NODES]:
        content = line.lstrip(" ")
        depth = min((len(line) - len(content)) // 2, _DEEPEST)
        node = _node(depth, content[2:]) if content.startswith("- ") else None
        if node is None:
            continue
        if node.role == "/url" and nodes:
            nodes[-1] = _with_url(nodes[-1], node.text)
        elif not node.role.startswith("/"):
            nodes.append(node)
    return tuple(nodes)


def _node(depth: int, content: str) -> Node | None:
    quoted = _KEY.fullmatch(content)
    if quoted is not None:
        content = quoted["key"].replace("''", "'") + quoted["rest"]
    found = _LINE.fullmatch(content)
    if found is None:
        return None
    marks = [mark.strip(" []") for mark in re.findall(r"\[[^\[\]]*\]", found["marks"])]
    refs = [mark.removeprefix("ref=") for mark in marks if mark.startswith("ref=")]
    return Node(
        depth,
        found["role"],
        _unquoted(found["name"] or ""),
        tuple(one for one in marks if not one.startswith(("ref=", "cursor=")) and one != "active"),
        refs[0] if refs else "",
        _unquoted(found["value"] or ""),
        pointed="cursor=pointer" in marks,
    )


def _with_url(node: Node, url: str) -> Node:
    return Node(
        node.depth, node.role, node.name, node.marks, node.ref, node.text, url, node.pointed
    )


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            # Its \xNN is no JSON.
            read = json.loads(re.sub(r"(?<!\\)((?:\\\\)*)\\x(..)", r"\1\\u00\2", text))
        except ValueError:
            return text[1:-1]
        return str(read)
    return text


# ------------------------------------------------------------------ as text


def written(nodes: Sequence[Node], refs: Mapping[str, str], view: View) -> Listing:
    """The page's lines; `refs` gives ours for the engine's."""
    lines = list(_lines(nodes, refs, view.interactive))
    first = min(max(view.first, 0), len(lines))
    taken: list[str] = []
    room = min(view.most, MOST_CHARACTERS)
    for line in lines[first:]:
        if taken and len(line) + 1 > room:
            break
        taken.append(line[: max(room, 0)])
        room -= len(line) + 1
    goes_on = first + len(taken)
    return Listing("\n".join(taken), len(lines) - goes_on, goes_on if goes_on < len(lines) else 0)


def _lines(nodes: Sequence[Node], refs: Mapping[str, str], interactive: bool) -> Iterator[str]:
    """`level` follows how deep what is written stands, not how deep the page nests it."""
    open_at: list[int] = []
    index = 0
    while index < len(nodes):
        node = nodes[index]
        while open_at and open_at[-1] >= node.depth:
            open_at.pop()
        row = _row(nodes, index) if not interactive else None
        if row is not None:
            cells, after = row
            yield f"{'  ' * len(open_at)}- row: {cells}"
            index = after
            continue
        index += 1
        line = _line(node, refs)
        if interactive and not node.interactive:
            continue
        if line:
            yield f"{'  ' * len(open_at)}- {line}"
            open_at.append(node.depth)


def _row(nodes: Sequence[Node], index: int) -> tuple[str, int] | None:
    """A row whose cells hold words alone, and what comes after it."""
    row = nodes[index]
    if row.role != "row":
        return None
    cells: list[list[str]] = []
    index += 1
    while index < len(nodes) and nodes[index].depth > row.depth:
        node = nodes[index]
        if node.pointed:
            return None
        if node.role in _CELLS and node.depth == row.depth + 1:
            cells.append([node.name or node.text])
        elif not cells or node.interactive:
            return None
        elif node.text and not cells[-1][0]:
            cells[-1].append(node.text)
        index += 1
    if not cells:
        return None
    return " | ".join(harmless(" ".join(filter(None, one)), 200) for one in cells), index


def _line(node: Node, refs: Mapping[str, str]) -> str:
    """One node in words; "" for what only holds others."""
    text = harmless(node.text, _LONGEST_TEXT)
    if node.role == "text":
        return text
    ref = refs.get(node.ref, "") if node.interactive else ""
    if node.role in _HOLDING and not node.name and not ref:
        return text
    parts = [node.role]
    if node.name:
        parts.append(json.dumps(harmless(node.name, _LONGEST_NAME), ensure_ascii=False))
    parts += [f"[{harmless(mark, 40)}]" for mark in node.marks]
    if ref:
        parts.append(f"[ref={ref}]")
    if node.url and len(node.url) <= _LONGEST_URL and not node.url.startswith(("data:", "#")):
        parts.append(f"-> {harmless(node.url, _LONGEST_URL)}")
    line = " ".join(parts)
    return f"{line}: {text}" if text else line


def harmless(text: str, most: int) -> str:
    """A page's words on one line; they cannot pass for a ref."""
    words = " ".join(_CONTROL.sub(" ", text).split()).replace("[ref=", "(ref=")
    return words if len(words) <= most else f"{words[: most - 1]}…"


# ------------------------------------------------------------------ refs


@dataclass(frozen=True)
class Element:
    """Something on a page that can be acted on: `engine` is the engine's name for it."""

    ref: str
    engine: str
    role: str
    name: str

    @property
    def said(self) -> str:
        """For the model, and to see whether it is still the same."""
        return self.said_in(Language.ENGLISH)

    def said_in(self, language: Language) -> str:
        """For the person."""
        role = role_words(self.role, language)
        between = "" if language is Language.CHINESE else " "
        return f"{role}{between}“{harmless(self.name, 80)}”" if self.name else role


class Refs:
    """Our names for the elements of one tab: no number is given twice, so one of an earlier page
    can never mean something on this one."""

    def __init__(self) -> None:
        self._next = 1
        self._known: dict[str, str] = {}
        self.elements: Mapping[str, Element] = {}
        """Those of the newest snapshot, by our ref."""

    def take(self, nodes: Sequence[Node]) -> Mapping[str, str]:
        """Ours by the engine's; what is not among `nodes` is stale from now on."""
        found: dict[str, Element] = {}
        for node in nodes:
            if not node.ref:
                continue
            if node.ref not in self._known:
                self._known[node.ref] = f"e{self._next}"
                self._next += 1
            ref = self._known[node.ref]
            found[ref] = Element(ref, node.ref, node.role, node.name)
        self.elements = found
        return dict(self._known)

    def leave(self, *, frames_only: bool = False) -> None:
        """Another document is there, in the page itself or in one of its frames."""
        if not frames_only:
            self._known = {}
            self.elements = {}
            return
        self._known = {one: ours for one, ours in self._known.items() if not is_framed(one)}
        self.elements = {
            ref: one for ref, one in self.elements.items() if not is_framed(one.engine)
        }


def is_framed(engine: str) -> bool:
    """Whether the engine's ref is of an element inside a frame."""
    return engine.startswith("f")
