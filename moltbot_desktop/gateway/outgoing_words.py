"""What of an answer may leave by a channel once words of others are in the conversation: its text.

    text = without_new_links(answer, said)      # said: what people wrote and what tools found

Whoever's page or message steers the model can make it write an address with a secret in it, and a
chat program that draws a preview fetches that address for everybody in the room. So a link goes
out only when exactly that link was written in the conversation before; another one is named in a
form that no program follows (policy R6, R7). A setting's name that a fixed sentence of the program
says has the form of an address too; exactly that name goes out. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.tools.missing import missing_tools

PHRASES = Phrases(
    english={"left_out": "[link left out: {host}]"},
    chinese={"left_out": "[已略去链接：{host}]"},
)
_SIGN = r"[^\s<>\"'`\\^{}|\[\]（）【】《》“”‘’，。；！？、]"
_TOP = r"(?:xn--[a-z0-9-]{2,59}|[^\W\d_]{2,24})(?::\d{1,5})?"
_ADDRESS = re.compile(
    # With a scheme; without one, of the same kind as the page; a host with something behind it; a
    # host that has another one above it.
    rf"(?:[a-z][a-z0-9+.-]{{1,20}}://|\bwww\.|\bmailto:|\bdata:){_SIGN}+"
    rf"|(?<![\w:/])//(?:[\w-]{{1,63}}\.)+{_TOP}(?:[/?#]{_SIGN}*)?"
    rf"|(?<![\w@/.])(?:[\w-]{{1,63}}\.)+{_TOP}[/?#]{_SIGN}*"
    rf"|(?<![\w@/.])(?:[\w-]{{1,63}}\.){{2,}}{_TOP}(?![\w.])",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"!\[([^\]\n]*)\]\(")
_TRAILING = ".,;:!?)*_~"
_LONGEST_HOST = 60


def addresses(text: str) -> frozenset[str]:
    """The addresses in `text`, without what punctuation follows them."""
    return frozenset(_bare(found[0]) for found in _ADDRESS.finditer(text))


def without_new_links(text: str, said: Iterable[str], language: Language) -> str:
    """`text` in which every link stood in `said` before, to the letter; pictures are links.

    `said` is looked at only when there is a link at all.
    """
    text = _PICTURE.sub(r"[\1](", text)
    if _ADDRESS.search(text) is None:
        return text
    known = _OURS.union(*map(addresses, said))

    def kept(found: re.Match[str]) -> str:
        bare = _bare(found[0])
        if bare in known:
            return found[0]
        host = PHRASES.say("left_out", language, host=_disarmed(bare))
        return host + found[0][len(bare) :]

    return _ADDRESS.sub(kept, text)


def _bare(address: str) -> str:
    """A closing bracket is part of an address only when its opening one is."""
    while address and address[-1] in _TRAILING:
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address


def _disarmed(address: str) -> str:
    """The address's host so that a person knows it and no program takes it for one."""
    host = re.sub(r"^(?:[a-z][a-z0-9+.-]*:)?/*", "", address, flags=re.IGNORECASE)
    host = re.split(r"[/?#]", host, maxsplit=1)[0].rpartition("@")[2]
    return host[:_LONGEST_HOST].replace(".", "[.]") or "…"


_OURS = frozenset[str]().union(
    *(
        addresses(missing.sentence(language))
        for missing in missing_tools(memory=False).values()
        for language in Language
    )
)
"""Names in sentences of the program that are part of an answer. They are whole constants: nobody
can put a secret into one, and what is added to one is no longer it."""
