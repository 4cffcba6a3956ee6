"""What text alone would lose of a page: numbers that stand raised, and what its pictures show.

    put_in_words(soup)      # x<sup>2</sup> reads x², <img alt="A cat"> reads [image: A cat]

Of a picture only its words are told, one line of them and no address: nobody who looks at the page
sees them, so nothing in them may pass for a link that stands on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bs4 import BeautifulSoup, Tag

_RAISED = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_HAS_RAISED = re.compile(r"[0-9+\-−=()ni]+")
_ORDINAL = re.compile(r"st|nd|rd|th|er|re|e|o|a|™|®|SM|TM", re.IGNORECASE)
_ADDRESS = re.compile(r"\S*(?:://|www\.)\S*")
_SIGNS = str.maketrans("[]()<>`|*_\\", " " * 11)
_WORD = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")
_FILE = re.compile(r"\S+\.(?:jpe?g|png|gif|webp|svg|avif)", re.IGNORECASE)
_LONGEST = 200


def put_in_words(soup: BeautifulSoup, is_hidden: Callable[[Tag], bool]) -> None:
    """Write both into `soup` as text. `is_hidden`: of a picture that nobody is shown."""
    for raised in soup.find_all("sup"):
        words = raised.get_text().strip()
        if words and raised.find("a") is None:  # a link there is a note's number
            raised.replace_with(_raised(words))
    under = {}
    for below in soup.find_all("figcaption"):
        under[id(below.find_parent("figure"))] = " ".join(below.get_text().split())
    for picture in soup.find_all("img", alt=True):
        said = "" if is_hidden(picture) else _of_picture(str(picture["alt"]))
        figure = picture.find_parent("figure")
        caption = under.get(id(figure), "") if figure else ""
        if said and said not in caption:
            picture.replace_with(f"[image: {said}]")


def _raised(words: str) -> str:
    if _HAS_RAISED.fullmatch(words):
        return words.translate(_RAISED)
    if _ORDINAL.fullmatch(words):
        return words  # 4th, 1er, Moltbot™
    return f"^{words}" if words.isalnum() else f"^({words})"


def _of_picture(alt: str) -> str:
    """Its words in one line; "" where there are none, or only the name of a file."""
    bare = " ".join(_ADDRESS.sub(" ", alt.translate(_SIGNS)).split())
    if _FILE.fullmatch(alt.strip()) or not _WORD.search(bare):
        return ""
    return bare if len(bare) <= _LONGEST else f"{bare[: _LONGEST - 1]}…"
