"""What the documents lead to is there: files, and headings inside of them. Nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from devtools.places import ROOT

_PLACES = ("*.md", "moltbot_desktop/docs/**/*.md", "packaging/*.md", "resources/**/*.md")
DOCUMENTS = sorted({one for place in _PLACES for one in ROOT.glob(place)})
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(<?([^()<>\s]+)>?\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#* *$", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def links(text: str) -> list[str]:
    """Where a document leads to. What stands in code is an example."""
    return _LINK.findall(_CODE.sub("", _FENCE.sub("", text)))


def anchors(text: str) -> set[str]:
    """The names of its headings, as sites that show Markdown make them."""
    found: set[str] = set()
    for heading in _HEADING.findall(_FENCE.sub("", text)):
        plain = re.sub(r"[^\w\- ]", "", _LINK.sub("]", heading).lower())
        name = plain.replace(" ", "-")
        seen = sum(one == name or one.startswith(f"{name}~") for one in found)
        found.add(f"{name}~{seen}" if seen else name)
    return {one.replace("~", "-") for one in found}


def broken(document: Path) -> Iterator[str]:
    for link in links(_text(document)):
        if _ELSEWHERE.match(link):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = (document.parent / name).resolve() if name else document
        if not target.exists() or (anchor and anchor not in anchors(_text(target))):
            yield link


def _text(document: Path) -> str:
    return document.read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: str(one.relative_to(ROOT)))
def test_every_local_link_leads_somewhere(document: Path) -> None:
    assert list(broken(document)) == []


def test_the_documents_are_found() -> None:
    names = {str(one.relative_to(ROOT)) for one in DOCUMENTS}
    assert {"README.md", "moltbot_desktop/docs/guide/README.md"} <= names
    assert len(names) > 60


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# What it *is*, today\n## Twice\n## Twice\n", encoding="utf-8")
    (tmp_path / "a.md").write_text(
        "[1](b.md) [2](b.md#what-it-is-today) [3](b.md#twice-1) ![4](gone.png) [5](b.md#gone)\n"
        "[6](https://example.org) [7](#no) [8](<b.md>) [b](gone.md) `[c](code.md)`\n"
        "```\n[d](fenced.md)\n```\n",
        encoding="utf-8",
    )
    assert list(broken(tmp_path / "a.md")) == ["gone.png", "b.md#gone", "#no", "gone.md"]


def test_every_page_of_the_guide_stands_in_its_index_and_has_both_languages() -> None:
    guide = ROOT / "moltbot_desktop" / "docs" / "guide"
    names = {one.name for one in guide.glob("*.md")}
    english = {one for one in names if not one.endswith(".zh.md")}
    chinese = {one.replace(".md", ".zh.md") for one in english}
    assert names == english | chinese
    for index, pages in (("README.md", english), ("README.zh.md", chinese)):
        listed = set(links(_text(guide / index)))
        assert pages - {index} <= listed
